"""The package as a whole: its documents' examples, its stubs, what it does without NumPy."""
import ast
import doctest
import importlib
import importlib.metadata
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import unittest

import qkv
from qkv import _qkv

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def modules():
    yield qkv
    for found in pkgutil.iter_modules(qkv.__path__):
        try:
            yield importlib.import_module(f"qkv.{found.name}")
        except ImportError as missing:  # modules for other packages, where these are
            if found.name not in ("jax", "transformers") or missing.name is None or "qkv" in missing.name:
                raise


class Examples(unittest.TestCase):
    def test_docstrings(self):
        attempted = 0
        for module in modules():
            done = doctest.testmod(module)
            self.assertEqual(done.failed, 0, module.__name__)
            attempted += done.attempted
        self.assertGreater(attempted, 30)

    def test_the_manual(self):
        for page in ("reference/python.md", "guide/attention-in-python.md"):
            done = doctest.testfile(os.path.join(ROOT, "docs", page), module_relative=False)
            self.assertEqual(done.failed, 0, page)
            self.assertGreater(done.attempted, 6, page)

    def test_the_notebook(self):
        script = os.path.join(ROOT, "scripts", "notebook.py")
        notebook = os.path.join(ROOT, "examples", "attention.ipynb")
        done = subprocess.run([sys.executable, script, notebook], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_everything_public_is_documented(self):
        for name in qkv.__all__:
            self.assertTrue(inspect.getdoc(getattr(qkv, name)), name)


class Types(unittest.TestCase):
    def declarations(self):
        path = os.path.join(os.path.dirname(_qkv.__file__), "_qkv.pyi")
        with open(path, encoding="utf-8") as file:
            return ast.parse(file.read())

    def test_marker(self):
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(qkv.__file__), "py.typed")))

    def test_stubs_name_what_there_is(self):
        tree = self.declarations()
        told = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        told |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        self.assertEqual(told, {name for name in dir(_qkv) if not name.startswith("__")})

    def test_stubs_take_a_bool_that_is_not_known(self):
        """The last overload of attention is for switches that are variables."""
        last = [node for node in self.declarations().body if getattr(node, "name", "") == "attention"][-1]
        switches = {one.arg: ast.unparse(one.annotation) for one in last.args.kwonlyargs
                    if one.arg.startswith("return_")}
        self.assertEqual(switches, {"return_weights": "bool", "return_entropy": "bool",
                                    "return_lse": "Union[bool, Literal['f64']]"})

    def test_stubs_have_the_same_parameters(self):
        for node in self.declarations().body:
            if not isinstance(node, ast.FunctionDef):
                continue
            there = inspect.signature(getattr(_qkv, node.name)).parameters
            words = node.args
            told = [one.arg for one in words.posonlyargs + words.args + words.kwonlyargs]
            self.assertEqual(told, list(there), node.name)


    def test_the_manual_has_the_signature(self):
        with open(os.path.join(ROOT, "docs", "reference", "python.md"), encoding="utf-8") as file:
            text = " ".join(file.read().split())
        self.assertIn(f"qkv.attention{inspect.signature(qkv.attention)}", text)


class Installation(unittest.TestCase):
    def run_python(self, code):
        done = subprocess.run([sys.executable, "-c", code], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.strip()

    def test_version(self):
        self.assertEqual(importlib.metadata.version("qkv"), qkv.__version__)
        with open(os.path.join(ROOT, "include", "qkv", "version.h"), encoding="utf-8") as file:
            self.assertIn(f'"{qkv.__version__}"', file.read())

    def test_the_limited_api(self):
        self.assertTrue(_qkv.__file__.endswith(".abi3.so"), _qkv.__file__)

    def test_import_brings_no_numpy(self):
        self.assertEqual(self.run_python("import qkv, sys; print('numpy' in sys.modules, "
                                         "'torch' in sys.modules)"), "False False")

    def test_without_numpy(self):
        """All but NumPy's arrays works where there is no NumPy."""
        code = """
import sys
sys.modules["numpy"] = None
import qkv
from array import array
rows = memoryview(array("f", [1, 0, 0, 1])).cast("B").cast("f", (2, 2))
assert qkv.attention(rows, rows, rows, causal=True).tolist()[0] == [1.0, 0.0]
assert qkv.check("claim: 1 + 1 = 2")[0].verdict == "proved"
assert qkv.law(keys=3, beta=[1, 2])["mean"][0] > 0
assert qkv.plot.heat([[1, 0], [0, 1]]).svg
assert qkv.head_view([[[1, 0], [0, 1]]]).html
found = qkv.sample('''
means  mu[1..2] orthonormal
values v[1..2]
keys   k[i] ~ normal(mu[i], 1/2*mu[i]*mu[i]')
c = attend(beta*mu[1], k, v)
''', at="beta = 2", samples=1000)
assert type(found.draw(0, 3)) is memoryview and found.draw(0, 3).shape == (3, 2)
print("good")
"""
        self.assertEqual(self.run_python(code), "good")

    def test_the_manual_has_the_signature(self):
        with open(os.path.join(ROOT, "docs", "reference", "python.md"), encoding="utf-8") as file:
            text = re.sub(r"\s+", " ", file.read())
        self.assertIn("qkv.attention" + str(inspect.signature(qkv.attention)), text)


if __name__ == "__main__":
    unittest.main()
