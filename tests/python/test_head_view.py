"""The head view: what its page holds, read back by the page's own script where there is node."""
import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np
import qkv
from qkv import _qkv

HERE = os.path.dirname(os.path.abspath(__file__))


def draw(seed, *shape):
    scores = np.random.default_rng(seed).normal(size=shape)
    weights = np.exp(2 * scores)
    return weights / weights.sum(-1, keepdims=True)


def page_of(view, rows, columns):
    """What the page's script makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "block.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(view.html)
        done = subprocess.run(["node", os.path.join(HERE, "head_view_page.js"), path, str(rows),
                               str(columns)], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


class Cells(unittest.TestCase):
    def test_blocks_have_the_largest(self):
        weights = draw(1, 3, 10, 7)
        for block in (1, 2, 3, 10):
            heads, queries, keys, low, high, data = _qkv.cells(weights, block)
            self.assertEqual((heads, queries, keys), (3, 10, 7))
            rows, columns = -(-10 // block), -(-7 // block)
            found = np.frombuffer(data, "<f4").reshape(3, rows, columns)
            self.assertEqual((low, high), (0, weights.astype("f4").max()))
            for i in range(rows):
                for j in range(columns):
                    largest = weights[:, i * block:(i + 1) * block, j * block:(j + 1) * block]
                    np.testing.assert_array_equal(found[:, i, j],
                                                  largest.max((1, 2)).astype("f4"))

    def test_not_a_number(self):
        weights = np.array([[np.nan, 1.0], [np.inf, 1e-9]], np.float32)
        *_, low, high, data = _qkv.cells(weights, 1)
        self.assertEqual((low, high), (0, 1))
        np.testing.assert_array_equal(np.frombuffer(data, "<f4"), weights.ravel())
        self.assertTrue(np.isnan(np.frombuffer(_qkv.cells(weights, 2)[5], "<f4")).all())

    def test_largest(self):
        weights = draw(2, 2, 5, 9).astype(np.float32)
        data = np.frombuffer(_qkv.largest(weights, 4), "<i4").reshape(2, 5, 2, 4)
        order = np.argsort(-weights, axis=-1, kind="stable")[..., :4]
        np.testing.assert_array_equal(data[:, :, 0], order)
        np.testing.assert_array_equal(data[:, :, 1].copy().view("<f4"),
                                      np.take_along_axis(weights, order, -1))
        short = np.frombuffer(_qkv.largest(weights[..., :2], 4), "<i4").reshape(2, 5, 2, 4)
        self.assertTrue((short[:, :, 0, 2:] == -1).all())


class Views(unittest.TestCase):
    def test_shapes(self):
        self.assertEqual(qkv.head_view(draw(3, 4, 5)).shape, (1, 1, 4, 5))
        self.assertEqual(qkv.head_view(draw(3, 2, 4, 5)).shape, (1, 2, 4, 5))
        self.assertEqual(qkv.head_view(draw(3, 6, 2, 4, 5)).shape, (6, 2, 4, 5))
        self.assertEqual(qkv.head_view([draw(i, 1, 2, 4, 5) for i in range(3)]).shape, (3, 2, 4, 5))
        self.assertEqual(qkv.head_view(draw(3, 2, 4, 5).tolist()).shape, (1, 2, 4, 5))
        self.assertEqual(qkv.head_view(memoryview(draw(3, 6, 2, 4, 5))).shape, (6, 2, 4, 5))

    def test_it_needs_nothing_else(self):
        view = qkv.head_view(draw(4, 2, 3, 3), "a b c")
        text = view.html.replace("http://www.w3.org/2000/svg", "")
        self.assertNotRegex(text, r"https?:|//cdn|@import|src=|\bimport\b|\brequire\b|fetch\(")
        self.assertEqual(view.html, qkv.head_view(draw(4, 2, 3, 3), "a b c").html)
        self.assertEqual(view._repr_html_(), view.html)
        frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^>]*></iframe>', view.frame())
        self.assertEqual(html.unescape(frame[1]), view.page())

    def test_tokens_cannot_break_out(self):
        tokens = ["</script><script>alert(1)</script>", "&amp;", "\u2028"]
        view = qkv.head_view(draw(5, 3, 3), tokens, title="</style><b>")
        self.assertEqual(view.html.count("</script>"), 1)
        self.assertEqual(view.html.count("</style>"), 1)
        self.assertNotIn("\u2028", view.html)

    def test_tokens_that_are_no_characters(self):
        view = qkv.head_view(draw(5, 2, 2), ["\ud83d", "caf\u00e9"], title="\udc00")
        self.assertTrue(view.page().encode("utf-8"))
        self.assertIn("\\ud83d", view.html)

    def test_long_sequences_stay_small(self):
        weights = np.full((2, 3000, 3000), 1 / 3000, np.float32)
        weights[1, 2999, 17] = 0.9
        view = qkv.head_view(weights)
        self.assertLess(len(view.html), 5_000_000)
        heads, queries, keys, low, high, data = _qkv.cells(weights, 5)
        cell = np.frombuffer(data, "<f4").reshape(2, 600, 600)[1, 599, 3]
        self.assertEqual(cell, np.float32(0.9), "a single strong weight is seen in its block")

    def test_files_and_figures(self):
        view = qkv.head_view(draw(6, 2, 3, 3), "a b c", title="Mine")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "view.html")
            view.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), view.page())
        self.assertIn("Mine", view.figure().svg)

    def test_errors(self):
        weights = draw(7, 3, 3)
        for text, call in (("tokens: got 2 names; expected 3", lambda: qkv.head_view(weights, "a b")),
                           ("query_tokens", lambda: qkv.head_view(weights, query_tokens=["a"])),
                           ("weights: has 0 axes", lambda: qkv.head_view(np.float64(1))),
                           ("weights: has 1 axes", lambda: qkv.head_view(weights[0])),
                           ("weights: has 1 axes", lambda: qkv.head_view([1, 2])),
                           ("weights: an axis", lambda: qkv.head_view(np.zeros((0, 2, 3, 3)))),
                           ("weights: an axis", lambda: qkv.head_view(np.zeros((2, 0, 3, 3)))),
                           ("weights: an axis", lambda: qkv.head_view(np.zeros((0, 3, 3)))),
                           ("head_names: got 1 names; expected 2",
                            lambda: qkv.head_view(draw(7, 2, 3, 3), head_names=["a"])),
                           ("layer_names: got 2 names; expected 1",
                            lambda: qkv.head_view(weights, layer_names="a b")),
                           ("axes", lambda: qkv.head_view(np.zeros((1, 1, 1, 2, 2)))),
                           ("got nothing", lambda: qkv.head_view([])),
                           ("batch of 2", lambda: qkv.head_view([draw(8, 2, 2, 3, 3)])),
                           ("detail", lambda: qkv.head_view(weights, detail=0)),
                           ("no entries", lambda: qkv.head_view(np.zeros((3, 0)))),
                           ("sizes", lambda: qkv.head_view([draw(8, 2, 3), draw(8, 2, 4)]))):
            with self.assertRaisesRegex(ValueError, text):
                call()

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_the_page_reads_it_back(self):
        weights = draw(9, 2, 4, 6)
        tokens, queries = ["<a>", "b", "c", "d", "e", "f"], ["w", "x", "y", "z"]
        page = page_of(qkv.head_view(weights, tokens, query_tokens=queries), 4, 6)
        self.assertTrue(page["ready"])
        np.testing.assert_array_equal(page["weights"], weights[0].astype("f4").astype(float))
        self.assertEqual(page["curve"], "linear")
        order = np.argsort(-weights[0, 1])[:3].tolist()
        self.assertEqual([key for key, _ in page["strongest"]], order)
        self.assertTrue(page["told"].startswith("x → <a>: "))
        root = xml.etree.ElementTree.fromstring(page["svg"])
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(space + "rect")), 24)
        self.assertEqual([text.text for text in root.findall(space + "text")], queries + tokens)
        self.assertEqual((page["link"], page["file"]),
                         ("data:image/svg+xml;chars", "attention-0-0.svg"))

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_names_count_from_0(self):
        """Layers and heads, as in arrays and in qkv attend, wherever the page names them."""
        weights = draw(11, 2, 3, 4, 4)
        states = page_of(qkv.head_view(weights), 4, 4)["states"]
        heads = ["head 0", "head 1", "head 2"]
        self.assertEqual({(s["layer"], s["head"]) for s in states}, {(0, 0), (1, 0), (1, 1), (1, 2)})
        for s in states:
            choices = dict(s["choices"])
            self.assertEqual((choices["layer"], choices["head"]), (["layer 0", "layer 1"], heads))
            self.assertEqual(s["small"], [[name, "true" if h == s["head"] else "false"]
                                          for h, name in enumerate(heads)])
            root = xml.etree.ElementTree.fromstring(s["svg"])
            self.assertEqual(root.find("{http://www.w3.org/2000/svg}title").text,
                             f"attention weights, layer {s['layer']}, head {s['head']}: 4 queries, 4 keys")
        named = page_of(qkv.head_view(weights, layer_names="early late", head_names="x y z"), 4, 4)
        self.assertEqual(dict(named["states"][0]["choices"])["head"], ["x", "y", "z"])
        self.assertIn("early, x", named["states"][0]["svg"])

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_the_legend_shows_the_colours_of_cells(self):
        """By its numbers and its colours the weight of a cell can be told, in each layer and curve."""
        high = (1.0, 0.375)  # a layer's largest weight
        weights = np.array([np.linspace(0, most, 64).reshape(1, 8, 8) for most in high])
        states = page_of(qkv.head_view(weights), 8, 8)["states"]
        self.assertEqual({(s["layer"], s["curve"]) for s in states},
                         {(0, "linear"), (1, "linear"), (1, "root"), (1, "logarithm")})
        scales = set()
        for s in states:
            legend, most = s["legend"], ("1.000", "0.3750")[s["layer"]]
            self.assertEqual(legend["label"], f"colours from 0 to {most}")
            self.assertEqual(legend["parts"], ["0", "", most])
            colours = np.array(legend["pixels"]).reshape(64, 4)
            self.assertTrue((colours[:, 3] == 255).all())
            root = xml.etree.ElementTree.fromstring(s["svg"])
            cells = [cell.get("fill") for cell in root.findall("{http://www.w3.org/2000/svg}rect")]
            self.assertEqual(cells, ["rgb({},{},{})".format(*colour[:3]) for colour in colours])
            scales.add((s["layer"], tuple(colours.ravel())))
        self.assertEqual(len(scales), 4)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_digits_in_the_page(self):
        weights = np.array([[1.0, 0, 0], [1.2341e-6, np.inf, np.nan]])
        page = page_of(qkv.head_view(weights, ["a", "\ud83d", "c"]), 2, 3)
        self.assertEqual(page["told"].splitlines(),
                         ["2 → a: 0.000001234", "2 looks at \ud83d inf, a 0.000001234"])
        self.assertIn("\ufffd", page["svg"])

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_a_long_row_in_the_page(self):
        page = page_of(qkv.head_view(np.full((2, 5000), 1 / 5000)), 1, 1)
        self.assertGreaterEqual(page["layout"]["down"], 12)
        self.assertLess(page["layout"]["across"], 1)
        self.assertEqual(page["curve"], "logarithm")
        square = page_of(qkv.head_view(np.full((400, 400), 1 / 400)), 1, 1)["layout"]
        self.assertEqual(square["down"], square["across"])

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_blocks_in_the_page(self):
        weights = draw(10, 50, 70)
        page = page_of(qkv.head_view(weights, detail=100), 7, 9)
        self.assertIn("at most", page["told"])
        order = np.argsort(-weights[1])[:3].tolist()
        self.assertEqual([key for key, _ in page["strongest"]], order)


if __name__ == "__main__":
    unittest.main()
