#!/usr/bin/python3
"""Runs ONNX's own test cases for its Attention operator against libqkv.

    conformance.py BUILD

Puts the package `onnx` (1.22 or newer: earlier releases contradict the specification) into a
virtual environment under BUILD and runs tests/conformance/onnx_attention.py there.
"""
import os
import subprocess
import sys
import venv

REQUIREMENT = "onnx>=1.22"


def main(build):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.join(build, "conformance")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True)
    install = subprocess.run([python, "-m", "pip", "install", "--quiet",
                              "--disable-pip-version-check", REQUIREMENT], check=False)
    if install.returncode != 0:
        print(f"conformance: cannot install {REQUIREMENT} from PyPI; is there a network?",
              file=sys.stderr)
        return 1
    library = os.path.join(build, "src", "libqkv.so")
    suite = os.path.join(root, "tests", "conformance", "onnx_attention.py")
    return subprocess.run([python, suite, library], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
