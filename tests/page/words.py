"""Real heads: what the page computes of the exported queries and keys is compared with NumPy's."""
import json
import math

import numpy as np
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from common import ROOT, Page, expect, near

CAT = 0  # the sentence about the cat
BEFORE = 2  # layer 1, head 3: every word looks at the one before


class Export:
    """heads.bin, read independently of the page."""

    def __init__(self):
        with open(f"{ROOT}/web/words/heads.bin", "rb") as source:
            data = source.read()
        end = data.index(b"\n") + 1
        self.told = json.loads(data[:end])
        self.heads = self.told["layers"] * self.told["heads"]
        sizes = [2 * len(s["tokens"]) * s["width"] for s in self.told["sentences"]]
        count = self.heads * sum(sizes)
        low, high = (np.frombuffer(data, "u1", count, end + i * count).astype(int) for i in (0, 1))
        signed = low + 256 * high
        self.numbers = np.where(signed % 2 == 0, signed // 2, -(signed + 1) // 2) * self.told["step"]
        self.starts = np.cumsum([0] + [self.heads * size for size in sizes])
        self.kept = np.frombuffer(data, "u1", offset=end + 2 * count) / 255

    def vectors(self, index):
        """Queries and keys, (heads, tokens, width)."""
        sentence = self.told["sentences"][index]
        shape = (self.heads, sentence["width"], 2, len(sentence["tokens"]))
        both = self.numbers[self.starts[index]:self.starts[index + 1]].reshape(shape)
        return both[:, :, 0].swapaxes(1, 2), both[:, :, 1].swapaxes(1, 2)

    def scores(self, index):
        query, key = self.vectors(index)
        return query @ key.swapaxes(1, 2) / math.sqrt(32)

    def weights(self, index):
        e = np.exp(self.scores(index))
        return e / e.sum(-1, keepdims=True)

    def model_weights(self, index):
        """As the model gave them, before anything was rounded."""
        sizes = [self.heads * len(s["tokens"]) ** 2 for s in self.told["sentences"]]
        start = sum(sizes[:index])
        return self.kept[start:start + sizes[index]]


def normal(z):
    """P(Z <= z)."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


class Words(Page):
    READING = "const { reading } = window.qkvPage.page.words; return "

    def at(self, **state):
        self.browser.open("#view=words" + "".join(f"&{name}={value}" for name, value in state.items()))
        self.browser.settled()

    def test_weights_of_real_heads_are_softmax(self):
        """Of every head and sentence, the page's weights are NumPy's, and both are the model's, as far as they were rounded."""
        export = Export()
        for index, sentence in enumerate(export.told["sentences"]):
            self.at(sentence=index)
            n = len(sentence["tokens"])
            expect([e.text for e in self.browser.all(".chip .word")] == sentence["tokens"], "the words")
            found = np.array(self.browser.run(self.READING + "[...reading.weights]")).reshape(export.heads, n, n)
            expect(np.abs(found - export.weights(index)).max() < 1e-12, f"{sentence['text']}: the page's weights are not NumPy's")
            apart = np.abs(found.ravel() - export.model_weights(index)).max()
            expect(apart < export.told["deviation"] + 0.51 / 255, f"{sentence['text']}: {apart} from the model's")
        expect(abs(export.told["scale"] - 1 / math.sqrt(32)) < 1e-15, "the scale")

    def test_kinds_of_heads(self):
        """A head's kind is what most words do: worked out here again, from NumPy's weights."""
        export, b = Export(), self.browser
        for index in (CAT, 4):
            weights = export.weights(index)
            n = weights.shape[1]
            kinds = []
            for head in weights:
                doing = []
                for i in range(1, n - 1):
                    j = int(head[i].argmax())
                    doing.append("averages" if head[i, j] <= 0.5 else "itself" if j == i else "rests" if j in (0, n - 1) else "copies")
                counts = [doing.count(kind) for kind in ("copies", "rests", "itself", "averages")]
                kinds.append(("copies", "rests", "itself", "averages")[counts.index(max(counts))])
            self.at(sentence=index)
            expect([e.get_attribute("data-kind") for e in b.all(".thumb")] == kinds, "kinds")
            told = [int(e.text) for e in b.all("#kinds .heads")]
            expect(told == [kinds.count(k) for k in ("copies", "rests", "itself", "averages")], f"{told}")
            expect(min(kinds.count(k) for k in ("copies", "rests", "averages")) > 0, "of each")

    def test_a_word_is_pointed_at(self):
        b = self.browser
        self.at(sentence=CAT, head=BEFORE)
        self.picture("words")
        expect("always the one before" in b.text("#head-told"), b.text("#head-told"))
        for word, before in ((2, 1), (6, 5), (10, 9)):
            ActionChains(b.driver).move_to_element(b.all(".chip")[word]).perform()
            b.settled()
            expect(b.state()["token"] == word, "the word")
            shares = [float(w) for w in b.run("return [...document.querySelectorAll('.chip')].map((c) => c.style.getPropertyValue('--weight'))")]
            expect(shares.index(max(shares)) == before and shares[before] > 0.9, str(shares))
            near(sum(shares), 1, 1e-6)
        expect("takes" in b.find("#tip").text or b.find("#tip").get_attribute("hidden"), "the tip")

    def test_heads_by_mouse_and_keys(self):
        b = self.browser
        self.at(sentence=CAT)
        b.all(".thumb")[20].click()
        expect(b.state()["head"] == 20 and b.text("#head-name") == "Layer 2, head 9", b.text("#head-name"))
        expect("always the one after" in b.text("#head-told") or "copies" in b.text("#head-told"), b.text("#head-told"))
        b.all(".thumb")[20].send_keys(Keys.ARROW_DOWN)
        b.find(".thumb[aria-pressed=true]").send_keys(Keys.ARROW_LEFT)
        expect(b.state()["head"] == 31, str(b.state()["head"]))
        expect(b.run("return document.activeElement === document.querySelectorAll('.thumb')[31]"), "focus follows")
        Select(b.find("#sentences")).select_by_index(1)
        expect(b.all(".chip .word")[1].text == "paris", "the sentence")
        b.until("return location.hash.includes('sentence=1') && location.hash.includes('head=31')")
        b.find("body").send_keys(Keys.CONTROL, "z")
        expect(b.all(".chip .word")[1].text == "the", "undone")

    def test_noise_on_a_key(self):
        """How likely a word changes what it does: a normal probability, worked out here."""
        export, b, noise = Export(), self.browser, 0.5
        scores, weights = export.scores(CAT), export.weights(CAT)
        n = scores.shape[1]
        def change(head, i, j):
            others = math.log(sum(math.exp(s) for k, s in enumerate(scores[head, i]) if k != j))
            score = scores[head, i, j]
            below = normal((others / score - 1) / math.sqrt(noise)) if score > 0 else 1 - normal((others / score - 1) / math.sqrt(noise))
            return below if weights[head, i, j] > 0.5 else 1 - below
        for key in (-1, 3):
            self.at(sentence=CAT, jitter=noise, noisy=key)
            found = b.run(self.READING + "reading.changes(window.qkvPage.page.engine, arguments[0] < 0 ? reading.tokens.length : arguments[0], 0.5).heads", key)
            for head in range(export.heads):
                expected = [change(head, i, int(weights[head, i].argmax()) if key < 0 else key) for i in range(1, n - 1)]
                near(found[head], sum(expected) / len(expected), 1e-9)
        self.picture("words-noise")
        width = b.run("return [...document.querySelectorAll('.shake')].map((e) => e.getBoundingClientRect().width)")
        for head in range(export.heads):
            near(width[head] / max(width), found[head] / max(found), 0.05)

    def test_the_slider_and_draws(self):
        b = self.browser
        self.at(sentence=CAT, head=21, token=6)
        expect(not b.find("#words-draw").is_enabled(), "nothing to draw yet")
        b.find("#jitter").send_keys(*[Keys.ARROW_RIGHT] * 10)
        near(b.state()["jitter"], 0.5, 1e-9)
        expect(len(b.all(".chip.noisy")) == 1 and b.find("#words-draw").is_enabled(), "a noisy key")
        before = b.run("return [...document.querySelectorAll('.chip')].map((c) => Number(c.style.getPropertyValue('--weight')))")
        lengths = set()
        for _ in range(3):
            b.find("#words-draw").click()
            lengths.add(b.text("#words-length"))
        after = b.run("return [...document.querySelectorAll('.chip')].map((c) => Number(c.style.getPropertyValue('--weight')))")
        near(sum(after), 1, 1e-6)
        expect(len(lengths) == 3 and after != before, f"{lengths} {after}")
        drawn, noisy = float(b.text("#words-length")[4:].replace("−", "-")), b.run("return [...document.querySelectorAll('.chip')].findIndex((c) => c.classList.contains('noisy'))")
        scores = list(Export().scores(CAT)[21, 6])
        scores[noisy] *= drawn
        e = [math.exp(s) for s in scores]
        near(after[noisy], e[noisy] / sum(e), 0.02)  # the length is printed with three digits
        b.find("#words-run").click()
        b.until("return document.getElementById('words-length').textContent !== arguments[0]", b.text("#words-length"))
        b.find("#jitter").send_keys(Keys.HOME)
        expect(b.text("#words-length") == "" and b.find("#words-run").get_attribute("aria-pressed") == "false", "still drawing")

    def test_words_on_small_screens(self):
        b = self.browser
        for width, height in ((1440, 900), (1280, 720), (768, 1024), (360, 740)):
            b.resize(width, height)
            self.at(sentence=2)
            self.picture(f"words-{width}")
            expect(b.run("return document.documentElement.scrollWidth") <= width, f"{width}: too wide")
            for part in ("#chips", "#head-told", ".thumb"):
                bottom = b.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", part)
                expect(bottom <= height, f"{part} ends at {bottom} of {height}, {width} wide")
        b.resize(1280, 1000)

    def test_words_are_saved_as_seen(self):
        b = self.browser
        self.at(sentence=CAT)
        b.find("#words-svg").click()
        text = b.saved("qkv-words.svg")
        expect(text.count("<image") == 72 and "because" in text and "data:image/png" in text, "heads and words")
        b.find("#words-png").click()
        expect(b.saved_bytes("qkv-words.png")[:4] == b"\x89PNG", "a PNG")
