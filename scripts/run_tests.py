#!/usr/bin/python3
"""Builds several folders, runs their tests, and adds up the cases.

    run_tests.py [OPTION ...] [FOLDER[:SUITES] ...]

SUITES are Meson's, by commas; one with a minus in front is left out. All folders are built first,
each whole. Then the tests run, as many at a time as there are processors. Each line says how much
time is left, by what the tests took the last time, or by what has run so far.

    --part=FOLDER:SUITES     a folder of which only what these tests need is built
    --then=NAME=COMMAND      runs afterwards, by itself, and shows what it prints; it passes with
                             status 0, and could not run with status 77
    --left-out=TEXT          something that the caller could not have run, and why
    --remark=TEXT            the line before the last

A test speaks TAP, where a case counts as one, or only passes or fails. One that fails without a
failed case counts as one failure. Output of what failed is shown. At the end come the cases that were
skipped, and what was left out, so that nothing is missing unseen. The last line is "N passed, N
failed". An interrupt ends everything that was begun, at once.
"""
import collections
import ctypes
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import build

CASE = re.compile(r"^(not )?ok\b[^\n#]*(#\s*skip)?", re.IGNORECASE | re.MULTILINE)
SKIPPED = re.compile(r"^ok\b[^\n#]*#\s*skip\s*([^\n]*)", re.IGNORECASE | re.MULTILINE)
PLAN = re.compile(r"^1\.\.(\d+)", re.MULTILINE)
COULD_NOT_RUN = 77  # an exit status, as automake has it
MAKE_COULD_NOT_RUN = re.compile(r"make(\[\d+\])?: \*\*\* .* Error 77$")
SECONDS_TO_END = 1.0  # that an interrupted test has to clean up

# What takes how long where nothing was recorded: seconds, on one processor.
STEP_SECONDS, TEST_SECONDS, COMMAND_SECONDS = 0.4, 1.5, 120.0


# ---- What there is to do ------------------------------------------------------------------------

class Place:
    """A build folder and those of its tests that were asked for."""

    def __init__(self, text, part):
        self.folder, _, suites = text.partition(":")
        words = [word for word in suites.split(",") if word]
        wanted = {word for word in words if not word.startswith("-")}
        unwanted = {word[1:] for word in words if word.startswith("-")}
        self.tests = []
        for test in self.read("intro-tests.json"):
            suites = {suite.rpartition(":")[2] for suite in test["suite"]}
            if suites & unwanted or (wanted and not suites & wanted):
                continue
            self.tests.append(test)
        self.targets = self.needed() if part else []

    def read(self, name):
        """One of Meson's descriptions of a folder."""
        with open(os.path.join(self.folder, "meson-info", name), encoding="utf-8") as file:
            return json.load(file)

    def needed(self):
        """The files that the tests need, as ninja calls them."""
        ids = {target for test in self.tests for target in test["depends"]}
        top = os.path.abspath(self.folder)
        return sorted({os.path.relpath(name, top) for target in self.read("intro-targets.json")
                       if target["id"] in ids for name in target["filename"]})


class Record:
    """How long everything took the last time, kept in each folder."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "meson-logs", "durations.json")
        try:
            with open(self.path, encoding="utf-8") as file:
                self.seconds = json.load(file)
        except (OSError, ValueError):
            self.seconds = {}

    def keep(self, name, seconds):
        self.seconds[name] = round(seconds, 2)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.seconds, file, indent=0)
        os.replace(self.path + ".new", self.path)


class Forecast:
    """The time left. Every piece of work has a guess in seconds of this machine as a whole; how the
    guesses of what is done compare with the time it took corrects the rest."""

    def __init__(self):
        self.guess, self.done, self.begin = {}, 0.0, time.monotonic()

    def expect(self, key, seconds):
        self.guess[key] = seconds

    def part(self, key, share):
        """A share of a piece is done."""
        whole = self.guess[key]
        return whole * min(max(share, 0.0), 1.0)

    def finish(self, key):
        self.done += self.guess.pop(key)

    def left(self, under_way=()):
        """In words; `under_way` has pairs of keys and shares."""
        part = sum(self.part(key, share) for key, share in under_way if key in self.guess)
        done, rest = self.done + part, sum(self.guess.values()) - part
        elapsed = time.monotonic() - self.begin
        # The guesses weigh like twenty seconds of experience.
        seconds = rest * (elapsed + 20.0) / (done + 20.0)
        return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"


# ---- Running ------------------------------------------------------------------------------------

class Test:
    """One program that is running or has run. Its output goes to files, and it leads a session of its
    own, so that all of it can be ended."""

    def __init__(self, place, test, scratch):
        self.folder, self.test, self.name = place.folder, test, test["name"]
        self.key = (self.folder, self.name)
        self.out, self.err = (tempfile.TemporaryFile(dir=scratch) for _ in range(2))
        self.begin = time.monotonic()
        environment = dict(os.environ, TMPDIR=scratch, MALLOC_PERTURB_="165", **test["env"])
        command = list(test["cmd"])
        wrapper = environment.get("QKV_TEST_WRAPPER")  # an emulator's
        if wrapper and command[0].startswith(os.path.abspath(self.folder) + os.sep):
            command = shlex.split(wrapper) + command
        self.process = subprocess.Popen(command, cwd=test["workdir"] or self.folder, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
                                        start_new_session=True)
        self.timed_out, self.cpu_seconds = False, 0.0

    def seconds(self):
        return time.monotonic() - self.begin

    def is_over(self):
        if not self.reap(os.WNOHANG):
            if self.seconds() < self.test["timeout"]:
                return False
            self.timed_out = True
            self.signal(signal.SIGKILL)
            self.reap(0)
        self.signal(signal.SIGKILL)  # whatever it left behind
        return True

    def reap(self, options):
        """Waits as Popen.wait does, but keeps the CPU time as well: that of the program and of those
        that it waited for."""
        process, status, usage = os.wait4(self.process.pid, options)
        if process == 0:
            return False
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        return True

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def text(self, file):
        file.seek(0)
        return file.read().decode("utf-8", "replace")

    def outcome(self):
        """(passed, failed, skipped) cases, and why it failed as a whole, if it did."""
        status = self.process.returncode
        if self.timed_out:
            why = f"did not end within {self.test['timeout']} s"
        elif status < 0:
            why = f"ended by {signal.Signals(-status).name}"
        else:
            why = f"exit status {status}" if status else ""
        if self.test["protocol"] != "tap":
            skipped = why and status == COULD_NOT_RUN
            return (0, 0, 1, "") if skipped else (0, 1, 0, why) if why else (1, 0, 0, "")
        output = self.text(self.out)
        cases = [(bool(case[1]), bool(case[2])) for case in CASE.finditer(output)]
        failed = sum(bad for bad, _ in cases)
        skipped = sum(skip and not bad for bad, skip in cases)
        plan = PLAN.search(output)
        if not why and (plan is None or int(plan[1]) != len(cases)):
            why = f"{len(cases)} cases, {plan[1] if plan else 'none'} planned"
        return len(cases) - failed - skipped, failed or bool(why), skipped, why


def descendants():
    """The processes below this one, those among them whose parents have died included."""
    children = collections.defaultdict(list)
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                children[int(file.read().rpartition(")")[2].split()[1])].append(int(name))
        except (OSError, ValueError, IndexError):
            continue
    found, front = [], [os.getpid()]
    while front:
        front = [child for parent in front for child in children[parent]]
        found += front
    return found


def adopt_orphans():
    """Makes processes whose parents die children of this one, where Linux is the system: no test can
    then get away by a session of its own."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER
    try:
        ctypes.CDLL(None).prctl(subreaper, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def end_all(running):
    """An interrupt for those who clean up, and death for the rest."""
    for test in running:
        test.signal(signal.SIGINT)
    end = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < end and any(test.process.poll() is None for test in running):
        time.sleep(0.02)
    for test in running:
        test.signal(signal.SIGKILL)
    for _ in range(100):
        left = descendants()
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, os.WNOHANG)
            except OSError:
                pass
        if not left:
            return
        time.sleep(0.02)


# ---- What is told -------------------------------------------------------------------------------

class Report:
    def __init__(self):
        self.totals, self.remarks, self.line = [0, 0, 0], [], build.Line()
        self.begin = time.monotonic()

    def print(self, text):
        self.line.wipe()
        print(text, flush=True)

    def count(self, passed, failed, skipped):
        self.totals = [total + more for total, more in zip(self.totals, (passed, failed, skipped))]

    def add(self, test, left):
        passed, failed, skipped, why = test.outcome()
        self.count(passed, failed, skipped)
        state = "FAILED" if failed else "ok"
        self.print(f"{left:>12}  {state:7}{test.folder:16}{test.name:34}{passed:5} cases "
                   f"{test.seconds():7.1f} s {test.cpu_seconds:7.1f} s of CPU time")
        output = test.text(test.out)
        reasons = collections.Counter(SKIPPED.findall(output))
        self.remarks += [f"skipped in {test.folder}, {test.name}: {number} cases: {reason}"
                         for reason, number in reasons.items()]
        for line in output.splitlines():
            if failed or (line.startswith("# ") and "accuracy" in test.name):
                self.print(f"       | {line}")
        if failed:
            for line in test.text(test.err).splitlines() + [why] * bool(why):
                self.print(f"       ! {line}")

    def end(self, last):
        self.line.wipe()
        print("".join(remark + "\n" for remark in self.remarks + last), end="")
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{time.monotonic() - self.begin:.0f} s, {spent.ru_utime + spent.ru_stime:.0f} s of CPU time")
        passed, failed, skipped = self.totals
        print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""),
              flush=True)
        return 1 if failed or not passed else 0


# ---- Everything ---------------------------------------------------------------------------------

def processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def expect_all(forecast, places, commands, records):
    """Fills the forecast; returns the places in which there is something to build."""
    to_build = []
    for place in places:
        steps = build.steps_to_do(place.folder, place.targets)
        if steps:
            each = records[place.folder].seconds.get("a step of the build", STEP_SECONDS / processors())
            forecast.expect(place.folder, steps * each)
            to_build.append(place)
        for test in place.tests:
            seconds = records[place.folder].seconds.get(test["name"], TEST_SECONDS)
            forecast.expect((place.folder, test["name"]), seconds / processors())
    for name, _ in commands:
        forecast.expect(name, records[places[0].folder].seconds.get("then " + name, COMMAND_SECONDS))
    return to_build


def build_all(places, forecast, report, records):
    """Builds; returns the folders in which that failed."""
    failed = set()
    for place in places:
        begin, steps = time.monotonic(), build.steps_to_do(place.folder, place.targets)

        def told(done, all_steps, folder=place.folder):
            return ", " + forecast.left([(folder, done / all_steps)])

        if build.build(place.folder, place.targets, told) != 0:
            failed.add(place.folder)
            report.count(0, 1, 0)
            report.print(f"{'':14}FAILED {place.folder}: the build; see above")
            for test in place.tests:
                forecast.guess.pop((place.folder, test["name"]))
        elif steps >= build.FEW:
            records[place.folder].keep("a step of the build", (time.monotonic() - begin) / steps)
        forecast.finish(place.folder)
    return failed


def run_tests(places, forecast, report, records, scratch):
    """The longest first, so that none is left for the end."""
    waiting = [(place, test) for place in places for test in place.tests]
    waiting.sort(key=lambda pair: (forecast.guess[pair[0].folder, pair[1]["name"]],
                                   pair[1]["priority"]))
    running = []
    try:
        while waiting or running:
            alone = any(not test.test["is_parallel"] for test in running)
            while waiting and len(running) < processors() and not alone:
                if running and not waiting[-1][1]["is_parallel"]:
                    break
                running.append(Test(*waiting.pop(), scratch))
                alone = not running[-1].test["is_parallel"]
            time.sleep(0.02)
            for test in [test for test in running if test.is_over()]:
                running.remove(test)
                records[test.folder].keep(test.name, test.seconds())
                forecast.finish(test.key)
                shares = under_way(running, forecast)
                report.add(test, forecast.left(shares))
            names = ", ".join(test.name for test in running)
            report.line.show(f"{forecast.left(under_way(running, forecast))}, {len(waiting)} tests "
                             f"waiting; running: {names}")
    except BaseException:
        end_all(running)
        raise


def under_way(running, forecast):
    return [(test.key, test.seconds() / processors() / max(forecast.guess[test.key], 0.1))
            for test in running]


def run_commands(commands, forecast, report, record):
    """Returns what could not run."""
    left_out = []
    for name, command in commands:
        report.print(f"{forecast.left():>12}  {name}: {command}")
        begin = time.monotonic()
        process = subprocess.Popen(shlex.split(command), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", start_new_session=True)
        told = [""]
        try:
            for line in process.stdout:
                share = (time.monotonic() - begin) / max(forecast.guess[name], 1.0)
                report.print(f"{forecast.left([(name, share)]):>12}  | {line.rstrip()}")
                told += [line.strip()] * bool(line.strip())
            status = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(timeout=20 * SECONDS_TO_END)  # it may have much to remove
            except subprocess.TimeoutExpired:
                pass
            end_all([])
            raise
        if status == 2 and MAKE_COULD_NOT_RUN.match(told[-1]):  # make has a status of its own
            status = COULD_NOT_RUN
            told.pop()
        if status == COULD_NOT_RUN:
            left_out.append(f"left out {name}: {told[-1]}")
        else:
            report.count(status == 0, status != 0, 0)
            report.print(f"{'':14}{'FAILED' if status else 'ok':7}{name}{time.monotonic() - begin:9.1f} s")
            record.keep("then " + name, time.monotonic() - begin)
        forecast.finish(name)
    return left_out


def main(words):
    places, commands, left_out, remarks = [], [], [], []
    for word in words:
        option, _, value = word.partition("=")
        if option == "--left-out":
            left_out.append("left out " + value)
        elif option == "--remark":
            remarks.append(value)
        elif option == "--then":
            name, _, command = value.partition("=")
            commands.append((name, command))
        else:
            places.append(Place(value if option == "--part" else word, option == "--part"))
    records = {place.folder: Record(place.folder) for place in places}
    forecast, report = Forecast(), Report()
    adopt_orphans()
    scratch = tempfile.mkdtemp(prefix="qkv-tests-")
    os.chmod(scratch, 0o755)  # some tests become another user
    try:
        to_build = expect_all(forecast, places, commands, records)
        failed = build_all(to_build, forecast, report, records)
        run_tests([place for place in places if place.folder not in failed], forecast, report,
                  records, scratch)
        left_out += run_commands(commands, forecast, report, records[places[0].folder])
    finally:
        report.line.wipe()
        shutil.rmtree(scratch, ignore_errors=True)
    return report.end(left_out + remarks)


def interrupt(number, frame):
    raise KeyboardInterrupt


if __name__ == "__main__":
    # The first also where a shell has begun this in the background, and so had it ignore interrupts:
    # tests would inherit that, and some interrupt what they test.
    for terminating in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(terminating, interrupt)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        sys.exit(130)
