#!/usr/bin/python3
"""Builds Debian packages of what is in a build folder, without debhelper.

    debian_packages.py BUILD

    libqkv0     the library of the operator
    libqkv-dev  headers, static library, pkg-config, CMake, section 3 of the manual
    qkv         the command, the library of the checker, completions, the manual page

They go into BUILD/dist; dpkg-shlibdeps finds what they depend on. Prints their paths.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAINTAINER = "the qkv project <qkv@localhost>"
PACKAGES = {
    "libqkv0": ("libs", "attention, computed exactly as defined: the library",
                [r"usr/lib/[^/]+/libqkv\.so\.\d"]),
    "libqkv-dev": ("libdevel", "attention, computed exactly as defined: for programs that use it",
                   [r"usr/include/.*", r"usr/lib/[^/]+/libqkv\.(so|a)$", r"usr/lib/[^/]+/libqkv_check\.so$",
                    r"usr/lib/[^/]+/(pkgconfig|cmake)/.*", r"usr/share/man/man3/.*"]),
    "qkv": ("science", "a workbench for attention: compute it, check claims about it, see it",
            [r"usr/bin/.*", r"usr/lib/[^/]+/libqkv_check\.so\.\d", r"usr/share/.*"]),
}


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout.strip()


def stage(folder):
    """Everything, as under /usr; in a build folder of its own, since the user's keeps its prefix."""
    architecture = output("dpkg-architecture", "-qDEB_HOST_MULTIARCH")
    staged = os.path.join(folder, "build")
    subprocess.run(["meson", "setup", staged, ROOT, "--prefix=/usr", f"--libdir=lib/{architecture}",
                    "-Dtests=disabled", "-Dpython=disabled", "-Dcuda=disabled",
                    "-Dmpi=disabled"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "build.py"), staged], check=True)
    target = os.path.join(folder, "all")
    subprocess.run(["meson", "install", "-C", staged, "--no-rebuild", "--quiet"], check=True,
                   env=dict(os.environ, DESTDIR=target), stdout=subprocess.DEVNULL)
    return target


def share_out(everything, folder):
    """Each file into the package that claims it first."""
    left = [os.path.relpath(os.path.join(path, name), everything)
            for path, _, names in os.walk(everything) for name in names]
    for package, (_, _, patterns) in PACKAGES.items():
        for name in [name for name in left if any(re.match(pattern, name) for pattern in patterns)]:
            to = os.path.join(folder, package, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.move(os.path.join(everything, name), to)
            left.remove(name)
    assert not left, left


def dependencies(folder, package, version):
    """By dpkg-shlibdeps, which wants a debian/control beside what it looks at."""
    files = [os.path.join(path, name) for path, _, names in os.walk(os.path.join(folder, package))
             for name in names if not os.path.islink(os.path.join(path, name))]
    programs = [path for path in files if open(path, "rb").read(4) == b"\x7fELF"]
    own = [f"libqkv0 (= {version})", f"qkv (= {version})"] if package == "libqkv-dev" else []
    if not programs:
        return own
    os.makedirs(os.path.join(folder, "debian"), exist_ok=True)
    with open(os.path.join(folder, "debian", "control"), "w", encoding="utf-8") as file:
        file.write(f"Source: qkv\n\nPackage: {package}\nArchitecture: any\n")
    found = output("dpkg-shlibdeps", "-O", "--ignore-missing-info", *programs, cwd=folder)
    return own + re.sub("^shlibs:Depends=", "", found).split(", ")


def build_package(folder, package, version, target):
    section, summary, _ = PACKAGES[package]
    root = os.path.join(folder, package)
    depends = dependencies(folder, package, version)
    architecture = output("dpkg", "--print-architecture")
    os.makedirs(os.path.join(root, "DEBIAN"))
    words = {"Package": package, "Source": "qkv", "Version": version, "Architecture": architecture,
             "Maintainer": MAINTAINER, "Section": section, "Priority": "optional",
             "Depends": ", ".join(filter(None, depends)), "Description": summary}
    with open(os.path.join(root, "DEBIAN", "control"), "w", encoding="utf-8") as file:
        file.writelines(f"{name}: {value}\n" for name, value in words.items() if value)
    if package == "libqkv0":
        with open(os.path.join(root, "DEBIAN", "triggers"), "w", encoding="utf-8") as file:
            file.write("activate-noawait ldconfig\n")
    path = os.path.join(target, f"{package}_{version}_{architecture}.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def main(build):
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as file:
        version = re.search(r"version: '(.*?)'", file.read())[1]
    target = os.path.abspath(os.path.join(build, "dist"))
    os.makedirs(target, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        share_out(stage(folder), folder)
        for package in PACKAGES:
            print("built", os.path.relpath(build_package(folder, package, version, target)))


if __name__ == "__main__":
    main(sys.argv[1])
