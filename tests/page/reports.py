"""Reports of the command, in a browser: what is printed fits on paper, and no figure is empty."""
import base64
import glob
import re

from common import ROOT, Page, expect

ASSIGNMENT = sorted(glob.glob(f"{ROOT}/examples/assignment/0*.md"))
PAPER = 680  # pixels between the margins of a page

# Formulas wider than what they stand in.
WIDE = """
return [...document.querySelectorAll('math')].filter((m) => m.checkVisibility() && !m.closest('details')).map((m) => [m.getBoundingClientRect().width - m.closest('li, p, div, td').offsetWidth, m])
  .filter(([over]) => over > 1).map(([over, m]) => `${Math.round(over)} pixels: ${m.parentNode.title}`);
"""

# Drawn with nothing but their marks: how many pixels of each panel these cover. A panel is the area
# between its axes; a map and a triangle have none.
MARKS = """
const image = new Image(), canvas = document.createElement('canvas'), svg = new DOMParser().parseFromString(arguments[0], 'image/svg+xml').documentElement;
const panels = [...svg.querySelectorAll('.panel')].map((p) => [p.dataset.x, p.dataset.y].map((axis) => (axis ?? '').split(' ').slice(-2).map(Number)));
svg.querySelectorAll('.grid, .axes, .legend, text').forEach((part) => part.remove());
image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
await image.decode();
[canvas.width, canvas.height] = [svg.getAttribute('width'), svg.getAttribute('height')].map(Number);
const context = canvas.getContext('2d', { willReadFrequently: true });
context.drawImage(image, 0, 0);
const seen = (x, y, w, h) => { const { data } = context.getImageData(x, y, w, h); let n = 0; for (let i = 3; i < data.length; i += 4) n += data[i] > 60; return n; };
const framed = panels.filter(([x, y]) => x.length === 2 && y.length === 2);
return framed.length === 0 ? [seen(0, 0, canvas.width, canvas.height)]
  : framed.map(([[x0, x1], [y0, y1]]) => seen(Math.min(x0, x1) - 3, Math.min(y0, y1) - 3, Math.abs(x1 - x0) + 6, Math.abs(y1 - y0) + 6));
"""


class Reports(Page):
    def show_report(self, *words):
        path = f"{self.folder}/report.html"
        self.cli("check", "--quiet", "--report", path, *words)
        self.browser.driver.get("file://" + path)

    def pages(self):
        paper = base64.b64decode(self.browser.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True})["data"])
        return len(re.findall(rb"/Type\s*/Page\b", paper))

    def test_the_short_report_is_a_handout(self):
        b = self.browser
        b.resize(PAPER, 1000)
        try:
            self.show_report("--short", *ASSIGNMENT)
            b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            wide = b.run(WIDE)
            expect(wide == [], "\n".join(wide))
            count = self.pages()
            expect(count < 10, f"{count} pages for {len(ASSIGNMENT)} documents")
        finally:
            b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            b.resize(1280, 1000)

    def test_a_refutation_that_was_expected_is_not_red(self):
        """In the long report and in the short one; and fractions are as large as the text."""
        b = self.browser
        path = f"{self.folder}/two.md"
        with open(path, "w", encoding="utf-8") as document:
            document.write("```qkv\nclaim meant: 2/3 = 1/2  expect refuted\nclaim wrong: 2/3 = 1/2\n```\n")
        for words in [], ["--short"]:
            self.show_report(*words, path)
            meant, wrong = b.run("return [...document.querySelectorAll(':is(.claim, .claim-line) .verdict')].map((e) => getComputedStyle(e).color.match(/\\d+/g).map(Number))")
            red = lambda colour: colour[0] - max(colour[1:])
            expect(red(meant) < 20 < red(wrong), f"{words}: {meant} and {wrong}")
            sizes = b.run("return [...document.querySelectorAll('.claim mfrac > :first-child')].map((e) => parseFloat(getComputedStyle(e).fontSize) / parseFloat(getComputedStyle(e.closest('p, div')).fontSize))")
            expect(all(size > 0.9 for size in sizes), f"fractions are scaled by {sizes}")

    def test_no_figure_of_a_report_is_empty(self):
        b = self.browser
        for words in ASSIGNMENT, [f"{ROOT}/examples/mistakes.md"], [f"{ROOT}/tests/claims/random_moments.qkv"]:
            self.show_report(*words)
            figures = b.run("return [...document.querySelectorAll('figure svg')].map((svg) => [svg.getAttribute('aria-label'), new XMLSerializer().serializeToString(svg)])")
            expect(figures, f"no figures in {words}")
            b.driver.get("about:blank")
            for name, text in figures:
                marks = b.wait(MARKS, text)
                expect(isinstance(marks, list) and min(marks) > 30, f"{words[0]}: {name}: {marks}")
