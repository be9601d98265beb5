#!/usr/bin/python3
"""Runs the golden tests of the qkv command and prints TAP.

    run.py QKV [NAME ...]           runs all cases, or those named
    run.py --accept QKV [NAME ...]  makes what they print now the expectation

README.md beside this file says what a case is. Knows nothing of what qkv computes.
"""

import difflib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases"
SECONDS_AT_MOST = 600  # ends what hangs; a case takes one or two, and more where others are at work
SKIP = 77  # the exit status by which a case says that it cannot run here


def environment(command, folder):
    """What a case sees: qkv and python3 on the path, the oracle to import, nothing of the user."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "qkv").symlink_to(command)
    (programs / "python3").symlink_to("/usr/bin/python3")
    return {
        "QKV_TEST_CASES": os.environ.get("QKV_TEST_CASES", ""),
        "GCOV_ERROR_FILE": os.environ.get("GCOV_ERROR_FILE", ""),  # counters that cannot be written
        "PATH": f"{programs}:/usr/bin:/bin",
        "PYTHONPATH": str(HERE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOURCE_ROOT": str(HERE.parent.parent),
        "MANUAL": str(Path(command).resolve().parent / "qkv.1"),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={HERE.parent}/support/leaks.txt",
    }


def run_case(script, command):
    """The three parts of an outcome by the suffix of the file that holds the expectation."""
    with tempfile.TemporaryDirectory(prefix="qkv-cli-") as name:
        work = Path(name) / "work"
        work.mkdir()
        outcome = subprocess.run(
            ["/bin/sh", "-eu", str(script)],
            cwd=work,
            env=environment(command, Path(name)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_AT_MOST,
            check=False,
        )
    return {
        ".stdout": outcome.stdout.decode("utf-8", "backslashreplace"),
        ".stderr": outcome.stderr.decode("utf-8", "backslashreplace"),
        ".exit": f"{outcome.returncode}\n",
    }


def default(suffix):
    return "0\n" if suffix == ".exit" else ""


def expectation(script, suffix):
    path = script.with_suffix(suffix)
    return path.read_text(encoding="utf-8") if path.exists() else default(suffix)


def differences(script, outcome):
    """Lines of a diff from what was expected to what came; none when they are the same."""
    lines = []
    for suffix, got in outcome.items():
        lines += difflib.unified_diff(
            expectation(script, suffix).splitlines(),
            got.splitlines(),
            f"expected {script.stem}{suffix}",
            f"got {script.stem}{suffix}",
            lineterm="",
        )
        if not lines and got != expectation(script, suffix):
            lines.append(f"{suffix}: differs in its line ends alone")
    return lines


def accept(script, outcome):
    for suffix, got in outcome.items():
        path = script.with_suffix(suffix)
        if got != default(suffix):
            path.write_text(got, encoding="utf-8")
        elif path.exists():
            path.unlink()


def report(number, script, command, accepting):
    """Runs and prints one case; whether it passed."""
    try:
        outcome = run_case(script, command)
    except subprocess.TimeoutExpired:
        print(f"not ok {number} - {script.stem}\n# ran longer than {SECONDS_AT_MOST} seconds")
        return False
    if outcome[".exit"] == f"{SKIP}\n":
        print(f"ok {number} - {script.stem} # SKIP {outcome['.stderr'].strip()}")
        return True
    if accepting:
        accept(script, outcome)
    lines = differences(script, outcome)
    print(f"{'not ok' if lines else 'ok'} {number} - {script.stem}")
    for line in lines:
        print(f"# {line}")
    return not lines


def orphans(scripts):
    """Expectations that belong to no case: what remains of a case renamed or removed."""
    return [path.name for path in sorted(CASES.iterdir()) if path.with_suffix(".sh") not in scripts]


def main(words):
    accepting = words[:1] == ["--accept"]
    words = words[1:] if accepting else words
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    command = Path(words[0]).resolve()
    scripts = sorted(CASES.glob("*.sh"))
    chosen = [script for script in scripts if not words[1:] or script.stem in words[1:]]
    print(f"1..{len(chosen) + 1}")
    passed = [report(i + 1, chosen[i], command, accepting) for i in range(len(chosen))]
    stray = orphans(scripts)
    print(f"{'not ok' if stray else 'ok'} {len(chosen) + 1} - every expectation has a case")
    for name in stray:
        print(f"# {name}")
    return 0 if all(passed) and not stray else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
