"""What surrounds the playground: undo, scenes, pictures, print, sliders, and bad numbers."""
import base64
import struct
import xml.dom.minidom

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from common import NOISE, ORTHO, Page, expect, near


class Tools(Page):
    def test_undo_reset_and_scenes(self):
        b = self.browser
        b.open("")
        b.settled()
        start = b.state()
        self.drag("query-0", (0, 60))
        moved = b.state()
        expect(moved["queries"] != start["queries"], "moved")
        b.find("#undo").click()
        expect(b.state()["queries"] == start["queries"], "undone")
        Select(b.find("#presets")).select_by_visible_text("A key of uncertain length")
        b.until("return window.qkvPage.page.playground.singles > 0")
        expect(b.state()["space"] == "ortho", "the scene")
        b.find("#reset").click()
        b.settled()
        expect(b.state() | {"turn": start["turn"]} == start, "reset")
        b.find("body").send_keys(Keys.CONTROL, "z")
        expect(b.state()["space"] == "ortho", "the reset is undone")

    def test_links_are_copied_everywhere(self):
        b = self.browser
        for view in ("play", "words", "check"):
            b.open(f"#view={view}&beta=7&sentence=3")
            if view == "check":
                self.checked()
            b.run("const { page } = window.qkvPage; page.state.sentence = 4")  # not yet in the address
            b.run("window.copied = ''; Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (text) => { window.copied = text; } } })")
            button = next(e for e in b.all(".copy-link") if e.is_displayed())
            button.click()
            b.until("return window.copied !== ''")
            copied = b.run("return window.copied")
            expect("sentence=4" in copied and f"view={view}" in copied.replace("#", "#view=play&"), copied)
            expect(b.text("#told") == "Copied", "it is said")

    def test_back_goes_back_one_step(self):
        b = self.browser
        b.open("")
        b.find("header nav a[data-view=tour]").click()
        b.find("[data-step='0'] .next").click()
        b.find("[data-step='1'] .next").click()
        expect(b.state()["step"] == 2, "step 3")
        b.driver.back()
        b.until("return window.qkvPage.page.state.step === 1")
        b.driver.back()
        b.driver.back()
        b.until("return window.qkvPage.page.state.view === 'play'")

    def test_the_theme_is_kept(self):
        b = self.browser
        b.open("")
        name = b.text("#theme")
        b.find("#theme").click()
        expect(b.text("#theme") != name, "the button names the other theme")
        b.open("")
        expect(b.text("#theme") != name, "lost")
        b.run("localStorage.clear()")

    def test_what_is_saved_is_what_is_seen(self):
        b = self.browser
        b.open(f"#{NOISE}&n=5&beta=9")
        b.until("return window.qkvPage.page.playground.dots > 0")
        b.find("#save-svg").click()
        text = b.saved("qkv.svg")
        svg = xml.dom.minidom.parseString(text).documentElement
        expect(svg.tagName == "svg", svg.tagName)
        words = [node.firstChild.data for node in svg.getElementsByTagName("text") if node.firstChild]
        for word in ("Keys and query", "Values and output", "exponential"):
            expect(word in words, f"{word} is not among {words}")
        images = svg.getElementsByTagName("image")
        expect(len(images) == 2 and all(i.getAttribute("href").startswith("data:image/png") for i in images), "the map and the discs")
        c = b.run("return document.querySelector('circle.output').getAttribute('cx')")
        expect(f'cx="{c}"' in text, "c is where it is on the screen")
        self.check_planes(text)
        b.find("#save-png").click()
        png = b.saved_bytes("qkv.png")
        size = [round(2 * float(svg.getAttribute(name))) for name in ("width", "height")]
        expect(png[:4] == b"\x89PNG" and list(struct.unpack(">II", png[16:24])) == size, f"{png[:24]}, expected {size}")
        b.find("#save-pdf").click()
        pdf = b.saved_bytes("qkv.pdf")
        expect(pdf.startswith(b"%PDF-1.4") and b"/DCTDecode" in pdf and pdf.rstrip().endswith(b"%%EOF"), "a PDF")
        table = int(pdf.rsplit(b"startxref", 1)[1].split()[0])
        for i, line in enumerate(pdf[table:].split(b"\n")[3:8]):
            expect(pdf[int(line[:10]):].startswith(b"%d 0 obj" % (i + 1)), f"object {i + 1} is not where the table says")

    def check_planes(self, text):
        """Drawn, the picture has the query and the output c where the screen has them."""
        colours = self.browser.wait("""
            const image = new Image(), canvas = document.createElement('canvas'), svg = new DOMParser().parseFromString(arguments[0], 'image/svg+xml').documentElement;
            image.src = `data:image/svg+xml,${encodeURIComponent(arguments[0])}`;
            await image.decode();
            [canvas.width, canvas.height] = ['width', 'height'].map((name) => Math.round(svg.getAttribute(name)));
            const context = canvas.getContext('2d', { willReadFrequently: true }), whole = document.getElementById('keys-figure').getBoundingClientRect();
            context.drawImage(image, 0, 0);
            return ['#keys .handle.query .dot', 'circle.output'].map((name) => {
              const at = document.querySelector(name).getBoundingClientRect(), ring = at.width / 2;
              return [...context.getImageData(at.x + ring - whole.x + 12, at.y + ring - whole.y + 12, 1, 1).data];
            });""", text)
        expect(isinstance(colours, list), colours)
        for name, seen in zip("qc", colours):
            expect(max(seen[:3]) < 160, f"{name} is not drawn: {seen}")

    def test_printing_keeps_bars_and_figures(self):
        b = self.browser
        b.open("#n=3")
        b.settled()
        b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        look = b.run("const s = getComputedStyle(document.querySelector('.weight .bar span')); return [s.printColorAdjust ?? s.webkitPrintColorAdjust, s.backgroundColor]")
        expect(look[0] == "exact" and look[1] != "rgba(0, 0, 0, 0)", str(look))
        expect(b.run("return getComputedStyle(document.getElementById('tools')).display") == "none", "tools are printed")
        expect("β = 3" in b.text("#printed") and b.find("#printed").is_displayed(), "beta is on the paper")
        for view, parts in (("words", (".chip", ".thumb", "#map")), ("check", ("#marks", "#claims > li")), ("tour", (".card", ".option"))):
            b.open(f"#view={view}")
            b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            if view == "check":
                self.checked()
            for part in parts:
                expect(b.find(part).is_displayed(), f"{part} is not printed")
        b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        for view in ("play&n=3", f"play&{NOISE}&n=10&beta=10", "words", "words&jitter=0.5"):
            b.open(f"#view={view}")
            b.settled()
            paper = base64.b64decode(b.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
            pages = paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ")
            expect(pages == 1 and paper.startswith(b"%PDF"), f"{view} takes {pages} pages")

    def test_sliders_change_everything(self):
        b = self.browser
        b.open(f"#{ORTHO}&n=10")
        b.find("#settings summary").click()
        b.settled()
        for name, key, keys in (("beta", "beta", Keys.END), ("n", "n", Keys.HOME), ("alpha", "alpha", Keys.END),
                                ("stretch-1", None, Keys.END), ("tolerance", "tolerance", Keys.END)):
            old = b.state()
            b.find(f"#{name}").send_keys(keys)
            new = b.state()
            expect(new[key] != old[key] if key else new["stretch"][1] == 2, f"{name} did nothing")
        b.run("document.getElementById('heads-3').click()")
        expect(b.state()["heads"] == 3, "heads")
        b.run("document.getElementById('space-plane').click()")
        b.settled()
        expect(len(b.all("[data-handle^=key-]")) == 2, "n = 2 keys in the plane")

    def test_samples_agree_with_the_law(self):
        b = self.browser
        b.open("#space=ortho&target=average&stretch=0.5&n=10&beta=10&heads=2&queries=1,0,0;0,1,0")
        b.until("return window.qkvPage.page.playground.drawn >= 200000")
        law = b.run("return window.qkvPage.page.playground.law")
        b.settled()
        shown = float(b.text("[data-part=failure]").rstrip(" %"))
        expect(law["known"] and law["hasFailure"], "there is a law")
        near(shown / 100, law["failure"], 0.01)
        near(float(b.text("[data-part=mean]")), law["mean"], 0.01)
        expect(b.run("return document.querySelector('#law svg').querySelectorAll('path').length") > 3, "the law is drawn")

    def test_numbers_tell_their_formula(self):
        b = self.browser
        b.open(f"#{NOISE}&n=10&beta=4")
        b.until("return window.qkvPage.page.playground.drawn >= 200000")
        numbers = b.all("#playground .number")
        expect(len(numbers) >= 9, f"{len(numbers)} numbers")
        for number in numbers:
            if number.is_displayed():
                expect(number.get_attribute("data-formula"), number.text)
                expect(number.get_attribute("tabindex") == "0", "focus")
        b.run("document.querySelector('#weights .weight .number').focus()")
        expect(b.find("#tip").is_displayed() and "e<sup>4</sup>" in b.find("#tip").get_attribute("innerHTML"), b.find("#tip").get_attribute("innerHTML"))
        expect(b.find("#weights .weight .number").get_attribute("aria-describedby") == "tip", "described")
        ActionChains(b.driver).move_to_element(b.find("[data-part=exact]")).perform()
        expect("P(|c − target|" in b.find("#tip").text, b.find("#tip").text)

    def test_reduced_motion_draws_at_once(self):
        b = self.browser
        b.prefer(prefers_reduced_motion="reduce")
        for address in (f"#{NOISE}&n=10", "#space=ortho&n=100&heads=3&alpha=0.1"):
            b.open(address)
            b.settled()
            pictures = b.run("const p = window.qkvPage.page.playground, told = p.showSamples; window.told = 0;"
                             "p.showSamples = () => { window.told++; told.call(p); }; p.show(p.state)")
            expect(pictures is None, "counted")
            b.until("return window.told > 0")
            b.settled()
            expect(b.run("return window.qkvPage.page.playground.frame") is None, "something moves")
            expect(b.run("return window.told") == 1, "drawn more than once")
        b.prefer(prefers_reduced_motion="no-preference")

    def test_frames_are_short(self):
        b = self.browser
        b.open("#n=8")
        b.settled()
        b.run("window.qkvPage.page.playground.frames.length = 0")
        self.drag("query-0", *[(3, 2)] * 30)
        frames = sorted(b.run("return window.qkvPage.page.playground.frames"))
        expect(frames[len(frames) // 2] < 16, f"median frame: {frames[len(frames) // 2]} ms")

    def test_numbers_beyond_the_picture_are_taken_back(self):
        b = self.browser
        for space in ("ortho", "plane"):
            b.open(f"#space={space}&n=4&alpha=0.1&target=average&queries=1e300,-1e9,1e200&values=1e308,0;-1e308,5&keys=1e300,1e300;0,-1e155")
            b.until("return window.qkvPage.page.playground.drawn > 0")
            b.settled()
            state = b.state()
            expect(state["queries"][0] == [1.35, -1.35, 1.5], str(state["queries"]))
            expect(state["values"][:2] == [[1.35, 0], [-1.35, 1.35]], str(state["values"]))
            expect(b.text("[data-part=c]") != "" and "not known" not in b.text("#playground"), b.text("#playground"))

    def test_a_scene_that_is_refused_is_said(self):
        b = self.browser
        b.open("#n=4")
        b.settled()
        b.run("const { page } = window.qkvPage; page.state.queries[0][0] = NaN; console.error = () => {}; page.playground.show(page.state)")
        b.until("return document.querySelector('[data-part=c]').textContent === 'not known'")
        b.run("const { page } = window.qkvPage; page.state.queries[0][0] = 1; page.playground.show(page.state)")
        b.until("return document.querySelector('[data-part=c]').textContent.startsWith('(')")

    def test_small_negative_numbers_have_one_minus_sign(self):
        b = self.browser
        b.open("#n=2&beta=1&queries=1,0.5&values=-0.8,-0.4;0.8,0.4&heads=1")
        b.run("const { page } = window.qkvPage; page.state.values[0][0] = page.state.values[1][0] = -0.0000987; page.playground.show(page.state)")
        b.until("return document.querySelector('[data-part=c]').textContent.includes('·10')")
        expect("−9.9·10⁻⁵" in b.text("[data-part=c]") and "-" not in b.text("[data-part=c]"), b.text("[data-part=c]"))

    def test_without_vectors_the_numbers_are_the_same(self):
        b = self.browser
        numbers = []
        for search in ("", "?plain"):
            b.open(f"#{NOISE}&n=10&beta=10&heads=2", search)
            b.settled()
            numbers.append(b.run("""const { engine } = window.qkvPage.page;
                engine.call('play_draw', 0, 500);
                return [...engine.results(2000)].concat([...window.qkvPage.page.playground.weights])"""))
        expect("without" in b.text("#engine"), b.text("#engine"))
        expect(numbers[0] == numbers[1], "samples differ in their bits")
