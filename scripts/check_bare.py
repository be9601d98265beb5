#!/usr/bin/python3
"""Runs the documented targets on a bare Debian 12, as a newcomer would. Needs root.

    check_bare.py [--fresh | --brief] [TARGET ...]

debootstrap makes a minimal Debian 12 with make and git in a temporary folder under build-bare. The
committed tree is cloned into it, and each target runs there in a chroot: first as root, where make
installs what is missing, then as an ordinary user without sudo, in a clone of their own, with every
package present. Before that, the messages for those who cannot install packages are checked. A table
tells what each command took, downloaded and installed; the exit status is 1 if one failed, and 77 if
this machine cannot do such things.

TARGET is as after `make`: `demo`, or `install PREFIX=/opt`; `make` itself stands for plain make.
With --brief, as in `make check`, a newcomer's first four run, as root alone.
With --fresh each target gets a bare system of its own, instead of one after the other in the same:
slower, and the only way to see that a target does not live on packages of the one before it.

Packages come from where this system's apt gets them, through a proxy on this machine that counts
bytes and keeps package files in build-bare/packages. What each command printed is in build-bare/log.

Every mount is made in a mount namespace that ends with its command, and every command runs in a
process namespace that ends with it. So an interrupt leaves nothing but a folder to remove.
"""
import argparse
import configparser
import fcntl
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from counting_proxy import Proxy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-bare")
SUITE = "bookworm"
USER, USER_ID = "newcomer", 1000
HOUR = 3600

# What runs, in the order of the targets in CONTRIBUTING.md.
TARGETS = ["make", "demo", "test", "test-unit", "test-arm", "page", "test-page", "python",
           "test-python", "pictures", "conformance", "bench BENCH=--quick", "bench-record NAME=bare",
           "fuzz", "install PREFIX=/usr/local", "format", "clean"]
BRIEF = ["make", "demo", "test", "install PREFIX=/usr/local"]
# An ordinary user installs into a folder of their own.
SYSTEM_INSTALL, USER_INSTALL = "install PREFIX=/usr/local", f"install PREFIX=/home/{USER}/local"
USER_WORDS = {SYSTEM_INSTALL: USER_INSTALL}
LEFT_OUT = {"bench-peer": "downloads PyTorch, several gigabytes; to run it: make check-bare BARE=bench-peer"}
# After an installation the command, and a program built against the library, must run: under
# /usr/local without further settings.
EXAMPLE = "cc examples/average_of_two.c $(pkg-config --cflags --libs qkv) -lm -o $HOME/example && $HOME/example"
AFTER = {
    SYSTEM_INSTALL: f"qkv --version && {EXAMPLE}",
    USER_INSTALL: "prefix=$HOME/local && $prefix/bin/qkv --version && "
                  "export LD_LIBRARY_PATH=$(dirname $(find $prefix -name libqkv.so)) && "
                  f"export PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig && {EXAMPLE}",
}


class Failure(Exception):
    """Ends the run with one line."""
    status = 1


class CannotRun(Failure):
    """This machine does not have what it takes."""
    status = 77


# ---- The host -------------------------------------------------------------------------------

def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return done.stdout if done.returncode == 0 else ""


def prepare_host():
    """Sees that everything is there before anything is made."""
    if os.getuid() != 0:
        raise CannotRun("needs root, for debootstrap and chroot; run: sudo make check-bare")
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise CannotRun("this system does not let root make mount and process namespaces (a container?)")
    if not shutil.which("apt-get"):
        raise CannotRun("needs apt-get, which says where Debian's packages come from")
    if subprocess.run([os.path.join(ROOT, "scripts", "need-packages"), "debootstrap", "git"],
                      check=False).returncode != 0:
        raise CannotRun("needs debootstrap and git")
    if subprocess.run(["git", "-C", ROOT, "-c", "safe.directory=*", "diff", "--quiet", "HEAD"],
                      check=False).returncode != 0:
        print("note: changes that are not committed are not tested")


def repositories():
    """Lines for sources.list: the places where this system's apt finds Debian, for Debian 12."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)|$(ORIGIN)|$(LABEL)",
               "Created-By: Packages"]
    found = output_of(command)
    if "|Debian|" not in found:  # no lists: this apt was never updated, or its lists were removed
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        found = output_of(command)
    places = {}
    for line in found.splitlines():
        address, origin, label = line.split("|")
        if origin == "Debian" and address.startswith(("http://", "https://")):
            places.setdefault(label, address)
    if "Debian" not in places:
        raise CannotRun("this system's apt gets no packages from a Debian archive over HTTP")
    lines = [f"deb {places['Debian']} {SUITE} main", f"deb {places['Debian']} {SUITE}-updates main"]
    if "Debian-Security" in places:
        lines.append(f"deb {places['Debian-Security']} {SUITE}-security main")
    return places["Debian"], lines


def apt_setting(name):
    return output_of(["apt-config", "shell", "value", name]).strip()[len("value='"):-1]


def apt_settings(proxy):
    """This system's settings on how to fetch, with the counting proxy in the place of its own."""
    lines = [line for line in output_of(["apt-config", "dump", "Acquire"]).splitlines()
             if re.match(r"Acquire::(Check-Valid-Until|Retries|https?(::|\s))", line)
             and "proxy" not in line.lower()]
    return lines + [f'Acquire::{scheme}::Proxy "{proxy.address}";' for scheme in ("http", "https")]


def pip_settings(proxy):
    """The same for pip: (settings, file of certificates or None)."""
    reader = configparser.RawConfigParser()
    reader.read("/etc/pip.conf")
    settings = dict(reader["global"]) if reader.has_section("global") else {}
    for name in ("index-url", "extra-index-url", "trusted-host", "cert", "timeout"):
        value = os.environ.get("PIP_" + name.upper().replace("-", "_"))
        if value:
            settings[name] = value
    certificates = settings.pop("cert", None)
    kept = ("index-url", "extra-index-url", "trusted-host", "timeout")
    settings = {name: value for name, value in settings.items() if name in kept}
    settings["proxy"] = proxy.address
    return settings, certificates


# ---- The chroot -----------------------------------------------------------------------------

# Mounts what programs expect of a running system, then becomes the command. $1 is the system's
# folder. The namespace is private: the host sees none of it.
ENTER = """
set -e
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts"
mkdir -p "$1/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
rm -f "$1/dev/ptmx" && ln -s pts/ptmx "$1/dev/ptmx"
root=$1 user=$2 home=$3 place=$4 command=$5
cd /
exec chroot --userspec="$user" --groups="" "$root" /usr/bin/env -i HOME="$home" LANG=C.UTF-8 TERM=dumb \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c 'cd "$0" && eval "$1"' "$place" "$command"
"""


class Process:
    """The one command that is under way, so that an interrupt can end it."""
    running = None

    @classmethod
    def run(cls, command, log, seconds=3 * HOUR):
        """Its exit status; what it prints goes to a file. The status is 124 after too long a time."""
        with open(log, "wb") as output:
            cls.running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                           stderr=subprocess.STDOUT, start_new_session=True)
            try:
                return cls.running.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                return 124
            finally:
                cls.end()

    @classmethod
    def end(cls):
        """unshare takes its process namespace along, and so everything that the command began."""
        if cls.running and cls.running.poll() is None:
            os.killpg(cls.running.pid, signal.SIGKILL)
            cls.running.wait()
        cls.running = None


NAMESPACE = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]


class System:
    """A Debian in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, lines):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def run(self, command, log, user=None, network=True, place=None):
        home = f"/home/{user}" if user else "/root"
        return Process.run(NAMESPACE + ([] if network else ["--net"])
                           + ["sh", "-c", ENTER, "check-bare", self.folder,
                              f"{USER_ID}:{USER_ID}" if user else "0:0", home, place or home + "/qkv",
                              command], log)

    def copy(self, name):
        other = System(os.path.join(os.path.dirname(self.folder), name))
        subprocess.run(["cp", "-a", "--reflink=auto", self.folder, other.folder], check=True)
        return other

    def remove(self):
        """Again if need be: a command that was killed may still be writing as it ends."""
        for _ in range(10):
            done = subprocess.run(["rm", "-rf", "--one-file-system", self.folder], check=False,
                                  stderr=subprocess.PIPE, text=True)
            if done.returncode == 0:
                return
            time.sleep(1)
        raise Failure(f"cannot remove {self.folder}: {done.stderr.strip()}")

    def packages(self):
        """How many are installed."""
        with open(self.path("var/lib/dpkg/status"), encoding="utf-8") as file:
            return file.read().count("Status: install ok installed")

    def clone(self, log, user=None):
        """The committed tree, cloned by the system's own git."""
        if self.run("rm -rf qkv && git clone --quiet /srv/qkv.bundle qkv", log, user,
                    place=f"/home/{user}" if user else "/root") != 0:
            raise Failure("the clone failed; see " + log)


def bootstrap(folder, proxy, log):
    """A minimal Debian with make and git, the way to its packages, a user, and the tree to clone."""
    mirror, lines = repositories()
    system = System(os.path.join(folder, "base"))
    # debootstrap fetches with wget, which takes a proxy from the environment.
    command = NAMESPACE + ["--mount-proc", "env", f"http_proxy={proxy.address}",
                           f"https_proxy={proxy.address}", "debootstrap", "--variant=minbase",
                           "--include=make,git", SUITE, system.folder, mirror]
    if Process.run(command, log + ".txt") != 0:
        raise Failure(f"debootstrap failed; see {log}.txt")
    system.write("etc/apt/sources.list", lines)
    system.write("etc/apt/apt.conf.d/00check-bare", apt_settings(proxy))
    for name in ["auth.conf", *(os.path.relpath(path, "/etc/apt") for path in
                                glob.glob("/etc/apt/auth.conf.d/*"))]:
        if os.path.exists("/etc/apt/" + name):
            shutil.copy("/etc/apt/" + name, system.path("etc/apt", name))
    settings, certificates = pip_settings(proxy)
    if certificates:
        shutil.copy(certificates, system.path("etc/check-bare.crt"))
        settings["cert"] = "/etc/check-bare.crt"
        system.write("etc/apt/apt.conf.d/01check-bare",
                     ['Acquire::https::CaInfo "/etc/check-bare.crt";'])
    system.write("etc/pip.conf", ["[global]"] + [f"{name} = {value}" for name, value in settings.items()])
    if system.run(f"useradd --uid {USER_ID} --create-home {USER}", log + "-user.txt",
                  place="/") != 0:
        raise Failure(f"useradd failed; see {log}-user.txt")
    if subprocess.run(["git", "-C", ROOT, "-c", "safe.directory=*", "bundle", "create", "--quiet",
                       system.path("srv/qkv.bundle"), "HEAD"], check=False).returncode != 0:
        raise Failure("git bundle failed")
    return system


# ---- What is run and told -------------------------------------------------------------------

class Report:
    """Rows of the table, printed as they come and again at the end."""
    FORM = "{:7}{:38}{:8}{:>8}{:>11}  {}"
    HEAD = FORM.format("as", "command", "result", "seconds", "MB loaded", "what was missing")

    def __init__(self, proxy, logs):
        self.proxy, self.logs, self.rows, self.failed = proxy, logs, [], []
        print(self.HEAD, flush=True)

    def log(self, who, words):
        return os.path.join(self.logs, f"{len(self.rows) + 1:02}-{who}-" +
                            re.sub(r"[^\w-]+", "_", words) + ".txt")

    def add(self, who, words, good, seconds, loaded, missing, log=None):
        row = self.FORM.format(who, words, "ok" if good else "FAILED", f"{seconds:.0f}",
                               f"{loaded / 1e6:.1f}", missing)
        self.rows.append(row)
        print(row, flush=True)
        if not good:
            self.failed.append(words)
            with open(log, encoding="utf-8", errors="replace") as file:
                for line in file.read().splitlines()[-30:]:
                    print("       | " + line, flush=True)

    def end(self, left_out):
        print("\n" + "\n".join([self.HEAD] + self.rows))
        for name, why in left_out.items():
            print(f"left out: {name}: {why}")
        print(f"check-bare: {len(self.rows) - len(self.failed)} passed, {len(self.failed)} failed"
              f"; what they printed is in {os.path.relpath(self.logs)}")


def text_of(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        return file.read()


def own_lines(log):
    """What a command printed, without make's own last words about an error."""
    return [line for line in text_of(log).splitlines() if not re.match(r"make(\[\d+\])?: \*\*\*", line)]


def make(words):
    return "make" if words == "make" else "make " + words


def run_target(report, system, words, user=None):
    who, log = ("user" if user else "root"), report.log("user" if user else "root", words)
    before, loaded, start = system.packages(), report.proxy.total, time.monotonic()
    status = system.run(f"{make(words)} && {AFTER.get(words, 'true')}", log, user)
    asked = re.findall(r"^installing (.*)$", text_of(log), re.MULTILINE)
    names = " ".join(asked).split()
    added = system.packages() - before
    missing = f"{len(names)} packages asked for, {added} installed: {' '.join(names)}" if added else ""
    # Here everything can be installed: a part that is left out is a package that nobody asked for.
    left_out = re.findall(r"^left out .*$", text_of(log), re.MULTILINE)
    missing = "; ".join([missing] * bool(missing) + left_out)
    report.add(who, make(words), status == 0 and not left_out, time.monotonic() - start, report.proxy.total - loaded,
               missing, log)


def check_message(report, system, title, expected, command="make", lines=1, good=False, **how):
    """A command that must fail, or pass if `good`, and print so many lines, one of which says so."""
    log = report.log("message", title)
    start, loaded = time.monotonic(), report.proxy.total
    status = system.run(command, log, **how)
    told = own_lines(log)
    right = (status == 0) == good and len(told) == lines and re.search(expected, "\n".join(told))
    report.add("user" if how.get("user") else "root", title, bool(right), time.monotonic() - start,
               report.proxy.total - loaded, f"said: {told[0][:60]}…" if told else "", log)


def check_messages(report, base, log):
    """Those who cannot install packages are told what to do, in one line."""
    system = base.copy("messages")
    system.clone(log)
    system.clone(log, USER)
    check_message(report, system, "make, packages missing", r"apt-get install .*\bmeson\b", user=USER)
    # Without the proxy on this machine, so that apt fails as it does without a network.
    os.rename(system.path("etc/apt/apt.conf.d/00check-bare"), system.path("etc/00check-bare"))
    check_message(report, system, "make, offline", r"^offline: ", network=False)
    os.rename(system.path("usr/bin/apt-get"), system.path("usr/bin/apt-get.away"))
    check_message(report, system, "make, no apt-get", r"Meson.*FLINT")
    system.remove()


def run_all(report, base, targets, options, log):
    system = base.copy("machine")
    system.clone(log)
    fresh, rounds = options.fresh, 1 if options.fresh or options.brief else 2
    for number, words in enumerate(targets):
        print(f"{number + 1} of {rounds * len(targets)}: {make(words)}", flush=True)
        if fresh:
            machine = base.copy("fresh")
            machine.clone(log)
            run_target(report, machine, words)
            machine.remove()
        else:
            run_target(report, system, words)
        if words == "make" and not fresh:
            check_message(report, system, "make again, no network", r"^built ", good=True, network=False)
    if rounds == 1:  # without a system that has the packages of all targets, or in brief
        return
    system.clone(log, USER)
    for number, words in enumerate(targets):
        print(f"{len(targets) + number + 1} of {2 * len(targets)}: {make(words)}, as a user", flush=True)
        run_target(report, system, USER_WORDS.get(words, words), USER)


def targets_of(words):
    """Words of a command line to targets: settings belong to the target before them."""
    targets = []
    for word in words:
        if "=" in word and targets:
            targets[-1] += " " + word
        else:
            targets.append(word)
    return targets


def check(options):
    prepare_host()
    os.makedirs(WORK, exist_ok=True)
    lock = open(os.path.join(WORK, "lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise Failure("another one is running in this tree") from None
    logs = os.path.join(WORK, "log")
    shutil.rmtree(logs, ignore_errors=True)
    os.makedirs(logs)
    for stale in glob.glob(os.path.join(WORK, "system-*")):  # of a run that was killed
        System(stale).remove()
    folder = tempfile.mkdtemp(prefix="system-", dir=WORK)
    os.chmod(folder, 0o755)
    upstream = apt_setting("Acquire::http::Proxy") or os.environ.get("http_proxy")
    proxy = Proxy(os.path.join(WORK, "packages"), upstream)
    try:
        start = time.monotonic()
        base = bootstrap(folder, proxy, os.path.join(logs, "00-bootstrap"))
        print(f"made a bare Debian 12: {base.packages()} packages, {proxy.total / 1e6:.0f} MB, "
              f"{time.monotonic() - start:.0f} s\n", flush=True)
        report = Report(proxy, logs)
        clone_log = os.path.join(logs, "00-clone.txt")
        check_messages(report, base, clone_log)
        run_all(report, base, options.targets or (BRIEF if options.brief else TARGETS), options, clone_log)
        report.end({} if options.targets else {"the other targets": "make check-bare"} if options.brief else LEFT_OUT)
        return 1 if report.failed else 0
    except KeyboardInterrupt:
        print("\ncheck-bare: interrupted; removing the system it made", file=sys.stderr)
        raise
    finally:
        # A second interrupt must not stop the removal.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        Process.end()
        proxy.stop()
        System(folder).remove()
        give_away()


def give_away():
    """What is kept belongs to whoever owns the tree, so that `make clean` can remove it."""
    owner = os.stat(ROOT)
    for folder, _, names in os.walk(WORK):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            os.chown(path, owner.st_uid, owner.st_gid)


def interrupted(number, _):
    raise KeyboardInterrupt(number)


def main():
    parser = argparse.ArgumentParser(prog="check_bare.py", allow_abbrev=False,
                                     description="Run the documented targets on a bare Debian 12.")
    parser.add_argument("--fresh", action="store_true", help="a bare system for each target")
    parser.add_argument("--brief", action="store_true", help="a newcomer's first targets, as root alone")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all of CONTRIBUTING.md's")
    options = parser.parse_args()
    options.targets = targets_of(options.targets)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    try:
        return check(options)
    except Failure as failure:
        print(f"check-bare: {failure}", file=sys.stderr)
        return failure.status
    except KeyboardInterrupt as signalled:
        print("check-bare: removed", file=sys.stderr)
        return 128 + (signalled.args[0] if signalled.args else signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
