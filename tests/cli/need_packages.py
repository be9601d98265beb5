#!/usr/bin/python3
"""need_packages.py ROOT: what scripts/need-packages says and does; TAP.

It runs with a PATH that holds nothing but the programs it may find: real ones for text, and in the
place of apt-get, dpkg-query, id and sudo scripts that behave as a case wants and write down that they
were called. So nothing is installed, and no network is asked.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = ("sh", "cat", "dirname", "env", "grep", "mkdir", "mktemp", "rm", "tr")
INSTALLED = "gcc"

# Answers with its name and words in $CALLS, then does what the case says.
FAKE = '#!/bin/sh\necho "{name} $*" >>"$CALLS"\n{body}\n'
DPKG_QUERY = f'for name; do :; done; test "$name" = {INSTALLED} && echo installed'
RESOLVES_NOT = "echo \"E: Temporary failure resolving 'packages'\" >&2; exit 100"
# apt reports progress on descriptor 3; -q -o … before the subcommand are skipped by the pattern.
APT_WORKS = 'case "$*" in *" install "*) echo "dlstatus:1:50.0:x" >&3; echo "pmstatus:meson:100.0:x" >&3 ;; esac'
APT_BREAKS = 'case "$*" in *" install "*) echo "E: Unable to locate package meson" >&2; exit 100 ;; esac'


class Run:
    """One call of need-packages, in a world of its own."""

    def __init__(self, root, packages, user=1000, **programs):
        with tempfile.TemporaryDirectory(prefix="qkv-need-") as folder:
            for name in TOOLS:
                os.symlink(shutil.which(name), os.path.join(folder, name))
            for name, body in {"id": f"echo {user}", **programs}.items():
                self.write(os.path.join(folder, name.replace("_", "-")), name.replace("_", "-"), body)
            calls = os.path.join(folder, "calls")
            done = subprocess.run([os.path.join(root, "scripts", "need-packages"), *packages],
                                  env={"PATH": folder, "CALLS": calls}, capture_output=True, text=True,
                                  check=False, timeout=60)
            self.status, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
            self.calls = open(calls, encoding="utf-8").read() if os.path.exists(calls) else ""

    @staticmethod
    def write(path, name, body):
        with open(path, "w", encoding="utf-8") as file:
            file.write(FAKE.format(name=name, body=body))
        os.chmod(path, 0o755)


def nothing_missing(root):
    run = Run(root, [INSTALLED], dpkg_query=DPKG_QUERY, apt_get="exit 1")
    return run.status == 0 and run.stdout + run.stderr == "" and "apt-get" not in run.calls


def no_right(root):
    run = Run(root, [INSTALLED, "meson", "libmd4c-dev"], dpkg_query=DPKG_QUERY, apt_get="exit 1")
    return (run.status == 1 and run.stdout == "" and run.stderr.count("\n") == 1
            and run.stderr.endswith("run: apt-get install -y meson libmd4c-dev\n")
            and "apt-get" not in run.calls)


def offline(root):
    run = Run(root, ["meson"], user=0, dpkg_query=DPKG_QUERY, apt_get=RESOLVES_NOT)
    return (run.status == 1 and run.stdout == ""
            and re.fullmatch(r"offline: .*: meson\n", run.stderr) is not None)


def on_disk(root):
    """Lists cannot be fetched, but the packages can, or apt has them already."""
    body = f'case "$*" in *" install "*) ;; *) {RESOLVES_NOT} ;; esac'
    run = Run(root, ["meson"], user=0, dpkg_query=DPKG_QUERY, apt_get=body)
    return run.status == 0 and run.stderr == "" and run.stdout == "installing meson\n"


def installs(root):
    run = Run(root, [INSTALLED, "meson"], user=0, dpkg_query=DPKG_QUERY, apt_get=APT_WORKS)
    return (run.status == 0 and run.stderr == ""
            and run.stdout == "installing meson\n  downloading: 50 %\n  installing: 100 %\n"
            and re.search(r"apt-get .*install .*meson$", run.calls, re.MULTILINE) is not None)


def installs_by_sudo(root):
    run = Run(root, ["meson"], dpkg_query=DPKG_QUERY, apt_get=APT_WORKS,
              sudo='test "$1" = -n && exit 0; exec "$@"')
    return run.status == 0 and run.stdout.startswith("installing meson\n") and "sudo env" in run.calls


def apt_fails(root):
    """Another failure than that of the network is shown as apt tells it."""
    run = Run(root, ["meson"], user=0, dpkg_query=DPKG_QUERY, apt_get=APT_BREAKS)
    return run.status == 1 and run.stderr == ("E: Unable to locate package meson\n"
                                              "apt-get could not install: meson\n")


def not_debian(root):
    """Programs and libraries by their own names; a missing program ends it."""
    run = Run(root, ["meson", "libmd4c-dev", "python3-numpy"])
    return (run.status == 1 and run.stdout == "" and run.stderr.count("\n") == 1
            and run.stderr.endswith(": Meson 1.0 or later, MD4C, NumPy\n"))


def library_not_found(root):
    """The build goes on without a library."""
    run = Run(root, ["meson", "libmd4c-dev"], meson="exit 0", pkg_config="exit 1")
    return run.status == 0 and run.stderr.endswith(": MD4C\n")


def all_found(root):
    run = Run(root, ["meson", "libmd4c-dev", "libgmp-dev", "wasi-libc"], meson="exit 0",
              pkg_config="exit 0", cc="exit 0")
    return run.status == 0 and run.stdout + run.stderr == ""


def all_named(root):
    """Each package of the Makefile has a row in packages.txt."""
    with open(os.path.join(root, "Makefile"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    asked = re.findall(r"^\w*PACKAGES *:= *(.*)$", text, re.MULTILINE)
    asked += re.findall(r"need-packages ([^\n;|&}]*)", text)
    names = {name for words in asked for name in words.split() if re.fullmatch(r"[a-z][\w.+-]*", name)}
    with open(os.path.join(root, "scripts", "packages.txt"), encoding="utf-8") as file:
        rows = {line.split()[0] for line in file if not line.startswith("#")}
    return len(names) > 30 and names <= rows


CASES = {
    "nothing is missing: no word, no apt": nothing_missing,
    "no right to install: one line with the command": no_right,
    "offline: one line that says so": offline,
    "a server is down, but the packages are to be had": on_disk,
    "root installs, with progress": installs,
    "sudo installs": installs_by_sudo,
    "another failure of apt is shown": apt_fails,
    "no apt-get: what is missing by its own name": not_debian,
    "no apt-get: a library may be missing": library_not_found,
    "no apt-get: nothing is missing": all_found,
    "packages.txt has every package of the Makefile": all_named,
}


def main(root):
    print(f"1..{len(CASES)}")
    failed = 0
    for number, (name, case) in enumerate(CASES.items(), 1):
        good = case(root)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
