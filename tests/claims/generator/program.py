"""The program under test: documents in, answers per claim out. A crash, a hang or a broken answer is an
error of its own."""

import json
import os
import resource
import signal
import subprocess
import tempfile

SECONDS_FOR_A_CLAIM = 20  # of CPU time: how busy the machine is does not matter
# 0: all as expected, 1: claims that are not, 2: mistakes in the text, 3: engines disagree.
STATUSES = (0, 1, 2, 3)


class Program:
    def __init__(self, command):
        self.command, self.troubles = os.path.abspath(command), []
        self.folder = tempfile.TemporaryDirectory()

    def check(self, problems):
        """For each problem, the answers to its claims in order (None: a mistake in the text)."""
        texts, files, first, places = [], {}, 1, []
        for problem in problems:
            texts.append(problem.text())
            places.append([first + place for place in problem.places()])
            first += texts[-1].count("\n") + 1
            files.update(problem.files)
        claims = sum(len(problem.claims) for problem in problems)
        found, _ = self.answer("\n".join(texts), files, SECONDS_FOR_A_CLAIM + claims)
        if found is not None:
            return [[found.get(line) for line in lines] for lines in places]
        if len(problems) == 1:
            return [self.one_by_one(problems[0])]
        middle = len(problems) // 2
        return self.check(problems[:middle]) + self.check(problems[middle:])

    def one_by_one(self, problem):
        """After trouble: each claim of the problem alone."""
        answers = []
        for claim in problem.claims:
            found, trouble = self.answer(problem.text([claim]), problem.files, SECONDS_FOR_A_CLAIM)
            answers.append(found[max(found)] if found else None)
            if found is None:
                self.troubles.append((problem, claim, trouble))
        return answers

    def answer(self, text, files, seconds):
        """The answers by line; None after a crash or a hang, with the trouble in words."""
        path = self.write("document.qkv", text + "\n")
        paths = [self.write(name, content) for name, content in files.items()]
        done = subprocess.run(
            [self.command, "check", "--json", path],
            capture_output=True,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # threads at its start cost more than many a claim
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)),
        )
        for extra in paths:
            os.remove(extra)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return None, f"no answer within {seconds} s of CPU time"
        if done.returncode not in STATUSES:
            return None, f"ended with status {done.returncode}"
        try:
            return {claim["line"]: claim for claim in json.loads(done.stdout)["claims"]}, ""
        except (ValueError, KeyError):
            return None, "the answer is no JSON"

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(content)
        return path
