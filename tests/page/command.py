"""The page beside the command: verdicts, derivations, laws and pictures are the same; and, after
all, that there was no request and no error."""
import json
import shutil

from common import OPEN, Page, ROOT, SAME, expect, settled, ulps


class Command(Page):
    def test_checks_equal_the_command(self):
        b = self.browser
        b.open("#view=check")
        for name in SAME:
            shutil.copy(f"{ROOT}/{name}", f"{self.folder}/answers")
            with open(f"{self.folder}/answers", encoding="utf-8") as source:
                text = source.read()
            wanted = self.cli("check", "--json", "answers", folder=self.folder)
            got = b.wait("return window.qkvPage.ask('check', arguments[0], 0, true)", text)
            expect(got.startswith("{"), f"{name}: {got}")
            found = json.loads(got)["report"]["claims"]
            for mine, other in zip(settled(found), settled(json.loads(wanted)["claims"]), strict=True):
                # Draws differ where size_t does, and so may whether an example turns up.
                lucky = "no example was found" in mine.get("reason", "") + other.get("reason", "")
                expect(mine == other or lucky, f"{name}: {mine} instead of {other}")
            expect(got.startswith('{"complaints": []'), f"{name}: {got[:200]}")

    def test_large_numbers_equal_the_command(self):
        """Words of WebAssembly have 32 bits, numbers of documents 64."""
        b = self.browser
        b.open("#view=check")
        text = """given x >= 0, n >= 2
claim: 9007199254740993/4294967297 > 2097151
claim: 4611686018427387904*x + e^(-x) > 1/8589934592
claim: e^(x + 4294967296/4294967295) >= 2718281828459/1000000000000
find least x: e^x >= 123456789012345
claim: 6442450944*x^2 - 6442450943*x + 1610612736 >= 0
claim: ln(12884901891) > 23.279
keys k = [[5000000000, 1], [1, 7000000000]]
values v = [[3], [9000000000]]
q = [1/2500000000, 0]
c = attend(q, k, v)
claim: c.weight[1] = 0.8808 within 0.0001
claim: c.weight[1] > 4294967296/4876147123
"""
        with open(f"{self.folder}/answers", "w", encoding="utf-8") as target:
            target.write(text)
        wanted = self.cli("check", "--json", "answers", folder=self.folder)
        got = b.wait("return window.qkvPage.ask('check', arguments[0], 0, true)", text)
        start = got.index('"report": ') + len('"report": ')
        expect(got[start:-1] == wanted, f"{got}\n{wanted}")
        expect(wanted.count('"engine": "ball"') >= 4, wanted)

    def test_what_the_page_lacks_it_leaves_open(self):
        b = self.browser
        b.open("#view=check")
        left = 0
        for name in OPEN:
            shutil.copy(f"{ROOT}/{name}", f"{self.folder}/answers")
            with open(f"{self.folder}/answers", encoding="utf-8") as source:
                text = source.read()
            wanted = json.loads(self.cli("check", "--json", "answers", folder=self.folder))["claims"]
            got = b.wait("return window.qkvPage.ask('check', arguments[0])", text)["report"]["claims"]
            expect(len(got) == len(wanted), name)
            for x, y in zip(got, wanted):
                left += x["verdict"] == "undecided" != y["verdict"]
                expect(x["verdict"] in (y["verdict"], "undecided"), f"{name}:{x['line']}: {x['verdict']}, not {y['verdict']}")
        expect(left < 40, f"{left} claims are left open")

    def test_derivations_equal_the_command(self):
        b = self.browser
        b.open("#view=check")
        with open(f"{ROOT}/examples/mistakes.md", encoding="utf-8") as source:
            text = source.read()
        shutil.copy(f"{ROOT}/examples/mistakes.md", f"{self.folder}/answers")
        for line in (22, 39, 41):
            wanted = self.cli("explain", "--json", "answers", str(line), folder=self.folder, status=(0, 1, 2))
            if not wanted:
                continue
            got = b.wait("return window.qkvPage.ask('explain', arguments[0], arguments[1], true)", text, line)
            start = got.index('"report": ') + len('"report": ')
            expect(got[start:-1] == wanted, f"line {line}: not the same bytes")

    def test_laws_equal_the_command(self):
        b = self.browser
        b.open("")
        designs, worst = {"single": 1, "heads": 2, "immune": 3}, 0
        for design, code in designs.items():
            for keys in (2, 3, 10, 1000):
                for beta in (0.5, 2, 10, 40):
                    told = json.loads(self.cli("law", "--head", design, "--keys", str(keys), "--beta", str(beta), "--json"))
                    got = b.run("""const { engine } = window.qkvPage.page;
                        engine.call('law', ...arguments); return [...engine.results(10)]""", code, keys, 2, beta, 0.5, 0.01)
                    for name, value in (("location", got[7]), ("scale", got[8]), ("query_norm", got[9])):
                        worst = max(worst, ulps(value, told[name]))
                    for name, value in (("mean", got[0]), ("leak", got[3]), ("failure", got[6])):
                        worst = max(worst, ulps(value, told[name]["value"]))
                    # Differences of integrals, in which last places count for more: law.h promises 1e-12.
                    for i, name in enumerate(("mean", "variance", "covariance", "leak", "bias", "error", "failure")):
                        low, high = told[name]["lower"], told[name]["upper"]
                        expect(low - 1e-12 <= got[i] <= high + 1e-12, f"{design} {keys} {beta} {name}: {got[i]} in {low}, {high}")
        expect(worst <= 1, f"{worst} ulp")

    def test_pictures_equal_the_command(self):
        b = self.browser
        b.open("")
        cases = [("key", [], []), ("weights", [3, 10], []), ("law", [2], [1, 4]), ("fall", [10], [10]),
                 ("error", [10], []), ("diagram", [], [3]), ("permutation", [], [])]
        for name, keys, betas in cases:
            options = ["--width", "600"]
            if keys:
                options += ["--keys", ",".join(map(str, keys))]
            if betas:
                options += ["--beta", ",".join(map(str, betas))]
            if name in ("law", "fall"):
                options += ["--samples", "20000"]
            self.cli("plot", name, *options, "-o", "wanted.svg", folder=self.folder)
            with open(f"{self.folder}/wanted.svg", encoding="utf-8") as source:
                wanted = source.read()
            got = b.run("""const { engine } = window.qkvPage.page, [name, keys, betas] = arguments;
                engine.tell(name);
                engine.give([0.5, 0, 20000, ...keys, ...betas]);
                engine.call('picture', false, 600, keys.length, betas.length); return engine.answer()""", name, keys, betas)
            expect(got == wanted, f"{name}: not the same bytes")

    def test_there_was_no_request_and_no_error(self):
        self.browser.collect()
        strange = [url for url in self.browser.requests
                   if not url.startswith(("blob:", "data:", "about:", self.browser.page, f"file://{self.folder}/report.html"))]
        expect(strange == [], f"requests: {strange}")
        expect(len(self.browser.requests) > 20, "requests were not seen")
        expect(self.browser.messages == [], str(self.browser.messages))
