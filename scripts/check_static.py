#!/usr/bin/python3
"""Static analysis, which must find nothing: gcc -fanalyzer, clang-tidy and cppcheck.

    check_static.py BUILD [gcc|tidy|cppcheck|FOLDER ...]

BUILD is a folder that Meson has set up; its compile_commands.json says how each file is compiled, but
assertions are on: they tell the analyzers what holds. All of src and cli is looked at, or only the
folders that are named, such as src/io. Findings that are none are in ALLOWED, each with the reason.
Ends with status 77 where a tool is not there.
"""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Checks of clang-tidy. Left out are those about style, which clang-format and reviews see to, and
# those that the code's own habits contradict on purpose.
TIDY = ",".join([
    "-*", "clang-analyzer-*", "bugprone-*",
    "-clang-analyzer-security.insecureAPI.*",  # wants the functions of Annex K, which no C library has
    "-clang-analyzer-optin.performance.Padding",  # the pool's lines of cache are padded on purpose
    "-clang-analyzer-valist.Uninitialized",  # wrong about va_start in this version
    "-bugprone-easily-swappable-parameters", "-bugprone-reserved-identifier",
    "-bugprone-narrowing-conversions",  # -Wconversion sees to it
    "-bugprone-branch-clone", "-bugprone-implicit-widening-of-multiplication-result",
    "-bugprone-not-null-terminated-result",  # texts with a length are copied without their end
    "-bugprone-suspicious-include",  # templates are compiled several times
    "-clang-analyzer-security.FloatLoopCounter",  # steps of pixels are whole numbers in doubles
    "-bugprone-suspicious-string-compare",  # memcmp is for equality, which needs no comparison
    "-bugprone-sizeof-expression",  # pointers are elements of arrays here
])

# (tool, file, what it says): why it is no fault.
ALLOWED = [
    # Its parser does not know compound literals behind a question mark.
    ("cppcheck", r"", r"internalAstError"),
    # The memory of tensors is aligned to 64 bytes.
    ("cppcheck", r"src/attention/", r"invalidPointerCast"),
    # It takes the vectors of <immintrin.h> for their number of elements.
    ("gcc", r"src/lab/x86/lanes_avx", r"shift by count"),
    # A function that fails says so, and what it would have set is not read: it does not follow that.
    ("gcc", r"src/replay/|src/claim/chance/moment\.c", r"may be used uninitialized"),
    # The loop before it runs as often, and sets what this one reads.
    ("gcc", r"src/ball/line\.c|src/claim/find/find_tokens\.c|src/plot/plot_diagram\.c",
     r"use of uninitialized value"),
    # Every path of `constant` returns a number: it loses count in the recursion.
    ("gcc", r"src/claim/search/search_mentioned\.c", r"use of uninitialized value .power"),
    # There are weights: the caller asked running_weight, which looks them up, before.
    ("gcc", r"src/claim/limiting/limiting_rewrite\.c", r"dereference of NULL .weights"),
    # The indexes of kernels are all below their number, and each has a name.
    ("gcc", r"src/attention/kernels\.c", r"use of NULL where non-null expected"),
    # It follows a loop that runs `count` times into a second one that runs more often.
    ("cppcheck", r"src/claim/design/design_scalar\.c", r"uninitvar"),
    # There is always a member and a key that is none: the sum is at least 1.
    ("cppcheck", r"src/reach/reach_norm\.c", r"invalidFunctionArg: Invalid log"),
    # A path that was found is never NULL: what fails to make one says so by its status.
    ("tidy", r"src/io/file\.c", r"Null pointer passed to 1st parameter"),
    ("gcc", r"src/io/file\.c", r"use of NULL .real. where non-null expected"),
    # qkv__bench_fail is false, always; it does not follow calls that deep, and takes it for true.
    ("tidy", r"src/replay/", r"garbage|uninitialized value"),
    # The functions that note why an evaluation or a sample fails are false, always: the same.
    ("tidy", r"src/claim/(table/table_evaluate|sample/sample)\.c", r"garbage|uninitialized"),
    # The caller looks at such a pointer only after a success, which puts another one in its place.
    ("tidy", r"src/replay/chance\.c|src/ball/line\.c", r"StackAddressEscape"),
    # The row of a grid is a whole number; so are a step beside the middle and half a number of ticks.
    ("tidy", r"src/replay/chance\.c|src/plot/plot_diagram\.c|src/figure/axis\.c",
     r"bugprone-integer-division"),
    # All of them were set in the loop before.
    ("tidy", r"src/ball/gram\.c", r"garbage value"),
    # An equation has two sides: only what undo() makes of one may be NULL.
    ("tidy", r"src/grade/abstract\.c", r"null pointer .*'node'"),
    # The arguments are initialisers in braces, which parentheses would spoil.
    ("tidy", r"cli/attend_arguments\.c|src/plot/plots\.c", r"bugprone-macro-parentheses"),
    # A picture that is not known was told of, and a failure is never the status to go on with.
    ("tidy", r"cli/plot\.c", r"null pointer|pointer is null"),
    ("gcc", r"cli/plot\.c", r"dereference of NULL"),
    ("tidy", r"cli/mpi/shards\.c", r"null pointer .*|from variable 'line'"),
    # The index is not used on the right side.
    ("cppcheck", r"src/claim/model/evaluate_attend\.c", r"unknownEvaluationOrder"),
    # The two loops before it set as many letters as are compared.
    ("cppcheck", r"src/exact/words_number\.c", r"uninitvar: Uninitialized variable: letter"),
    # What the argument points at is written, not read.
    ("cppcheck", r"src/language/slips\.c|cli/mpi/sweep_cell\.c", r"ctuuninitvar"),
    # -1 stands for "no parameter" and is looked at before.
    ("cppcheck", r"src/ball/box\.h", r"shiftTooManyBits|signConversionCond"),
]


FOLDERS = ["src", "cli"]  # that are looked at


def commands(build):
    """The compilations of the files that are looked at: (file, words)."""
    path = os.path.join(build, "compile_commands.json")
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if source.startswith(tuple(folder + "/" for folder in FOLDERS)) and source.endswith(".c") and \
                "cuda" not in source:
            words = shlex.split(entry["command"])
            found[source] = (entry["directory"], words[words[0] == "ccache":])
    return sorted(found.items())


def run(words, folder):
    """What an analyzer prints. One that fails has analysed nothing: that must not pass for no finding."""
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode != 0:
        sys.exit(f"{words[0]} failed on {words[-1]}:\n{done.stdout}")
    return done.stdout


def findings(tool, text):
    """The lines that say something, as FILE:LINE: what."""
    kept = set()
    for line in text.splitlines():
        match = re.match(r"(\S+?):(\d+):(?:\d+:)? (?:warning|error|performance|portability): (.*)", line)
        if match is None:
            continue
        place = os.path.relpath(os.path.normpath(os.path.join(ROOT, "build", match[1])), ROOT) \
            if match[1].startswith("..") else os.path.relpath(match[1], ROOT)
        if any(tool == name and re.search(where, place) and re.search(what, match[3])
               for name, where, what in ALLOWED) or place.startswith(("/usr", "..")):
            continue
        kept.add(f"{place}:{match[2]}: {match[3]}")
    return kept


def with_gcc(build):
    def one(item):
        _, (folder, words) = item
        options = [word for word in words[1:words.index("-MD")]
                   if not word.startswith(("-flto", "-fdiagnostics-color"))]
        return run(["gcc", *options, "-O1", "-UNDEBUG", "-fanalyzer", "-Wno-analyzer-too-complex",
                    "-c", "-o", "/dev/null", words[-1]], folder)

    return over_all(one, commands(build))


def with_tidy(build):
    def one(item):
        return run(["clang-tidy", "-p", build, "--quiet", f"--checks={TIDY}",
                    "--extra-arg=-UNDEBUG", os.path.join(ROOT, item[0])], ROOT)

    return over_all(one, commands(build))


def over_all(one, items):
    workers = len(os.sched_getaffinity(0))
    texts = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for text in pool.map(one, items):
            texts.append(text)
            if sys.stderr.isatty():
                print(f"\r{len(texts)} of {len(items)} files", end="", file=sys.stderr, flush=True)
    return "\n".join(texts)


def with_cppcheck(_):
    return run(["cppcheck", "--quiet", "--std=c11", "--enable=warning,performance,portability",
                "--suppress=missingIncludeSystem", "-I", "include", "-I", "src", "-DQKV_HAVE_MD4C",
                "-DQKV_HAVE_LAB", "-DQKV_HAVE_LAPACKE", "-D__x86_64__", "-D__GNUC__=12", "-D__SIZEOF_INT128__=16",
                "-j", str(len(os.sched_getaffinity(0))),
                "--template={file}:{line}: {severity}: {id}: {message}", *FOLDERS], ROOT)


TOOLS = {"gcc": ("gcc", with_gcc), "tidy": ("clang-tidy", with_tidy), "cppcheck": ("cppcheck", with_cppcheck)}


def main(words):
    build, chosen, count = os.path.abspath(words[0]), [word for word in words[1:] if word in TOOLS], 0
    named = [word.rstrip("/") for word in words[1:] if word not in TOOLS]
    FOLDERS[:] = named or FOLDERS
    for name in chosen or TOOLS:
        program, analyse = TOOLS[name]
        if shutil.which(program) is None:
            print(f"{program} was not found", file=sys.stderr)
            return 77
        found = findings(name, analyse(build))
        count += len(found)
        for line in sorted(found):
            print(f"{name}: {line}")
        print(f"{name}: {len(found)} findings", flush=True)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
