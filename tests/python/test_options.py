"""Every option of the C operator by the public function: against the definition in NumPy, and against
other ways to say the same."""
import os
import re
import unittest

import numpy as np
import qkv
from support import Packed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def draw(seed, *shapes, kind=np.float64):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=shape).astype(kind) for shape in shapes]


def definition(q, k, v, bias, sinks=None, softcap=0.0):
    """Outputs, weights, log-sum-exp and entropies, in f64: bias is added after the cap."""
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = (softcap * np.tanh(scores / softcap) if softcap else scores) + bias
    exponentials = np.exp(scores)
    total = exponentials.sum(-1, keepdims=True)
    if sinks is not None:
        total = total + np.exp(np.asarray(sinks))[:, None, None]
    weights = exponentials / total
    terms = np.where(weights > 0, weights * np.log(np.where(weights > 0, weights, 1)), 0)
    return weights @ v, weights, np.log(total[..., 0]), -terms.sum(-1)


class Scores(unittest.TestCase):
    def setUp(self):
        self.q, self.k, self.v = draw(1, (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))

    def test_sinks_and_slopes(self):
        sinks, slopes = [0.5, -1.0, 2.0], np.array([0.1, 0.3, 0.7])
        distance = np.abs(np.arange(5)[:, None] + 2 - np.arange(7))
        expected = definition(self.q, self.k, self.v, -slopes[:, None, None] * distance, sinks, 1.5)
        found = qkv.attention(self.q, self.k, self.v, sinks=sinks, alibi_slopes=slopes, softcap=1.5,
                              alignment="bottom-right", return_weights=True, return_lse=True,
                              return_entropy=True)
        self.assertEqual(len(found), 4)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours, theirs, atol=1e-14)
        again = qkv.attention(self.q, self.k, self.v, sinks=np.float32(sinks), softcap=1.5, offset=2,
                              alibi_slopes=slopes.tolist())
        np.testing.assert_array_equal(found[0], again)

    def test_stages(self):
        raw = self.q @ self.k.swapaxes(-1, -2) / 2
        masked = np.where(np.tri(5, 7, 0, dtype=bool), np.tanh(raw), -np.inf)
        for name, expected in (("raw", raw), ("capped", np.tanh(raw)), ("masked", masked)):
            _, found = qkv.attention(self.q, self.k, self.v, softcap=1.0, causal="top-left", scores=name)
            np.testing.assert_allclose(found, expected, atol=1e-14)
        weights = qkv.attention(self.q, self.k, self.v, return_weights=True)[1]
        np.testing.assert_array_equal(qkv.attention(self.q, self.k, self.v, scores="weights")[1], weights)
        with self.assertRaisesRegex(ValueError, 'scores: got "weights" beside return_weights'):
            qkv.attention(self.q, self.k, self.v, scores="weights", return_weights=True)

    def test_types_of_sums(self):
        q, k, v = (x.astype(np.float32) for x in (self.q, self.k, self.v))
        for words, kind in ((True, np.float32), ("f64", np.float64)):
            self.assertEqual(qkv.attention(q, k, v, return_lse=words)[1].dtype, kind)
        with self.assertRaisesRegex(ValueError, "return_lse: got 'f16'"):
            qkv.attention(q, k, v, return_lse="f16")

    def test_alignments_that_contradict(self):
        for name, words in (("window", {"causal": "top-left", "window": (1, 1, "bottom-right")}),
                            ("alignment", {"causal": "top-left", "alignment": "bottom-right"}),
                            ("offset", {"causal": "top-left", "offset": 2}),
                            ("offset", {"alignment": "bottom-right", "offset": 2, "window": 1})):
            with self.assertRaisesRegex(ValueError, f"^{name}: .*one alignment"):
                qkv.attention(self.q, self.k, self.v, **words)
        same = qkv.attention(self.q, self.k, self.v, causal="top-left", window=(1, 1, "top-left"),
                             alignment="top-left")
        np.testing.assert_array_equal(same, qkv.attention(self.q, self.k, self.v, causal=True, offset=0,
                                                          window=(1, 1)))

    def test_names_with_a_zero(self):
        x = np.ones((2, 2))
        with self.assertRaisesRegex(ValueError, "^kernel: got"):
            qkv.attention(x, x, x, kernel="portable\0x")

    def test_lists_that_are_none(self):
        for name, given, text in (("key_lengths", [1], "got 1 numbers; expected 2, one per batch"),
                                  ("key_lengths", [1, -1], "got -1; expected whole numbers"),
                                  ("key_lengths", 3, "expected a list"),
                                  ("sinks", [1.0], "got 1 numbers; expected 3, one per head"),
                                  ("sinks", np.zeros(4), "expected one axis of 3"),
                                  ("alibi_slopes", ["a"] * 3, "expected numbers"),
                                  ("query_starts", [0, 5], "is given without key_starts"),
                                  ("seed", 0.5, "expected a whole number"),
                                  ("page_table", [[0]], "expected 2, one per batch")):
            with self.assertRaisesRegex((ValueError, TypeError), f"^{name}: .*{text}"):
                qkv.attention(self.q, self.k, self.v, **{name: given})


class Sequences(unittest.TestCase):
    def test_key_lengths(self):
        q, k, v = draw(2, (2, 1, 3, 4), (2, 1, 6, 4), (2, 1, 6, 2))
        for lengths in ([4, 6], np.array([4, 6])):
            c = qkv.attention(q, k, v, key_lengths=lengths)
            np.testing.assert_array_equal(c[0], qkv.attention(q[0], k[0, :, :4], v[0, :, :4]))
            np.testing.assert_array_equal(c[1], qkv.attention(q[1], k[1], v[1]))

    def test_packed(self):
        q, k, v = draw(3, (2, 9, 4), (2, 12, 4), (2, 12, 3))
        queries, keys = [0, 2, 2, 9], [0, 5, 7, 12]
        c = qkv.attention(q, k, v, query_starts=queries, key_starts=keys, causal="bottom-right")
        for (a, b), (i, j) in zip(zip(queries, queries[1:]), zip(keys, keys[1:])):
            np.testing.assert_array_equal(c[:, a:b], qkv.attention(q[:, a:b], k[:, i:j], v[:, i:j],
                                                                   causal="bottom-right"))

    def test_pages(self):
        q, keys, values = draw(4, (2, 3, 2, 4), (5, 3, 2, 4), (5, 3, 2, 4))
        for kind in (list, np.int32):
            table = np.array([[4, 0, 2], [1, 1, 3]]).tolist() if kind is list else np.int32([[4, 0, 2], [1, 1, 3]])
            c = qkv.attention(q, keys, values, page_table=table, key_lengths=[6, 5])
            for b, pages in enumerate([[4, 0, 2], [1, 1, 3]]):
                k, v = (np.concatenate(pool[pages], axis=-2)[:, :6 - b] for pool in (keys, values))
                np.testing.assert_array_equal(c[b], qkv.attention(q[b], k, v))
        with self.assertRaisesRegex(ValueError, "page_table"):
            qkv.attention(q, keys, values, page_table=[[4, 0, 2], [1, 1, 9]])

    def test_bytes(self):
        q, k, v = draw(5, (3, 5, 8), (3, 7, 8), (3, 7, 8))
        scales = [np.abs(x).max(-1) / 127 for x in (k, v)]
        bytes_ = [np.rint(x / scale[..., None]).astype(np.int8) for x, scale in zip((k, v), scales)]
        back = [x * scale[..., None] for x, scale in zip(bytes_, scales)]
        c = qkv.attention(q, *bytes_, key_scales=scales[0], value_scales=scales[1])
        np.testing.assert_allclose(c, qkv.attention(q, *back), atol=1e-14)
        with self.assertRaisesRegex(ValueError, "key_scales is not set"):
            qkv.attention(q, *bytes_)
        with self.assertRaisesRegex(ValueError, "mask: has elements of type int8"):
            qkv.attention(q, k, v, mask=np.ones((5, 7), np.int8))


class Dropout(unittest.TestCase):
    def test_the_mask(self):
        q, k, v = draw(6, (2, 3, 5, 4), (2, 3, 70, 4), (2, 3, 70, 6))
        c, weights = qkv.attention(q, k, v, dropout=0.4, seed=11, return_weights=True)
        kept = qkv.dropout_mask((2, 3, 5, 70), 0.4, 11)
        self.assertEqual(kept.dtype, bool)
        np.testing.assert_allclose(weights.sum(-1), 1)
        np.testing.assert_allclose(c, (weights * kept / 0.6) @ v, atol=1e-14)
        self.assertFalse(np.array_equal(c, qkv.attention(q, k, v, dropout=0.4, seed=12)))
        np.testing.assert_array_equal(qkv.attention(q, k, v, dropout=1.0), np.zeros_like(c))

    def test_numpys_generator(self):
        q, k, v = draw(7, (5, 4), (7, 4), (7, 4))
        def once():
            np.random.seed(3)
            return qkv.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
        np.testing.assert_array_equal(once(), once())
        self.assertFalse(np.array_equal(once(), qkv.scaled_dot_product_attention(q, k, v, dropout_p=0.5)))


class Layers(unittest.TestCase):
    def test_self_attention(self):
        x, w_q, w_k, w_v, w_o, b_v, b_o = draw(8, (2, 5, 6), (6, 8), (6, 4), (6, 4), (8, 3), (4,), (3,))
        found, weights = qkv.self_attention(x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, b_v=b_v, b_o=b_o,
                                            heads=4, kv_heads=2, causal=True, return_weights=True)
        c = qkv.attention(x @ w_q, x @ w_k, x @ w_v + b_v, heads=4, kv_heads=2, causal=True)
        np.testing.assert_allclose(found, c @ w_o + b_o, atol=1e-14)
        self.assertEqual(weights.shape, (2, 4, 5, 5))
        mean = qkv.self_attention(x[0], heads=2, combine="mean")
        np.testing.assert_allclose(mean, qkv.attention(*[x[0]] * 3, heads=2).reshape(5, 2, 3).mean(1))
        with self.assertRaisesRegex(ValueError, "combine: is given beside w_o"):
            qkv.self_attention(x, w_o=w_o, combine="mean")
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'page_table'"):
            qkv.self_attention(x, page_table=[[0]])
        with self.assertRaisesRegex(ValueError, "x: has 4 axes"):
            qkv.self_attention(x[None])

    def test_cache(self):
        q, k, v = draw(9, (2, 7, 4), (2, 7, 4), (2, 7, 3), kind=np.float32)
        whole = qkv.attention(q, k, v, causal=True)
        cache = qkv.Cache.like(k, v, 8)
        for begin, end in ((0, 3), (3, 4), (4, 7)):
            cache.append(k[:, begin:end], v[:, begin:end])
            np.testing.assert_array_equal(cache.attend(q[:, begin:end], causal=True),
                                          whole[:, begin:end])
        self.assertEqual((len(cache), cache.capacity), (7, 8))
        with self.assertRaisesRegex(ValueError, "room|capacity"):
            cache.append(k, v)
        self.assertEqual(len(cache), 7)
        cache.truncate(3)
        np.testing.assert_array_equal(cache.attend(q[:, :3], causal=True), whole[:, :3])

    def test_a_cache_of_bytes(self):
        k, v = draw(10, (2, 5, 8), (2, 5, 8))
        cache = qkv.Cache(*np.zeros((2, 2, 6, 8), np.int8), key_scales=np.zeros((2, 6), np.float32),
                          value_scales=np.zeros((2, 6), np.float32))
        cache.append(k, v)
        np.testing.assert_allclose(cache.attend(k), qkv.attention(k, k, v), atol=0.05)


class Memory(unittest.TestCase):
    def test_what_cannot_say_that_it_may_be_written(self):
        """A capsule without a version is read-only: who made it had no way to say so."""
        q, k, v = draw(11, (3, 4), (3, 4), (3, 4))
        for packed, good in ((Packed(np.zeros((3, 4))), False),
                             (Packed(np.zeros((3, 4)), versioned=True), True),
                             (Packed(np.zeros((3, 4)), versioned=True, read_only=True), False)):
            if good:
                qkv.attention(q, k, v, out=packed)
                np.testing.assert_array_equal(packed.array, qkv.attention(q, k, v))
                continue
            with self.assertRaisesRegex(ValueError, "out: is read-only"):
                qkv.attention(q, k, v, out=packed)
            self.assertFalse(packed.array.any())


class Overlaps(unittest.TestCase):
    """Memory that would be written twice."""

    def test_out(self):
        x, memory = np.random.default_rng(3).normal(size=(6, 8)), np.zeros(400)
        want = qkv.attention(x, x, x)
        for a in (0, 1, 2, 5, 7, 8, 9, 16, 20, -9):
            for b in (0, 1, 2, 3, 5, 6, 12):
                places = {i * a + j * b for i in range(6) for j in range(8)}
                out = np.lib.stride_tricks.as_strided(memory[100:], (6, 8), (8 * a, 8 * b))
                with self.subTest(strides=(a, b)):
                    if len(places) == 48:
                        np.testing.assert_array_equal(qkv.attention(x, x, x, out=out), want)
                        continue
                    with self.assertRaisesRegex(ValueError, "^out: has elements that share memory"):
                        qkv.attention(x, x, x, out=out)

    def test_caches(self):
        room, x = np.zeros((2, 16, 8)), np.ones((2, 3, 8))
        with self.assertRaisesRegex(ValueError, "^value: shares memory with key"):
            qkv.Cache(room, room).append(x, x)
        side_by_side = qkv.Cache(room[..., :4], room[..., 4:])
        side_by_side.append(x[..., :4], 2 * x[..., :4])
        cache = qkv.Cache(room, room.copy())
        cache.append(x, x)
        cache.append(cache.key[:, :2], cache.value[:, :2])  # held already
        np.testing.assert_array_equal(room[:, :5], 1)
        with self.assertRaisesRegex(ValueError, "^k: shares memory with key"):
            cache.append(cache.key[:, 4:6], cache.value[:, :2])
        self.assertEqual(len(cache), 5)


class Header(unittest.TestCase):
    """The table of docs/reference/python.md has every field of qkv_attention_options, and names only
    keywords that attention takes."""

    def test_every_option(self):
        try:
            with open(os.path.join(ROOT, "include", "qkv", "attention.h"), encoding="utf-8") as file:
                header = file.read()
        except FileNotFoundError:
            self.skipTest("the header is not here")
        body = re.search(r"typedef struct qkv_attention_options \{(.*?)\n\} qkv_attention_options;",
                         header, re.DOTALL)[1]
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
        fields = re.findall(r"(\w+);", body)
        self.assertGreater(len(fields), 30)
        with open(os.path.join(ROOT, "docs", "reference", "python.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.*) \|$", file.read(), re.MULTILINE)
        table = {field: said for names, said in rows for field in re.findall(r"`(\w+)`", names)}
        self.assertEqual([field for field in fields if field not in table], [])
        self.assertEqual([field for field in table if field not in fields], [])
        keywords = set(re.findall(r"(\w+)=", qkv.attention.__text_signature__)) | {"q", "k", "v"}
        for field in fields:
            for word in re.findall(r"`(\w+)(?==)", table[field]):
                self.assertIn(word, keywords, field)


if __name__ == "__main__":
    unittest.main()
