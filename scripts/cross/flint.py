#!/usr/bin/python3
"""flint.py FOLDER [--stamp FILE OBJECT...]: FLINT and Arb for WebAssembly, from Debian's own source
packages.

Leaves FOLDER/include and FOLDER.ini, which tells Meson where that is; and with objects FOLDER/lib/
libflint.a, which holds those functions of GMP, FLINT and Arb that the objects need, and what these
need in turn, and an empty file that tells when. Sources are fetched by apt into FOLDER; nothing
of the system is changed, and root is not needed. GMP is built by its own configure script. FLINT
and Arb have a function a file, and so are compiled file by file as they are asked for: a fifth of
them is.
"""
import concurrent.futures
import glob
import os
import pwd
import re
import shutil
import subprocess
import sys

TARGET = ["clang", "--target=wasm32-wasi"]
FLAGS = ["-Oz", "-w", "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS"]
PACKAGES = ["gmp", "mpfr4", "flint", "flint-arb"]

# What FLINT's configure would write for a machine of 32 bits with one thread.
CONFIGURATION = """
#define FLINT_USES_BLAS 0
#define FLINT_USES_TLS 0
#define FLINT_USES_FENV 0
#define FLINT_USES_PTHREAD 0
#define FLINT_USES_GC 0
#define FLINT_USES_CPUSET 0
#define FLINT_REENTRANT 0
#define FLINT_WANT_ASSERT 0
#define FLINT_DLL
"""

# Functions in the place of others. GMP would end the process by a signal. Products of huge numbers,
# rounding by MPFR and binomial coefficients have other ways to the same result, without Fourier
# transforms and Bernoulli numbers. Of the gamma function, which comes with
# much code and a table of 130 kB, erfc wants one value, the root of pi; of others, and of Euler's
# constant, nothing is known: a ball that holds all numbers. Roots of a higher degree than 2, for
# which MPFR brings exponentials and logarithms of its own, end the module, and so say nothing.
SUPPORT = """
#include "arb.h"
#include "acb.h"
int getpid(void) { return 1; }
int kill(int process, int signal) { __builtin_trap(); }
void mpfr_free_cache(void) {}
int arf_root(arf_ptr z, const arf_t x, ulong degree, slong precision, arf_rnd_t rounding)
{ if (degree == 1) return arf_set_round(z, x, precision, rounding);
  if (degree != 2) __builtin_trap();
  return arf_sqrt(z, x, precision, rounding); }
int arf_mul_via_mpfr(arf_t z, const arf_t x, const arf_t y, slong precision, arf_rnd_t rounding)
{ return arf_mul_rnd_any(z, (arf_ptr)x, (arf_ptr)y, precision, rounding); }
void flint_mpn_mul_fft_main(mp_ptr r, mp_srcptr x, mp_size_t m, mp_srcptr y, mp_size_t n)
{ if (m >= n) mpn_mul(r, x, m, y, n); else mpn_mul(r, y, n, x, m); }
void arb_gamma_fmpq(arb_t z, const fmpq_t x, slong precision)
{ if (fmpz_is_one(fmpq_numref(x)) && fmpz_equal_ui(fmpq_denref(x), 2)) arb_const_sqrt_pi(z, precision);
  else arb_indeterminate(z); }
void arb_gamma_fmpz(arb_t z, const fmpz_t x, slong precision) { arb_indeterminate(z); }
void arb_gamma(arb_t z, const arb_t x, slong precision) { arb_indeterminate(z); }
void arb_rgamma(arb_t z, const arb_t x, slong precision) { arb_indeterminate(z); }
void arb_lgamma(arb_t z, const arb_t x, slong precision) { arb_indeterminate(z); }
void acb_gamma(acb_t z, const acb_t x, slong precision) { acb_indeterminate(z); }
void acb_rgamma(acb_t z, const acb_t x, slong precision) { acb_indeterminate(z); }
void arb_hypgeom_central_bin_ui(arb_t z, ulong n, slong precision)
{ fmpz_t whole;
  fmpz_init(whole);
  fmpz_bin_uiui(whole, 2 * n, n);
  arb_set_round_fmpz(z, whole, precision);
  fmpz_clear(whole); }
void arb_const_euler(arb_t z, slong precision) { arb_indeterminate(z); }
"""

REPLACED = ["arb_gamma_fmpq", "arb_gamma_fmpz", "arb_gamma", "arb_rgamma", "arb_lgamma", "acb_gamma",
            "acb_rgamma"]

# What MPFR's configure would find.
MPFR = ["-DHAVE_STDARG", "-DHAVE_STDINT_H", "-DHAVE_INTTYPES_H", "-DHAVE_INTMAX_T", "-DHAVE_LOCALE_H",
        "-DHAVE_NULL_PTR", "-DHAVE_LITTLE_ENDIAN", "-DHAVE_DOUBLE_IEEE_LITTLE_ENDIAN", "-DHAVE_ROUND",
        "-DHAVE_TRUNC", "-DHAVE_FLOOR", "-DHAVE_CEIL", "-DHAVE_NEARBYINT"]

# FLINT names the types of threads in a header although it makes none.
THREADS = """
#ifndef PTHREAD_H
#define PTHREAD_H
typedef int pthread_t, pthread_mutex_t, pthread_cond_t, pthread_attr_t, pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0
static inline int pthread_mutex_init(pthread_mutex_t *m, const void *a) { return 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *m) { return 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *m) { return 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *m) { return 0; }
static inline int pthread_cond_init(pthread_cond_t *c, const void *a) { return 0; }
static inline int pthread_cond_destroy(pthread_cond_t *c) { return 0; }
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return 0; }
static inline int pthread_cond_signal(pthread_cond_t *c) { return 0; }
static inline int pthread_join(pthread_t t, void **r) { return 0; }
static inline int pthread_create(pthread_t *t, const void *a, void *(*f)(void *), void *x)
{ return 1; }
#endif
"""


# Functions of Arb that have tables for up to 512 bits, others of 170 kB for up to 4608 bits, and
# general ways beyond: they go the general way beyond 512 bits.
TABLES = ["exp_arf", "atan_arf", "sin_cos"]
TABLE_LIMIT = re.compile(r"wp > (ARB_\w+)_TAB2_PREC")


def run(command, log, **more):
    with open(log, "a", encoding="utf-8") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode != 0:
        with open(log, encoding="utf-8", errors="replace") as output:
            sys.exit("".join(output.readlines()[-20:]) + f"{sys.argv[0]}: failed: {command[0]}; see {log}")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as output:
        output.write(text)


def repository():
    """Where this system gets its packages from."""
    targets = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)",
                              "Created-By: Packages"], capture_output=True, text=True, check=False)
    for line in targets.stdout.splitlines():
        if line.split()[1:] == ["bookworm", "main"]:
            return line.split()[0]
    sys.exit(f"{sys.argv[0]}: this system gets no packages from Debian's bookworm")


def fetch(folder):
    """The four source trees, unpacked under folder/source."""
    apt, source = folder + "/apt", folder + "/source"
    for part in (apt + "/lists/partial", apt + "/cache/archives/partial", source):
        os.makedirs(part, exist_ok=True)
    write(apt + "/status", "")
    write(apt + "/sources.list", "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
          f"{repository()} bookworm main\n")
    command = ["apt-get", "-q"]
    for option in (f"Dir::Etc::sourcelist={apt}/sources.list", "Dir::Etc::sourceparts=-",
                   f"Dir::State={apt}", f"Dir::State::Lists={apt}/lists",
                   f"Dir::State::status={apt}/status", f"Dir::Cache={apt}/cache",
                   f"APT::Sandbox::User={pwd.getpwuid(os.getuid()).pw_name}"):
        command += ["-o", option]
    run(command + ["update"], folder + "/log")
    run(command + ["source", "--download-only"] + PACKAGES, folder + "/log", cwd=source)
    for archive in glob.glob(source + "/*.orig.tar.*"):
        run(["tar", "xf", archive], folder + "/log", cwd=source)


def tree(folder, name):
    return glob.glob(f"{folder}/source/{name}-*/")[0].rstrip("/")


def build_gmp(folder):
    """GMP in plain C with limbs of 32 bits."""
    place = tree(folder, "gmp")
    write(place + "/doc/Makefile.in", "all:\n")  # Debian leaves the manual out
    run(["./configure", "--host=none-none-none", "--build=x86_64-linux-gnu", "--disable-assembly",
         "--disable-shared", "CC=" + " ".join(TARGET), "CFLAGS=-Oz -w -D_WASI_EMULATED_SIGNAL",
         "CC_FOR_BUILD=cc", "AR=llvm-ar", "RANLIB=llvm-ranlib", "NM=llvm-nm"],
        folder + "/log", cwd=place)
    run(["make", f"-j{os.cpu_count()}", "all", "SUBDIRS=mpn mpz mpq mpf printf scanf rand"],
        folder + "/log", cwd=place)
    write(folder + "/include/gmp.h", open(place + "/gmp.h", encoding="utf-8").read())


def copy_headers(folder):
    """Headers as the sources and as qkv ask for them: <gmp.h>, "fmpz.h", <flint/fmpz.h>, <arb.h>."""
    include, flint = folder + "/include", tree(folder, "flint2")
    write(flint + "/flint-config.h", CONFIGURATION)
    for name, origin in (("fmpz-conversions.h", "fmpz-conversions-single.in"),
                         ("fft_tuning.h", "fft_tuning32.in"), ("config.h", None)):
        text = open(f"{flint}/{origin}", encoding="utf-8").read() if origin else CONFIGURATION
        write(f"{flint}/{name}", text)
    write(include + "/pthread.h", THREADS)
    write(folder + "/source/support.c", SUPPORT)
    for header in ("mpfr.h",):
        write(f"{include}/{header}", open(tree(folder, "mpfr") + "/src/" + header,
                                          encoding="utf-8", errors="replace").read())
    for header in glob.glob(flint + "/*.h"):
        text = open(header, encoding="utf-8", errors="replace").read()
        write(f"{include}/flint/{os.path.basename(header)}", text)
    for header in glob.glob(tree(folder, "arb") + "/*.h"):
        text = open(header, encoding="utf-8", errors="replace").read()
        write(f"{include}/{os.path.basename(header)}", text)


def trim(folder):
    for name in TABLES:
        path = f"{tree(folder, 'arb')}/arb/{name}.c"
        text, count = TABLE_LIMIT.subn(r"wp > \1_TAB1_PREC", open(path, encoding="utf-8").read())
        if count != 1:
            sys.exit(f"{sys.argv[0]}: {path} is not as expected")
        write(path, text)


# ---- Functions on demand --------------------------------------------------------------------

# A function of FLINT begins a line, perhaps with its type before it; so does a table.
DEFINITION = re.compile(r"^(?!static|typedef|#|\s|/|return|else)(?:[\w\*]+[ \t\n]+)*?\**(\w+)[ \t]*"
                        r"(?:\(|\[[^\]]*\](?:\[[^\]]*\])*\s*=)", re.MULTILINE)
CONSTANT = re.compile(r"^\w+DEF_CACHED_CONSTANT\w*\((\w+),", re.MULTILINE)
VARIABLE = re.compile(r"^(?!static|typedef|#|\s|/|extern)[\w \*]*?\b(\w+)\s*(?:=|;)", re.MULTILINE)


# Files of MPFR whose names come out of macros.
HIDDEN = ["cache", "const_log2", "fits_slong", "mp_clz_tab", "pow_ui", "round_p"]

# What the C library has, and finite fields and polynomials in several variables: nothing here asks
# for them, but names of theirs are the same as others'.
LEFT_OUT = re.compile(r"/(gettimeofday|inlines|test_helpers)\.c$|/(fq\w*|[pq]adic\w*|\w*mpoly\w*)/")


def index(folder):
    """Which file defines a name. A file that is called as the name says comes first."""
    where = {}
    files = []
    for place in (tree(folder, "flint2"), tree(folder, "arb")):
        files += glob.glob(place + "/*.c") + glob.glob(place + "/*/*.c")
    files = [path for path in files if not LEFT_OUT.search(path)]
    files += [tree(folder, "flint2") + "/fmpz/link/fmpz_single.c"]
    files += glob.glob(tree(folder, "mpfr") + "/src/*.c")
    for path in sorted(files):
        with open(path, encoding="utf-8", errors="replace") as source:
            text = source.read()
        room, stem = os.path.basename(os.path.dirname(path)), os.path.basename(path)[:-2]
        names = [name for pattern in (DEFINITION, VARIABLE, CONSTANT) for name in pattern.findall(text)]
        for name in set(names):
            fits = name.strip("_") == f"{room}_{stem}".strip("_")
            if "/test/" not in path and (name not in where or fits):
                where[name] = path
    return where


def undefined(objects):
    names = set()
    for i in range(0, len(objects), 500):
        text = subprocess.run(["llvm-nm", "--undefined-only", "-j", *objects[i:i + 500]],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        names |= set(text.decode().split())
    return names


def defined(path):
    text = subprocess.run(["llvm-nm", "--defined-only", "-j", path], stdout=subprocess.PIPE, check=True)
    return set(text.stdout.decode().split())


def compile_file(folder, path):
    flint, arb, mpfr = (tree(folder, name) for name in ("flint2", "arb", "mpfr"))
    flags = [f"-I{folder}/include", f"-I{arb}", f"-I{flint}"]
    if path.startswith(mpfr):
        flags = MPFR + [f"-I{folder}/include", f"-I{mpfr}/src", f"-I{mpfr}/src/generic",
                        f"-I{tree(folder, 'gmp')}"]
    if path.endswith("/gamma.c"):  # its other functions are wanted
        flags += [f"-D{name}=other_{name}" for name in REPLACED]
    name = os.path.relpath(path, folder + "/source").replace("/", "__")
    target = f"{folder}/object/{name[:-2]}.o"
    if not os.path.exists(target):
        done = subprocess.run(TARGET + FLAGS + flags + ["-c", path, "-o", target],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            sys.exit(f"{path}:\n{done.stdout.decode()[:2000]}")
    return target


def build_flint(folder, roots):
    where = index(folder)
    os.makedirs(folder + "/object", exist_ok=True)
    support = compile_file(folder, folder + "/source/support.c")
    always = [f"{tree(folder, 'mpfr')}/src/{name}.c" for name in HIDDEN]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = {path: compile_file(folder, path) for path in always}
        seen = defined(support)
        wanted = undefined(roots + [support] + list(objects.values())) - seen
        while wanted:
            paths = {where[name] for name in wanted if name in where} - set(objects)
            seen |= wanted
            print(f"building FLINT for WebAssembly: {len(objects)} files, {len(paths)} more", flush=True)
            made = list(pool.map(lambda path: compile_file(folder, path), sorted(paths)))
            objects.update(zip(sorted(paths), made))
            wanted = undefined(made) - seen if made else set()
    os.makedirs(folder + "/lib", exist_ok=True)
    shutil.copy(support, folder + "/lib/support.o")  # linked first, so that it goes before
    library = folder + "/lib/libflint.a"
    gmp = tree(folder, "gmp") + "/.libs/libgmp.a"
    if os.path.exists(library):
        os.remove(library)
    script = "".join([f"create {library}\n", f"addlib {gmp}\n"]
                     + [f"addmod {path}\n" for path in objects.values()] + ["save\n", "end\n"])
    subprocess.run(["llvm-ar", "-M"], input=script.encode(), check=True)
    return len(objects)


def main():
    folder, stamp, roots = os.path.abspath(sys.argv[1]), sys.argv[3:4], sys.argv[4:]
    if not os.path.exists(folder + ".ini"):
        print("fetching the sources of " + ", ".join(PACKAGES), flush=True)
        fetch(folder)
        print("building GMP for WebAssembly", flush=True)
        build_gmp(folder)
        copy_headers(folder)
        trim(folder)
        write(folder + ".ini", f"[constants]\nflint = '{folder}'\n")
    if roots:
        build_flint(folder, roots)
        write(os.path.abspath(stamp[0]), "")


if __name__ == "__main__":
    main()
