"""Pictures: that each is drawn, shows what it was given, and says what it cannot draw."""
import os
import tempfile
import unittest
import xml.etree.ElementTree

import numpy as np
import qkv
from qkv import plot

SVG = "{http://www.w3.org/2000/svg}"


class Pictures(unittest.TestCase):
    def drawn(self, figure):
        """Its texts, after reading it as XML."""
        root = xml.etree.ElementTree.fromstring(figure._repr_svg_())
        self.assertEqual(root.tag, SVG + "svg")
        return "\n".join("".join(text.itertext()) for text in root.iter(SVG + "text"))

    def test_each(self):
        self.drawn(plot.key(seed=2, noise=0.25))
        self.drawn(plot.weights(keys=[3, 10], tolerance=0.05))
        self.assertIn("2.5", self.drawn(plot.law(beta=[2.5], keys=3, samples=1000)))
        self.drawn(plot.fall(keys=5, beta=4, samples=1000))
        self.drawn(plot.error(keys=(3, 10), noise=0.1))
        self.drawn(plot.diagram())
        self.drawn(plot.permutation(query=np.eye(6), key=np.eye(6), order=[2, 0, 1, 3, 5, 4]))

    def test_claims(self):
        text = "\n".join(["keys k[1..n] orthonormal", "values v[1..n]", "pick a in 1..n",
                          "c = attend(beta*k[a], k, v)", "claim: 1 + 1 = 2",
                          "claim copy: c ~ v[a] as beta -> inf"])
        self.drawn(plot.claim(text, "copy"))
        self.assertIn("Mine", self.drawn(plot.claim(text, 6, title="Mine", dark=True)))
        for which in ("none", 5):
            with self.assertRaises(ValueError):
                plot.claim(text, which)

    def test_titles_and_themes(self):
        self.assertIn("Mine & yours", self.drawn(plot.weights(title="Mine & yours")))
        self.assertNotEqual(plot.weights().svg, plot.weights(dark=True).svg)
        self.assertEqual(plot.weights().svg, plot.weights().svg)
        self.assertIn('width="400"', plot.weights(width=400).svg)

    def test_heat_maps(self):
        weights = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
        texts = self.drawn(plot.heat(weights, tokens=["the", "<cat>", "sat"]))
        self.assertIn("<cat>", texts)
        same = plot.heat(weights.tolist(), tokens="the <cat> sat")
        self.assertEqual(same.svg, plot.heat(weights, tokens=["the", "<cat>", "sat"]).svg)
        self.assertIn("█", str(same))
        q = np.eye(3)
        given = plot.heat(query=q, key=q, scale=1.0, causal=True)
        weights = qkv.attention(q, q, q, scale=1.0, causal=True)
        self.assertEqual(given.svg, plot.heat(weights).svg)

    def test_heads_count_from_0(self):
        weights = np.full((3, 2, 2), 0.5)
        for figure in (plot.heat(weights), qkv.head_view(weights).figure()):
            names = [text for text in self.drawn(figure).split("\n") if text.startswith("head")]
            self.assertEqual(names, ["head 0", "head 1", "head 2"])

    def test_files(self):
        figure = plot.heat([[1, 0], [0, 1]])
        with tempfile.TemporaryDirectory() as folder:
            for ending, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"),
                                  ("txt", b"Attention")):
                path = os.path.join(folder, "picture." + ending)
                figure.save(path)
                with open(path, "rb") as file:
                    self.assertTrue(file.read().startswith(start), ending)
            with self.assertRaisesRegex(ValueError, "picture.bmp"):
                figure.save(os.path.join(folder, "picture.bmp"))
        self.assertTrue(figure.png(zoom=1).startswith(b"\x89PNG"))
        self.assertTrue(figure.pdf().startswith(b"%PDF"))

    def test_errors(self):
        weights = [[1, 0], [0, 1]]
        for text, call in (
                ("tokens: got 3 names; expected 2", lambda: plot.heat(weights, tokens="a b c")),
                ("no attention", plot.heat),
                ("causal: got", lambda: plot.heat(weights, causal="sideways")),
                ("order", lambda: plot.permutation(order=[0, 0])),
                ("order", lambda: plot.permutation(query=np.eye(3), key=np.eye(3), order=[1, 0])),
                ("order: is given without arrays", lambda: plot.permutation(order=[1, 0])),
                ("^tokens: is given without arrays", lambda: plot.diagram(tokens="a b")),
                ("^query_tokens: got 1 names", lambda: plot.heat(weights, query_tokens="a")),
                ("^key: rows differ", lambda: plot.heat(query=weights, key=[[1, 0], [1]])),
                ("rows differ", lambda: plot.heat([[1, 0], [1]])),
                ("noise", lambda: plot.law(noise=-1.0)),
                ("noise: got 'x'; expected a number", lambda: plot.law(noise="x")),
                ("keys: got \\(-1,\\)", lambda: plot.law(keys=-1)),
                ("beta: got", lambda: plot.law(beta=["a"])),
                ("samples: got -1", lambda: plot.law(samples=-1)),
                ("title: got 3", lambda: plot.law(title=3)),
                ("no claim to draw", lambda: plot.claim("given n >= 3")),
                ("keys", lambda: plot.law(keys=1)),
                ("width", lambda: plot.law(width=3))):
            with self.assertRaisesRegex(ValueError, text):
                call().svg
        with self.assertRaises(TypeError):
            plot.law(colour="red")


if __name__ == "__main__":
    unittest.main()
