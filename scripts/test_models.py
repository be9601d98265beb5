#!/usr/bin/python3
"""Runs the package inside other people's: models of Hugging Face transformers, JAX, PyTorch's own sample
inputs and its FlexAttention.

    test_models.py BUILD [SCRIPT ...]

They are installed from PyPI into a virtual environment under BUILD: several gigabytes, once. The last
line is "N passed, N failed".
"""
import os
import re
import subprocess
import sys
import venv

import python_wheel

REQUIREMENTS = ["torch>=2.6", "transformers>=5", "jax>=0.5", "numpy", "expecttest"]
SCRIPTS = ["conformance/torch_samples.py", "conformance/flex_attention.py", "models/jax_attention.py", "python/run.py",
           "models/transformers_models.py"]


def environment(build):
    """The environment's Python, or None."""
    folder = os.path.abspath(os.path.join(build, "models"))
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        print("getting PyTorch, transformers and JAX from PyPI, several gigabytes", flush=True)
        venv.create(folder, with_pip=True)
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                           *REQUIREMENTS], check=False)
    if done.returncode == 0:
        return python
    print(f"test-models: cannot install {', '.join(REQUIREMENTS)} from PyPI; is there a network?",
          file=sys.stderr)
    return None


def run(python, script, package):
    """(passed, failed); shows every case of a model, and of the others what failed."""
    passed = failed = 0
    words = ["test_torch*.py"] if script.endswith("run.py") else []
    with subprocess.Popen([python, "-W", "ignore", os.path.join(python_wheel.ROOT, "tests", script), *words],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=dict(os.environ, PYTHONPATH=package)) as program:
        for line in program.stdout:
            passed += line.startswith("ok ")
            failed += line.startswith("not ok ")
            if line.startswith(("not ok", "#", "1..0")) or script.startswith("models/transformers"):
                print(line, end="", flush=True)
    if program.returncode != 0 and failed == 0:
        print(f"not ok - {script} ended with status {program.returncode}")
        failed = 1
    print(f"{script}: {passed} passed, {failed} failed", flush=True)
    return passed, failed


def main(build, *scripts):
    package = os.path.abspath(os.path.join(build, "package"))
    python_wheel.install_into(python_wheel.build_wheel(build), package)
    python = environment(build)
    if python is None:
        return 77
    totals = [run(python, script, package) for script in scripts or SCRIPTS]
    passed, failed = map(sum, zip(*totals))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
