#!/usr/bin/python3
"""Holds the Python package, and so the library in it, against other people's test cases.

    conformance.py BUILD

ONNX's own cases for its Attention operator: the package `onnx` (1.22 or newer: earlier releases
contradict the specification) goes into a virtual environment under BUILD, and
tests/conformance/onnx_attention.py runs there. PyTorch's grid for scaled_dot_product_attention:
tests/python/conformance.py, PyTorch's own sample inputs, tests/conformance/torch_samples.py, and the
patterns of FlexAttention, tests/conformance/flex_attention.py, where a Python has torch: BUILD/models or BUILD/peer, which `make test-models` and `make bench-peer` make, or
this one. The last line is "N passed, N failed".
"""
import os
import re
import subprocess
import sys
import venv

import python_wheel

REQUIREMENT = "onnx>=1.22"
ROOT = python_wheel.ROOT


def onnx_python(build):
    """A Python with onnx, or None."""
    folder = os.path.join(build, "conformance")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        venv.create(folder, with_pip=True)
    install = subprocess.run([python, "-m", "pip", "install", "--quiet",
                              "--disable-pip-version-check", REQUIREMENT], check=False)
    if install.returncode == 0:
        return python
    print(f"conformance: cannot install {REQUIREMENT} from PyPI; is there a network?",
          file=sys.stderr)
    return None


def torch_python(build):
    """A Python with torch, or None."""
    for python in (os.path.join(build, "models", "bin", "python"),
                   os.path.join(build, "peer", "bin", "python"), sys.executable):
        found = os.path.exists(python) and subprocess.run(
            [python, "-c", "import torch, numpy"], stderr=subprocess.DEVNULL, check=False)
        if found and found.returncode == 0:
            return python
    return None


def run(python, script, package):
    """(passed, failed); shows what failed and what is told beside the cases."""
    done = subprocess.run([python, os.path.join(ROOT, "tests", script)], stdout=subprocess.PIPE,
                          text=True, env=dict(os.environ, PYTHONPATH=package), check=False)
    sums = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.MULTILINE)
    passed = int(sums[1]) if sums else len(re.findall(r"^ok ", done.stdout, re.MULTILINE))
    failed = int(sums[2]) if sums else len(re.findall(r"^not ok ", done.stdout, re.MULTILINE))
    for line in done.stdout.splitlines():
        if line.startswith(("not ok", "#", "FAILED", "kernel")):
            print(line)
    if done.returncode != 0 and failed == 0:
        print(f"not ok - {script} ended with status {done.returncode} after {passed} cases")
        failed = 1
    return passed, failed


def main(build):
    package = os.path.abspath(os.path.join(build, "package"))
    python_wheel.install_into(python_wheel.build_wheel(build), package)
    python = onnx_python(build)
    if python is None:
        return 1
    totals = [run(python, os.path.join("conformance", "onnx_attention.py"), package)]
    python = torch_python(build)
    if python is None:
        print("PyTorch's grid, samples and FlexAttention are left out: no torch here; make test-models gets it")
    else:
        totals.append(run(python, os.path.join("python", "conformance.py"), package))
        totals.append(run(python, os.path.join("conformance", "torch_samples.py"), package))
        totals.append(run(python, os.path.join("conformance", "flex_attention.py"), package))
    passed, failed = map(sum, zip(*totals))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
