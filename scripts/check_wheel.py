#!/usr/bin/python3
"""Installs the operator's portable wheel on a bare Debian 12 and runs an example there. Needs root.

    check_wheel.py BUILD

debootstrap makes a minimal Debian 12 with Python and pip, and without any development package, in a
temporary folder. The wheel that `make wheel` left in BUILD/dist/portable is installed into a virtual
environment in it, without a network and without NumPy; then attention is computed, and the libraries
that the module needs must be libc's and libm alone. Exit status 77: this machine cannot do such things.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import check_bare

ALLOWED = ("linux-vdso", "libc.so.6", "libm.so.6", "ld-linux", "libpthread.so.0")
EXAMPLE = """
import array, qkv
q = memoryview(array.array("d", [5, 5, 0])).cast("B").cast("d", (1, 3))
x = memoryview(array.array("d", [1, 0, 0, 0, 1, 0, 0, 0, 1])).cast("B").cast("d", (3, 3))
c = qkv.attention(q, x, x, scale=1.0)
assert abs(c[0, 0] - 0.498321) < 1e-6 and c[0, 0] == c[0, 1], c.tolist()
print("attention:", [round(number, 6) for number in c.tolist()[0]])
"""


def inside(folder, *words):
    """Runs a command there; its output."""
    return subprocess.run(["chroot", folder, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def bootstrap(folder):
    mirror, _ = check_bare.repositories()
    done = subprocess.run(["debootstrap", "--variant=minbase", "--include=python3,python3-pip,python3-venv",
                           check_bare.SUITE, folder, mirror], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise check_bare.Failure(f"debootstrap failed: {done.stdout.splitlines()[-1]}")


def check(wheel, folder):
    bootstrap(folder)
    packages = inside(folder, "dpkg-query", "-W", "-f", "${Package}\n").split()
    tools = [name for name in packages if name in ("gcc", "g++", "make", "libc6-dev", "python3-dev")]
    if tools:
        raise check_bare.Failure(f"the system is not bare: it has {', '.join(tools)}")
    shutil.copy(wheel, os.path.join(folder, "tmp"))
    inside(folder, "python3", "-m", "venv", "/opt/qkv")
    inside(folder, "/opt/qkv/bin/pip", "install", "--quiet", "--no-index", "/tmp/" + os.path.basename(wheel))
    print(inside(folder, "/opt/qkv/bin/python", "-c", EXAMPLE), end="")
    module, = glob.glob(os.path.join(folder, "opt/qkv/lib/python3*/site-packages/qkv/_qkv*.so"))
    needed = inside(folder, "ldd", module[len(folder):])
    names = [os.path.basename(line.split()[0]) for line in needed.splitlines()]
    print("needs:", ", ".join(names))
    strange = [name for name in names if not name.startswith(ALLOWED)]
    if strange:
        raise check_bare.Failure(f"the module needs {', '.join(strange)}; expected libc and libm alone")


def main(build):
    wheels = glob.glob(os.path.join(build, "dist", "portable", "*.whl"))
    try:
        if len(wheels) != 1:
            raise check_bare.Failure("there is no portable wheel; run: make wheel")
        check_bare.prepare_host()
        with tempfile.TemporaryDirectory(dir=build) as folder:
            os.chmod(folder, 0o755)
            check(wheels[0], os.path.abspath(folder))
    except check_bare.Failure as failure:
        print(f"check_wheel.py: {failure}", file=sys.stderr)
        return failure.status
    print(f"{os.path.basename(wheels[0])}: installed and ran on a bare Debian 12")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
