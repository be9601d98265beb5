#!/usr/bin/python3
"""Builds the Python package's wheel, and puts it where it can be tried.

    python_wheel.py BUILD                  the wheel, into BUILD/dist
    python_wheel.py BUILD --into FOLDER    and its contents into FOLDER, for PYTHONPATH
    python_wheel.py BUILD --venv FOLDER    and installed in a fresh virtual environment there

BUILD is a build folder whose library is built: the wheel links it, so that nothing is compiled
twice. Where it is not built, the wheel compiles its own, as `pip install .` does. Uses the packages
of this Python alone, no network. Prints the path of the wheel.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def quietly(command, **options):
    """What it prints is shown only if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        sys.exit(f"python_wheel.py: failed: {' '.join(command)}")


def pip(*words):
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir", *words]


def source(folder):
    """The project as this Python's meson-python takes it. Before 0.13 it knows no limited-api, and sees
    by itself that a module is for every Python: it gets links to the project, without that line."""
    known = subprocess.run([sys.executable, "-c", "import mesonpy; assert mesonpy.__version__ < '0.13'"],
                           stderr=subprocess.DEVNULL, check=False).returncode != 0
    if known:
        return ROOT
    for name in os.listdir(ROOT):
        if not name.startswith((".", "build")) and name != "pyproject.toml":
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, "pyproject.toml"), "w", encoding="utf-8") as file:
        file.write(text.replace("[tool.meson-python]\nlimited-api = true\n", ""))
    return folder


def build_wheel(build):
    """The path of the wheel."""
    library = os.path.join(os.path.abspath(build), "src", "libqkv_all.a")
    settings = [f"--config-settings=setup-args=-Dprebuilt={library}"] if os.path.exists(library) else []
    target = os.path.join(build, "dist")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as links:
        quietly(pip("wheel", source(links), "--no-build-isolation", "--no-deps", "--no-index",
                    "--wheel-dir", folder, *settings))
        wheel, = glob.glob(os.path.join(folder, "*.whl"))
        os.makedirs(target, exist_ok=True)
        for old in glob.glob(os.path.join(target, "qkv-*.whl")):
            os.remove(old)
        return shutil.move(wheel, os.path.join(target, os.path.basename(wheel)))


def install_into(wheel, folder):
    shutil.rmtree(folder, ignore_errors=True)
    quietly(pip("install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel))


def install_in_venv(wheel, folder):
    """A fresh one, which sees the system's packages, as Debian's users have them."""
    shutil.rmtree(folder, ignore_errors=True)
    quietly([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder])
    python = os.path.join(folder, "bin", "python")
    quietly([sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python,
             "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", wheel])
    return python


def main(words):
    if len(words) not in (1, 3) or words[1:2] not in ([], ["--into"], ["--venv"]):
        sys.exit("python_wheel.py: expected BUILD [--into FOLDER | --venv FOLDER]")
    wheel = build_wheel(words[0])
    if words[1:2] == ["--into"]:
        install_into(wheel, words[2])
    elif words[1:2] == ["--venv"]:
        install_in_venv(wheel, words[2])
    print(wheel)


if __name__ == "__main__":
    main(sys.argv[1:])
