#!/usr/bin/python3
"""Breaks the second reading of a document (src/replay) in one place at a time, and sees whether a test notices.

Each mutant flips one comparison, drops one condition of an && or ||, or leaves one premise out. It is built
in a copy of the sources, and the unit tests of the second reading and the documents whose verdicts are known are
run. A mutant that none of them notices survives, and is printed: it points at a test that is missing, or at code that does not matter.

Usage: replay.py SOURCE [COUNT [SEED]]. COUNT mutants are drawn; 0 means all of them.
"""

import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FLIPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "}
SECONDS_AT_MOST = 120


def code_lines(text):
    """Line numbers of code: no comments, declarations of constants, or preprocessor."""
    inside = False
    for number, line in enumerate(text.split("\n")):
        stripped = line.strip()
        if stripped.startswith("/*"):
            inside = "*/" not in stripped
            continue
        if inside:
            inside = "*/" not in stripped
            continue
        if stripped and not stripped.startswith(("#", "//", "static const", "enum")):
            yield number, line


def mutants_of(path):
    """(line, column, old, new) for every place that can be broken."""
    for number, line in code_lines(path.read_text()):
        code = re.sub(r'"[^"]*"', lambda m: "_" * len(m.group()), line.split("/*")[0])
        loop = code.strip().startswith("for (")
        for old, new in FLIPS.items():
            for match in re.finditer(re.escape(old), code):
                # The bound of a counting loop: one step more reads beyond the end, which is no test of meaning.
                if loop and old in (" < ", " <= ") and code.count(";") == 2:
                    continue
                if "NULL" in code[match.end() : match.end() + 6]:  # whether something is there
                    continue
                yield number, match.start(), old, new
        for match in re.finditer(r"if \(!?(\w[\w>.\-\[\]]*\([^()]*\)) && ", code):
            yield number, match.start(1), match.group(1), "true"
        if re.match(r"\s*\*given = both\(\*given, part\);", code):
            yield number, code.index("*given = both"), "*given = both(*given, part);", "(void)part;"


def run(command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_AT_MOST, **options)
    except subprocess.TimeoutExpired:
        return None


def unit_tests(source):
    return [f"tests/{path.stem}" for path in sorted((source / "tests/unit/replay").glob("test_*.c"))]


def verdicts(qkv, source):
    """Whether the unit tests pass, every document has the verdicts that it expects, none is disputed, and as
    many as before are replayed."""
    for name in unit_tests(source):
        unit = run([str(qkv.parent / name)])
        if unit is None or unit.returncode != 0:
            return False
    replayed = run([sys.executable, str(source / "tests/claims/replayed.py"), str(qkv), str(source)])
    return replayed is not None and replayed.returncode == 0


def main():
    source = Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        copy, build = Path(folder) / "source", Path(folder) / "build"
        files = subprocess.run(["git", "-C", str(source), "ls-files"], capture_output=True, text=True, check=True)
        for name in files.stdout.split("\n"):
            if name and not name.startswith("docs/pictures"):
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source / name, copy / name)
        setup = ["meson", "setup", str(build), str(copy), "-Dpython=disabled", "-Dcuda=disabled",
                 "-Dbuildtype=plain", "-Dc_args=-O1 -DNDEBUG"]
        assert run(setup).returncode == 0, "meson setup failed"
        qkv = build / "qkv"
        targets = ["ninja", "-C", str(build), "qkv", *unit_tests(copy)]
        assert subprocess.run(targets, capture_output=True).returncode == 0
        assert verdicts(qkv, copy), "the documents do not pass as they are"
        everything = [(path, *m) for path in sorted((copy / "src/replay").glob("*.c")) for m in mutants_of(path)]
        chosen = everything if count == 0 else random.Random(seed).sample(everything, min(count, len(everything)))
        print(f"1..{len(chosen)}", flush=True)
        survived = 0
        for at, (path, number, column, old, new) in enumerate(chosen, 1):
            text = path.read_text()
            lines = text.split("\n")
            line = lines[number]
            assert line[column : column + len(old)] == old
            lines[number] = line[:column] + new + line[column + len(old) :]
            path.write_text("\n".join(lines))
            built = run(targets)
            killed = built is None or built.returncode != 0 or not verdicts(qkv, copy)
            path.write_text(text)
            survived += not killed
            where = f"{path.relative_to(copy)}:{number + 1}: {old.strip()} -> {new.strip()}"
            print(f"{'ok' if killed else 'not ok'} {at} - {where}" + ("" if killed else f"\n# {line.strip()}"), flush=True)
        print(f"# {len(chosen) - survived} of {len(chosen)} mutants noticed, of {len(everything)} that there are")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
