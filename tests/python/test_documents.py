"""Claims, samples and laws: what they say, how they fail, and what a notebook shows of them."""
import html.parser
import math
import os
import pathlib
import pickle
import signal
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import numpy as np
import qkv
from qkv._documents import Report, Step

TWO = """given  n >= 3
keys   k[1..n] orthonormal
values v[1..n]
pick   a, b distinct in 1..n
c = attend(beta*(k[a] + k[b]), k, v)
claim right: c.weight[a] = e^beta/(n - 2 + 2 e^beta)
claim wrong: c ~ v[a] as beta -> inf                   expect refuted
claim bad:   c.weight[a] > 1/2
"""

NOISY = """problem "a key of uncertain length"
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], 0*I)
keys    k[a] ~ normal(mu[a], 1/2*mu[a]*mu[a]')
single = attend(beta*(mu[a] + mu[b]), k, v)
at n = 10, beta = 10:
    claim: P(single.weight[a] > 0.9) <= 1/2
"""


class Balanced(html.parser.HTMLParser):
    """Counts tags, and complains about those that are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in ("br", "img", "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()


class Claims(unittest.TestCase):
    def test_verdicts(self):
        report = qkv.check(TWO)
        self.assertEqual([v.verdict for v in report], ["proved", "refuted", "refuted"])
        self.assertEqual([v.line for v in report], [6, 7, 8])
        self.assertEqual([v.passes for v in report], [True, True, False])
        self.assertEqual(report["wrong"].expected, "refuted")
        self.assertEqual(report["right"].engine, "exact")
        self.assertEqual(report.counts, {"proved": 1, "refuted": 2, "supported": 0, "undecided": 0})
        self.assertFalse(report.passes)
        self.assertIn("3 claims: 1 proved, 2 refuted", str(report))
        with self.assertRaises(KeyError):
            report["none"]

    def test_paths_and_texts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "answers.md")
            path.write_text("# Answers\n\n```qkv\nclaim: 1 + 1 = 2\n```\n", encoding="utf-8")
            for source in (path, str(path)):
                report = qkv.check(source)
                self.assertEqual([(v.line, v.verdict) for v in report], [(4, "proved")])
                self.assertEqual(report.name, str(path))
            self.assertEqual(len(qkv.check(path.read_text(encoding="utf-8"))), 1)
            with self.assertRaises(FileNotFoundError):
                qkv.check(os.path.join(folder, "none.qkv"))
        with self.assertRaises(TypeError):
            qkv.check(7)

    def test_mistakes(self):
        text = "claim: 1 + 1 = 2\nclaim: 1 + = 2\nclaim: (1\n"
        with self.assertRaises(qkv.ClaimError) as caught:
            qkv.check(text, name="answers.qkv")
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.line, error.column), (2, 12))
        self.assertEqual(len(error.complaints), 2)
        self.assertTrue(str(error).startswith("answers.qkv:2:12: "))
        self.assertEqual(error.report[0].verdict, "proved")
        self.assertEqual(len(qkv.check(text, strict=False).complaints), 2)

    def test_derivations(self):
        report = qkv.explain(TWO, "right")
        self.assertEqual([v.name for v in report], ["right"])
        self.assertIn("e^beta", "\n".join(line for step in report[0].steps for line in step.lines))
        self.assertEqual(qkv.explain(TWO, 7)[0].name, "wrong")
        self.assertEqual(len(qkv.explain(TWO)), 3)
        self.assertEqual(qkv.check(TWO).explain("bad")[0].verdict, "refuted")
        with self.assertRaisesRegex(ValueError, "nothing"):
            qkv.explain(TWO, "nothing")

    def test_notebooks(self):
        page = qkv.check(TWO)._repr_html_()
        tags = Balanced(page).seen
        self.assertEqual(tags.count("tr"), 4)
        self.assertEqual(tags.count("details"), 3)
        self.assertGreaterEqual(tags.count("svg"), 2)  # all at a glance, and what claims speak of
        for word in ("proved", "refuted", "c.weight[a] &gt; 1/2"):
            self.assertIn(word, page)

    def test_figures(self):
        average = qkv.explain(TWO, "wrong")[0]
        self.assertIn("<svg", average.figure._repr_svg_())
        self.assertIsNone(qkv.check(TWO)[0].figure)

    def test_pages(self):
        report = qkv.check(TWO, name="two.qkv")
        root = xml.etree.ElementTree.fromstring(report.page())
        self.assertIn("two.qkv", "".join(root.itertext()))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            report.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), report.page())
        self.assertIn("<html", qkv.check("given n >= 3").page())

    def test_everything_is_escaped(self):
        name = '<script>alert(1)</script>.qkv'
        page = qkv.check("claim: 1 < 2\nclaim: 1 <b> 2", name=name, strict=False)._repr_html_()
        Balanced(page)
        self.assertNotIn("<script", page)
        self.assertNotIn("<b> 2", page)
        Balanced(qkv.explain("claim: 1 < 2")[0]._repr_html_())

    def test_every_field_is_escaped(self):
        nasty = '<script>"&'
        one = qkv.Verdict(3, nasty, nasty, nasty, "refuted", nasty, nasty, nasty, "proved", False,
                          (Step(nasty, (nasty, nasty)),))
        wrong = qkv.Complaint(1, 2, nasty, nasty, 1)
        for page in (one._repr_html_(), Report(nasty, nasty, (one,), (wrong,))._repr_html_()):
            self.assertNotIn("script", Balanced(page).seen)
            self.assertNotIn("<script", page)
            self.assertIn("&lt;script&gt;", page)

    def test_without_claims(self):
        report = qkv.check("given n >= 3")
        self.assertEqual(len(report), 0)
        self.assertTrue(report.passes)
        Balanced(report._repr_html_())


class Pickles(unittest.TestCase):
    def again(self, value):
        return pickle.loads(pickle.dumps(value))

    def test_errors(self):
        with self.assertRaises(qkv.ClaimError) as caught:
            qkv.check("claim one: 1 + 1 = 2\nclaim: 1 +")
        error = self.again(caught.exception)
        self.assertEqual((str(error), error.line, error.complaints, error.report["one"]),
                         (str(caught.exception), 2, caught.exception.complaints,
                          caught.exception.report["one"]))

    def test_reports(self):
        report = qkv.check(TWO)
        report._repr_html_()  # which keeps derivations with their figures
        for one in (report, report.explain()):
            self.assertEqual(self.again(one).verdicts, one.verdicts)
            self.assertEqual(str(self.again(one)), str(one))

    def test_samples(self):
        found = qkv.sample(NOISY, samples=2000, seed=7)
        again = self.again(found)
        self.assertEqual((again.rows, again.columns), (found.rows, found.columns))
        np.testing.assert_array_equal(again.draw(), found.draw())

    def test_figures(self):
        with self.assertRaisesRegex(TypeError, "Figure cannot be pickled"):
            pickle.dumps(qkv.plot.heat([[1, 0], [0, 1]]))


class Samples(unittest.TestCase):
    def test_whole_numbers(self):
        found = qkv.sample(NOISY, samples=np.int64(1000), seed=np.uint8(3))
        self.assertEqual(found.draw(np.int32(2), np.int64(5)).shape[0], 5)
        for text, call in (("samples: got 10000.0", lambda: qkv.sample(NOISY, samples=1e4)),
                           ("seed: got 'x'", lambda: qkv.sample(NOISY, seed="x")),
                           ("threads: got -1", lambda: qkv.sample(NOISY, threads=-1)),
                           ("first: got 18446744073709551617", lambda: found.draw(2 ** 64 + 1, 1)),
                           ("first: got 1001", lambda: found.draw(1001)),
                           ("first: got -1", lambda: found.draw(-1, 1)),
                           ("count: got -3", lambda: found.draw(0, -3)),
                           ("count: got 1.5", lambda: found.draw(0, 1.5))):
            with self.assertRaisesRegex((ValueError, TypeError), "^" + text):
                call()

    def test_mistakes_in_the_text(self):
        for call in (qkv.sample, qkv.plot.claim):
            with self.assertRaises(qkv.ClaimError) as caught:
                call("values v[1..2]\nclaim: 1 +")
            self.assertEqual((caught.exception.line, caught.exception.column), (2, 11))
        for call in (qkv.check, qkv.explain, qkv.sample, qkv.plot.claim):
            with self.assertRaisesRegex(TypeError, "^text_or_path: got bytes"):
                call(b"x")

    def test_estimates(self):
        found = qkv.sample(NOISY, samples=200_000)
        self.assertEqual((found.drawn, found.problem), (200_000, "a key of uncertain length"))
        law = qkv.law(keys=10, beta=10)
        mean = found.to_dict()["single.weight[a]"]
        self.assertTrue(mean.low <= law["mean"] <= mean.high)
        self.assertAlmostEqual(sum(mean.exact) / 2, law["mean"], places=9)
        row = found.rows[0]
        self.assertTrue(row.variance.low <= law["variance"] <= row.variance.high)
        Balanced(found._repr_html_())
        self.assertIn("single.weight[a]", str(found))

    def test_the_samples_themselves(self):
        found = qkv.sample(NOISY, samples=70_000, seed=3)
        numbers = found.draw()
        self.assertIs(type(numbers), np.ndarray)
        self.assertEqual(numbers.shape, (70_000, len(found.columns)))
        place = found.columns.index("single.weight[a]")
        self.assertAlmostEqual(numbers[:, place].mean(), found.rows[place].mean.value, places=9)
        np.testing.assert_array_equal(found.draw(66_000, 10), numbers[66_000:66_010])
        event = found.columns.index("P(single.weight[a] > 0.9)")
        np.testing.assert_array_equal(numbers[:, event], numbers[:, place] > 0.9)
        self.assertEqual(found.draw(0, 0).shape[0], 0)
        with self.assertRaises(ValueError):
            found.draw(0, -1)

    def test_threads_that_draw_at_the_same_time(self):
        found = qkv.sample(NOISY, samples=1000, seed=4)
        expected, wrong = found.draw(0, 60_000), []

        def work(first):
            for _ in range(4):
                if not np.array_equal(found.draw(first, 30_000), expected[first:first + 30_000],
                                      equal_nan=True):
                    wrong.append(first)

        workers = [threading.Thread(target=work, args=(i * 10_000,)) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])

    def test_seeds_and_threads(self):
        one = qkv.sample(NOISY, samples=20_000, seed=1, threads=1)
        two = qkv.sample(NOISY, samples=20_000, seed=1, threads=3)
        other = qkv.sample(NOISY, samples=20_000, seed=2)
        self.assertEqual(one.rows, two.rows)
        self.assertNotEqual(one.rows, other.rows)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "random"):
            qkv.sample(TWO)
        for count in (0, -1, 2 ** 70):
            with self.assertRaisesRegex(ValueError, "samples: got"):
                qkv.sample(NOISY, samples=count)
        for seed in (-1, 2 ** 64):
            with self.assertRaisesRegex(ValueError, "seed: got"):
                qkv.sample(NOISY, seed=seed)
        with self.assertRaises(ValueError):
            qkv.sample(NOISY, problem="another")
        with self.assertRaises(ValueError):
            qkv.sample(NOISY, at="n = ")

    def test_an_interrupt_stops_it(self):
        """Ten minutes' work, were it not for the signal."""
        qkv.sample(NOISY, samples=1000)  # or else there is nothing to interrupt
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            qkv.sample(NOISY, samples=10 ** 12)
        timer.join()
        self.assertEqual(qkv.sample(NOISY, samples=1000).drawn, 1000)

    def test_a_handler_that_raises(self):
        class Enough(Exception):
            pass

        def stop(number, frame):
            raise Enough

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with self.assertRaises(Enough):
                qkv.sample(NOISY, samples=10 ** 12)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


class Laws(unittest.TestCase):
    def test_bounds_hold_the_numbers(self):
        for head in ("single", "heads", "immune"):
            for noisy in ("wanted", "other"):
                found = qkv.law(keys=7, of=3, beta=2.5, head=head, noisy=noisy, noise=0.3)
                for name, (low, high) in found["bounds"].items():
                    self.assertLessEqual(low - 1e-12, found[name])
                    self.assertLessEqual(found[name], high + 1e-12)

    def test_arrays_of_beta(self):
        betas = np.array([[0.5, 1.0], [2.0, 4.0]])
        found = qkv.law(keys=5, beta=betas)
        self.assertEqual(found["variance"].shape, (2, 2))
        for place in np.ndindex(2, 2):
            self.assertEqual(found["variance"][place],
                             qkv.law(keys=5, beta=float(betas[place]))["variance"])
        self.assertEqual(type(qkv.law(keys=5, beta=[1, 2])["mean"]), list)

    def test_limits(self):
        found = qkv.law(keys=2, beta=math.inf)
        self.assertAlmostEqual(found["variance"], 0.25)
        self.assertEqual(qkv.law(keys=2, beta=0)["variance"], 0)

    def test_the_weight_is_logit_normal(self):
        found = qkv.law(keys=10, beta=4)
        weight = qkv.LogitNormal(found["location"], found["scale"])
        grid = (np.arange(4000) + 0.5) / 4000
        self.assertAlmostEqual(1 - weight.cdf(grid).mean(), found["mean"], places=6)
        slopes = (weight.cdf(grid + 1e-6) - weight.cdf(grid - 1e-6)) / 2e-6
        np.testing.assert_allclose(weight.density(grid)[100:-100], slopes[100:-100], rtol=1e-5)
        np.testing.assert_allclose(weight.quantile(weight.cdf(grid[::100])), grid[::100], rtol=1e-9)
        self.assertEqual(len(weight.modes), 2)
        self.assertEqual(found["quantiles"][0.5], weight.quantile(0.5))

    def test_designs(self):
        found = qkv.design(keys=10, failure=0.1)
        single, heads, immune = found["designs"]
        self.assertEqual([d["reached"] for d in found["designs"]], [False, True, True])
        law = qkv.law(keys=10, head="heads", beta=heads["beta"])
        self.assertAlmostEqual(law["failure"], 0.1, places=9)
        self.assertEqual(immune["survives"], ["wanted"])
        self.assertEqual(single["survives"], ["other"])
        self.assertEqual([d["design"] for d in qkv.design("copy", keys=5)["designs"]],
                         ["single", "immune"])

    def test_errors(self):
        for call in (lambda: qkv.law(keys=1, beta=1), lambda: qkv.law(keys=3, beta=-1),
                     lambda: qkv.law(keys=3, beta=1, head="hydra"),
                     lambda: qkv.law(keys=3, beta=1, noisy="all"),
                     lambda: qkv.law(keys=3, beta=1, of=4), lambda: qkv.law(keys=2.5, beta=1),
                     lambda: qkv.law(keys=2 ** 70, beta=1), lambda: qkv.design(keys="a"), lambda: qkv.law(keys=-3, beta=1),
                     lambda: qkv.design("steal", keys=3), lambda: qkv.design("copy", keys=3, of=2),
                     lambda: qkv.design(keys=3, failure=2.0)):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaisesRegex(ValueError, "^of: got 5"):
            qkv.law(keys=3, of=5, beta=1)


if __name__ == "__main__":
    unittest.main()
