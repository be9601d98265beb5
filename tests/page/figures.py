"""The command's pictures, laid out by a browser: no text runs into another one, or out of the picture."""
from common import Page, expect

KEYS = (3, 5, 10, 30, 100, 1000)  # six numbers of keys

# Texts whose boxes overlap by more than two pixels each way, and texts that leave the picture.
COLLISIONS = """
const svg = document.querySelector('svg'), frame = svg.getBoundingClientRect();
const texts = [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim() && !t.closest('[transform*=rotate]') && !/rotate/.test(t.getAttribute('transform') ?? ''));
const boxes = texts.map((t) => t.getBoundingClientRect()), found = [];
boxes.forEach((a, i) => {
  if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push(`${texts[i].textContent} leaves the picture`);
  boxes.slice(i + 1).forEach((b, j) => {
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 2 && high > 4) found.push(`${texts[i].textContent} and ${texts[i + 1 + j].textContent}`);
  });
});
return found;
"""


class Figures(Page):
    def collisions(self, *words):
        self.browser.driver.get("about:blank")
        self.browser.run("document.body.innerHTML = arguments[0]", self.cli("plot", *words))
        return self.browser.run(COLLISIONS)

    def test_texts_in_pictures_do_not_collide(self):
        all_keys = ",".join(map(str, KEYS))
        near = "3,4,5,6,7,8"  # whose numbers are close to each other
        pictures = [("weights", "--keys", all_keys), ("weights", "--keys", near), ("error", "--keys", near), ("error", "--keys", all_keys), ("key",), ("diagram",), ("permutation",)]
        pictures += [(name, "--keys", str(n)) for name in ("weights", "law", "fall", "error") for n in KEYS]
        for words in pictures:
            for more in ((), ("--width", "1100")):
                found = self.collisions(*words, *(("--samples", "5000") if words[0] in ("law", "fall") else ()), *more)
                expect(found == [], f"{' '.join(words + more)}: {found}")
