#!/usr/bin/python3
"""Files that fail: system calls with an error or a short transfer, truncated inputs, full devices,
readers that have gone away, folders without permission, files that shrink while they are read, and
signals that end the command at any of its calls. Prints TAP.

    failing_files.py QKV SHIM [STEP]

SHIM is fail_calls.c, to be preloaded; STEP takes one call and one length in so many. command.py says
what is run, and what must hold of a run that failed.
"""

import errno
import os
import pwd
import random
import signal
import subprocess
import sys

import command
import tap

# What can happen to a call, and how the command may put it.
CALLS = {
    "read": [errno.EIO, errno.EINTR, "short"],
    "write": [errno.ENOSPC, errno.EIO, errno.EPIPE, errno.EINTR, "short",
              f"lasting {errno.ENOSPC}"],
    "writev": [errno.ENOSPC],
    "openat": [errno.EMFILE, errno.EACCES],
    "newfstatat": [errno.EIO],
    "mmap": [errno.ENOMEM],
    "fsync": [errno.EIO],
    "rename": [errno.EACCES, errno.EXDEV],
    "fchmod": [errno.EPERM],
    "lseek": [errno.EIO],
    "close": [errno.EIO],
    "ftruncate": [errno.EIO],
}
# A file of numbers is read twice, by the engines and by the second reading of the document. Where the
# latter cannot, the verdict is withheld, and says so.
UNTRIED = b"cannot be tried on an example"
UNSEEN = ("help", "help of a subcommand", "version", "plot png", "plot pdf")
NO_FILTER = 77
EARLIER = "cannot write: an earlier write failed"  # whose reason stdio has forgotten


def reasons(how):
    if how == "short":
        return []
    number = int(str(how).split()[-1])
    return [os.strerror(number), "out of memory", EARLIER]


class Test(tap.Cases):
    def __init__(self, words):
        self.folder = command.Folder(words[0])
        self.shim = os.path.abspath(words[1])
        self.step = int(words[2]) if len(words) > 2 else 1
        self.log, self.runs = self.folder.path + ".log", 0
        self.random = random.Random(7)

    # ---- Calls that fail ----------------------------------------------------------------------

    def run(self, use, call, at, how, **more):
        environment = {"LD_PRELOAD": self.shim, "QKV_FAIL_LOG": self.log, "QKV_FAIL_CALL": call,
                       "QKV_FAIL_AT": str(at), "QKV_FAIL_HOW": str(how), **more}
        self.folder.prepare(use)
        return self.folder.run(use, environment)

    def count(self, use, call):
        """(how many such calls an undisturbed run makes, the run)"""
        whole = self.run(use, call, 0, 0)
        with open(self.log, encoding="utf-8") as file:
            word, _, number = file.read().partition(" ")
        return int(number) if word == "made" else 0, whole

    def calls(self):
        """All kinds of call; of a sample, three of them."""
        return list(CALLS) if self.step == 1 else self.random.sample(list(CALLS), 3)

    def fail_calls(self, use):
        faults, made_all = [], 0
        for call in self.calls():
            hows = CALLS[call]
            made, whole = self.count(use, call)
            for at in range(1 + self.random.randrange(self.step), made + 1, self.step):
                for how in hows:
                    got = self.run(use, call, at, how)
                    made_all += 1
                    wrong = self.judge_call(use, whole, got, how)
                    faults.append(wrong and f"{call} {at}, {how}: {wrong}")
        self.runs += made_all
        self.report(f"{use.name}: {made_all} calls failed", faults)

    def judge_call(self, use, whole, got, how):
        if how == "short":
            return "" if got.same(whole) else f"a short transfer matters: status {got.status}" + \
                command.tail(got.err)
        if UNTRIED in got.out and got.status == 1 and got.files == whole.files:
            return ""
        return command.judge(use, whole, got, reasons(how))

    # ---- Signals ------------------------------------------------------------------------------

    def end_early(self, use):
        """A signal before any of the last calls, when outputs are written: they are old or whole, and there is
        nothing beside them; with files that have no name, and on systems without."""
        faults = []
        made, whole = self.count(use, "any")
        for more in ({}, {"QKV_FAIL_UNNAMED": "1"}):
            for at in range(max(1, made - 60) + self.random.randrange(self.step), made + 3, self.step):
                number = self.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
                got = self.run(use, "any", at, f"signal {int(number)}", **more)
                left = set(got.files) - set(whole.files)
                changed = [path for path in use.writes if path in whole.files and
                           got.files.get(path) not in (command.OLD, None, whole.files[path])]
                faults.append((got.status not in (-number, whole.status) and f"call {at}: status {got.status}") or
                              (left and f"call {at}: {min(left)} was left behind") or
                              (changed and number != signal.SIGINT and f"call {at}: {changed[0]} is not whole"))
                self.runs += 1
        self.report(f"{use.name}, ended by signals", faults)

    # ---- Inputs that end too early --------------------------------------------------------------

    def truncate(self, use, name, must_fail):
        """Every proper beginning of an input; refused if any byte of it counts."""
        contents, faults = self.folder.inputs[name], []
        self.folder.prepare(use)
        whole = self.folder.run(use, {})
        for length in range(self.random.randrange(self.step), len(contents), self.step):
            self.folder.inputs[name] = contents[:length]
            self.folder.prepare(use)
            got = self.folder.run(use, {})
            self.runs += 1
            if got.status < 0 or (must_fail and got.status != 2):
                faults.append(f"{length} bytes: status {got.status}" + command.tail(got.err))
            elif must_fail and (got.err.count(b"\n") != 1 or got.err == b"\n"):
                faults.append(f"{length} bytes: not one line: {got.err!r}")
            elif got.status == 2 and any(got.files[path] not in (command.OLD, whole.files[path])
                                         for path in use.writes if path.endswith(".npy")):
                faults.append(f"{length} bytes: an output was changed")
        self.folder.inputs[name] = contents
        self.report(f"{name}, cut at every length, for {use.name}", faults)

    # ---- Outputs that take nothing --------------------------------------------------------------

    def full_output(self, use):
        """Standard output on a full device, and a reader that has gone away."""
        self.folder.prepare(use)
        whole = self.folder.run(use, {})
        with open("/dev/full", "wb") as full:
            self.folder.prepare(use)
            got = self.folder.run(use, {}, stdout=full)
        faults = []
        if whole.out:
            faults.append(command.judge(use, whole, got, [os.strerror(errno.ENOSPC), EARLIER]))
        gone, end = os.pipe()
        os.close(gone)
        self.folder.prepare(use)
        got = self.folder.run(use, {}, stdout=end)
        os.close(end)
        self.runs += 2
        if got.status == -signal.SIGPIPE:
            got.status, got.err = 2, os.strerror(errno.EPIPE).encode() + b"\n"
        if whole.out:
            faults.append(command.judge(use, whole, got, [os.strerror(errno.EPIPE), EARLIER]))
        self.report(f"{use.name} on a full device, and without a reader", faults)

    def full_files(self, use):
        """The files to write are links to a full device."""
        self.folder.prepare(use, old=False)
        for name in use.writes:
            path = os.path.join(self.folder.path, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink("/dev/full", path)
        got = self.run_links(use)
        told = any(reason.encode() in got.stderr for reason in (os.strerror(errno.ENOSPC), EARLIER))
        bad = got.returncode != 2 or not told
        links = all(os.path.islink(os.path.join(self.folder.path, name)) for name in use.writes)
        self.runs += 1
        self.report(f"{use.name} into a full device", [
            bad and f"status {got.returncode}" + command.tail(got.stderr),
            not links and "a link was replaced"])

    def run_links(self, use, **how):
        stdin = None if use.stdin is None else open(os.path.join(self.folder.path, use.stdin), "rb")
        try:
            return subprocess.run([self.folder.command, *use.words], cwd=self.folder.path,
                                  stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=600, check=False, **how)
        finally:
            if stdin is not None:
                stdin.close()

    # ---- Permissions ------------------------------------------------------------------------------

    def read_only(self, use):
        """A folder in which nothing may be created; as another user where this one is root."""
        name = f"{use.name} in a folder without permission"
        how = {}
        if os.geteuid() == 0:
            try:
                how = {"user": pwd.getpwnam("nobody").pw_uid}
            except KeyError:
                self.report(name, [], "there is no user but root")
                return
        self.folder.prepare(use, old=False)
        os.chmod(self.folder.path, 0o555)
        try:
            got = self.run_links(use, **how)
        finally:
            os.chmod(self.folder.path, 0o755)
        left = [path for path in os.listdir(self.folder.path) if path not in self.folder.inputs]
        denied = os.strerror(errno.EACCES).encode() in got.stderr
        self.runs += 1
        self.report(name, [
            (got.returncode != 2 or not denied) and f"status {got.returncode}" + command.tail(got.stderr),
            left and f"{left[0]} was left behind"])

    # ---- Files that change --------------------------------------------------------------------------

    def shrinking(self):
        """The queries shrink while the command waits for its standard input; so do the keys."""
        use = command.Use("", "attend --query q.npy --key k.npy --value - -o c.npy", ["c.npy"])
        faults = []
        for name, length in (("q.npy", 0), ("k.npy", 1), ("k.npy", 130)):
            self.folder.prepare(use)
            run = subprocess.Popen([self.folder.command, *use.words], cwd=self.folder.path,
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for_read(run)
            os.truncate(os.path.join(self.folder.path, name), length)
            _, err = run.communicate(self.folder.inputs["v.npy"], timeout=600)
            files = self.folder.contents()
            # Its pages may be in memory still: then the contents are the old ones, or zeros.
            if run.returncode not in (0, 2) or (run.returncode == 2 and b"changed" not in err):
                faults.append(f"{name} to {length} bytes: status {run.returncode}" + command.tail(err))
            elif run.returncode == 2 and files["c.npy"] != command.OLD:
                faults.append(f"{name} to {length} bytes: an output was changed")
            if set(files) - set(self.folder.inputs) - {"c.npy"}:
                faults.append("a file was left behind")
            self.runs += 1
        self.report("a file that shrinks while it is read", faults)


def wait_for_read(run):
    """Until the command waits for its standard input, and so has opened its files."""
    while run.poll() is None:
        with open(f"/proc/{run.pid}/syscall", encoding="ascii") as file:
            words = file.read().split()
        if words[:2] in (["0", "0x0"], ["63", "0x0"]):  # read, by the numbers of x86-64 and of ARM
            return


def main(words):
    test = Test(words)
    uses = [use for use in command.USES if use.name not in UNSEEN]
    writing = [use for use in uses if use.writes]
    cut = [("attend files", "q.npy", True), ("attend safetensors", "all.safetensors", True),
           ("attend input", "q.npy", True), ("check text", "numbers.qkv", False),
           ("check text", "answers.md", False), ("check text", "keys.csv", False)]
    print(f"1..{2 * len(uses) + 3 * len(writing) + len(cut) + 1}")
    try:
        probe = test.run(uses[0], "read", 0, 0)
        for use in uses:
            if probe.status == NO_FILTER:
                test.report(use.name, [], "the system allows no filter of system calls")
            else:
                test.fail_calls(use)
            test.full_output(use)
        for use in writing:
            if probe.status == NO_FILTER:
                test.report(f"{use.name}, ended by signals", [], "the system allows no filter of system calls")
            else:
                test.end_early(use)
            test.full_files(use)
            test.read_only(use)
        for name, path, must_fail in cut:
            test.truncate(next(use for use in uses if use.name == name), path, must_fail)
        test.shrinking()
    finally:
        test.folder.remove()
        if os.path.exists(test.log):
            os.unlink(test.log)
    print(f"# {test.runs} runs with a fault")
    return 0 if test.good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
