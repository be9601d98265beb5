#!/usr/bin/python3
"""run.py COMMAND PAGE [FOLDER]: tests of the page in a browser; TAP.

What the page says of documents is compared with what the command says of them, and numbers of laws
and pictures with the command's. With a folder, pictures of the page are left there, to be looked at.
"""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VIEWS = ("play", "tour", "check")
STEPS = 10
ORTHO = "space=ortho&target=average&queries=1,1,0"  # the average of two orthonormal keys
NOISE = ORTHO + "&stretch=0.5"

# Documents that the page must judge as the command does, to the last byte.
SAME = ["examples/assignment/000.md", "examples/assignment/001.md", "examples/assignment/002.md",
        "examples/mistakes.md"] + [f"tests/claims/{name}.qkv" for name in (
            "arbitrary_keys", "average_of_two", "bounds", "designs_numbers", "find",
            "keys_queries_values", "lengths", "matrices", "pitfalls", "random_conditions",
            "random_keys", "random_moments", "search", "signs", "table_long")]
# Documents with claims that take linear programs, which the page has not: those it leaves open, or
# tells less about.
OPEN = ["examples/assignment/003.md", "examples/assignment/004.md", "docs/reference/language.md",
        "tests/claims/designs.qkv"]


def expect(condition, message):
    if not condition:
        raise AssertionError(message)


def near(x, y, tolerance):
    expect(abs(x - y) <= tolerance, f"{x} is not {y} within {tolerance}")


def ulps(x, y):
    """How many doubles apart two numbers of one sign are."""
    if math.isinf(x) or math.isinf(y) or x == y:
        return 0 if x == y else math.inf
    order = [struct.unpack("<q", struct.pack("<d", value))[0] for value in (x, y)]
    return abs(order[0] - order[1])


def settled(claims):
    """What does not depend on how a search went: its examples, and how many were tried, follow the last
    digits of margins."""
    dropped = ("replayed",), ("replayed", "found", "reason")
    return [{key: value for key, value in claim.items() if key not in dropped[claim["engine"] == "search"]}
            for claim in claims]


class Tests:
    def __init__(self, command, page, pictures):
        self.command, self.page, self.pictures = os.path.abspath(command), page, pictures
        self.folder = tempfile.mkdtemp()
        self.browser = Browser(page, self.folder)

    def picture(self, name):
        if self.pictures:
            os.makedirs(self.pictures, exist_ok=True)
            self.browser.driver.save_screenshot(f"{self.pictures}/{name}.png")

    def cli(self, *words, folder=None, status=(0, 1)):
        done = subprocess.run([self.command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=folder, check=False)
        expect(done.returncode in status, done.stderr.decode())
        return done.stdout.decode()

    # ---- The file ----

    def test_is_small_and_asks_for_nothing(self):
        with open(self.page, "rb") as source:
            page = source.read()
        expect(len(page) < 1_200_000, f"{len(page)} bytes")
        for word in (b' src="http', b' href="http', b"@import", b"url(http", b"fetch("):
            expect(word not in page, f"{word} in the page")

    # ---- The playground ----

    def test_weights_follow_the_query(self):
        b = self.browser
        b.open(f"#{ORTHO}&n=10&beta=4")
        b.settled()
        self.picture("play")
        share = math.exp(4) / (8 + 2 * math.exp(4))
        near(b.run("return window.qkvPage.page.playground.weights[0]"), share, 1e-15)
        near(float(b.text("#weights tbody tr .weight .number")), share, 5e-4)
        near(float(b.text("#weights tbody tr .exponential .number")), math.exp(4), 0.05)

    def test_the_opening_needs_no_scrolling(self):
        """The sentence, the query, the steps and the output are on the screen together."""
        b = self.browser
        for width, height in ((1280, 720), (1440, 900), (768, 1024), (360, 740)):
            b.resize(width, height)
            b.open("")
            b.settled()
            self.picture(f"opening-{width}")
            for part in ("#sentence", "[data-handle=query-0]", "#weights tbody tr", "circle.output"):
                box = b.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.top, r.bottom]", part)
                expect(0 <= box[0] and box[1] <= height, f"{part} is at {box} of {height}, {width} wide")
        b.resize(1280, 1000)
        expect(b.run("return document.querySelectorAll('.invitation').length") == 1, "nothing asks to be dragged")
        expect(b.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime") < 3000, "first paint")

    def drag(self, name, *steps):
        chain = ActionChains(self.browser.driver).click_and_hold(self.browser.find(f"[data-handle={name}]"))
        for step in steps:
            chain = chain.move_by_offset(*step)
        chain.release().perform()
        self.browser.settled()

    def test_dragging_the_query_moves_the_output(self):
        b = self.browser
        b.open("")
        b.settled()
        before = b.run("return { c: [...window.qkvPage.page.playground.c], beta: window.qkvPage.page.state.beta }")
        self.drag("query-0", (40, 20), (30, 20))
        after = b.run("return { c: [...window.qkvPage.page.playground.c], beta: window.qkvPage.page.state.beta }")
        expect(after["beta"] > before["beta"] + 1, f"beta went from {before} to {after}: the arrow is as long as beta says")
        expect(math.dist(after["c"], before["c"]) > 0.05, f"c went from {before} to {after}")
        expect(b.all(".invitation") == [], "it still asks to be dragged")
        b.until("return location.hash.includes('queries=')")
        shown = b.run("return document.querySelector('circle.output').dataset.output.split(',').map(Number)")
        near(shown[0], after["c"][0], 1e-12)

    def test_the_arrow_is_as_long_as_beta(self):
        b = self.browser
        sizes = []
        for beta in (1, 4, 20, 50):
            b.open(f"#beta={beta}&queries=1,0,0")
            b.settled()
            at = b.run("const m = document.querySelector('[data-handle=query-0]').transform.baseVal[0].matrix; return [m.e, m.f]")
            sizes.append(math.hypot(*at))
        expect(sizes == sorted(sizes) and sizes[3] - sizes[0] > 0.6, str(sizes))
        near(sizes[1] - sizes[0], sizes[2] - sizes[1], 0.12)  # a logarithmic ruler: 1 to 4 is nearly 4 to 20

    def test_projections_are_as_the_scores(self):
        b = self.browser
        b.open("#n=3&beta=5")
        b.settled()
        found = b.run("""return [...document.querySelectorAll('#keys path.score')].map((path) => {
            const [x, y] = path.getAttribute('d').split('L')[1].split(' ').map(Number);
            return [Math.hypot(x, y), Number(path.dataset.score.replace('−', '-'))]; })""")
        ratios = [length / abs(score) for length, score in found]
        expect(len(found) == 3 and max(ratios) - min(ratios) < 0.002, str(found))

    def test_the_map_shows_who_wins(self):
        b = self.browser
        b.open("#n=3")
        b.settled()
        pixels = b.run("""const canvas = document.querySelector('#keys canvas'), context = canvas.getContext('2d');
            const { keys } = window.qkvPage.page.state, size = canvas.width, half = size / 2;
            const { data } = context.getImageData(0, 0, size, size), at = (x) => Math.round(half + x * 0.9 * half);
            return keys.slice(0, 3).map(([x, y]) => [...data.subarray(4 * (at(-y) * size + at(x))).subarray(0, 4)])""")
        inks = b.run("return [0, 1, 2].map((i) => getComputedStyle(document.body).getPropertyValue(`--key-${i}`).trim())")
        for pixel, ink in zip(pixels, inks):
            wanted = [int(ink[i:i + 2], 16) for i in (1, 3, 5)]
            expect(all(abs(x - y) < 12 for x, y in zip(pixel, wanted)), f"{pixel} instead of {wanted}")

    def test_a_row_lights_its_vectors(self):
        b = self.browser
        b.open("#n=3")
        b.settled()
        ActionChains(b.driver).move_to_element(b.find("#weights tbody tr:nth-child(2) th")).perform()
        dim = b.run("return ['ink-0', 'ink-1'].map((ink) => getComputedStyle(document.querySelector(`#keys .arrow.${ink}`)).opacity)")
        expect(dim == ["0.25", "1"], str(dim))

    def test_values_and_keys_are_dragged_too(self):
        b = self.browser
        b.open("#space=plane&n=4")
        b.settled()
        for name, entry in (("key-2", "keys"), ("value-1", "values")):
            old = b.state()[entry][int(name[-1])]
            self.drag(name, (-30, -20))
            new = b.state()[entry][int(name[-1])]
            expect(new[0] < old[0] - 0.1 and new[1] > old[1] + 0.05, f"{name}: {old} {new}")

    def test_arrow_keys_move_points(self):
        b = self.browser
        b.open("#n=3&queries=1,0,0&beta=3")
        b.settled()
        b.find("[data-handle=query-0]").send_keys(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_RIGHT)
        b.settled()
        state = b.state()
        expect(state["queries"][0][1] > 0.05 and state["beta"] > 3, str(state["queries"]))
        expect("length" in b.find("[data-handle=query-0]").get_attribute("aria-valuetext"), "valuetext")
        b.find("[data-handle=key-0]").send_keys(Keys.ARROW_LEFT)
        near(b.state()["keys"][0][0], state["keys"][0][0] - 0.05, 1e-9)

    def touch(self, name, *steps):
        b = self.browser
        box = b.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]",
                    f"[data-handle={name}]")
        at = [box]
        for step in steps:
            at.append([at[-1][0] + step[0], at[-1][1] + step[1]])
        for i, (x, y) in enumerate(at):
            b.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
                "type": "touchMove" if i else "touchStart", "touchPoints": [{"x": x, "y": y}]})
        b.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        b.settled()

    def test_touch_drags_up_and_down(self):
        """A drag that begins on a point never scrolls the page."""
        b = self.browser
        b.resize(360, 740)
        b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        b.open("#n=3&queries=1,0,0&beta=10")
        b.settled()
        self.touch("query-0", *[(-4, 12)] * 8)
        q = b.state()["queries"][0]
        expect(q[1] < -0.5, f"q is {q}: the drag was taken for scrolling")
        expect(b.run("return scrollY") == 0, "the page scrolled")
        b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        b.resize(1280, 1000)

    # ---- Noise, one draw at a time ----

    def test_draws_come_one_at_a_time(self):
        b = self.browser
        b.open("")
        b.settled()
        expect(b.find("#pace-draw").get_attribute("disabled"), "there is nothing to draw yet")
        b.find("#noise-switch").click()
        b.until("return window.qkvPage.page.playground.singles > 1")
        b.find("#pace-draw").click()
        b.settled()
        first = b.run("const p = window.qkvPage.page.playground; return [p.singles, ...p.single.c, ...p.single.keys[0]]")
        b.find("#pace-draw").click()
        b.settled()
        second = b.run("const p = window.qkvPage.page.playground; return [p.singles, ...p.single.c, ...p.single.keys[0]]")
        expect(second[0] == first[0] + 1, f"{first[0]} draws, then {second[0]}")
        expect(second[3:5] != first[3:5] and second[1:3] != first[1:3], "the key does not breathe")
        a = b.state()["keys"][0]
        near(second[3] * a[1], second[4] * a[0], 1e-12)  # it stays on its line
        shown = b.run("return document.querySelector('circle.output').dataset.output.split(',').map(Number)")
        near(shown[0], second[1], 1e-12)
        expect(b.text("[data-part=c]").startswith(f"({second[1]:.3g}".replace("-", "−")), f"{b.text('[data-part=c]')} is not {second[1:3]}")
        weight = b.run("const p = window.qkvPage.page.playground; return p.single.weights[0]")
        near(float(b.text("#weights tbody tr .weight .number").replace("e−", "e-")), weight, 0.006)
        expect(b.text("[data-part=drawn]") == str(second[0]), b.text("[data-part=drawn]"))

    def test_the_coin_toss_is_seen(self):
        """Areas of discs are shares of the draws: at a large beta two discs have nearly everything."""
        b = self.browser
        b.open(f"#{NOISE}&n=10&beta=50")
        b.until("return window.qkvPage.page.playground.dots >= 20000")
        self.picture("coin")
        lumps = b.run("return window.qkvPage.page.playground.values.lumps()")
        near(sum(share for share, _, _ in lumps), 1, 1e-12)
        ends = b.state()["values"][:2]
        heavy = [sum(share for share, x, y in lumps if math.dist((x, y), end) < 0.1) for end in ends]
        expect(min(heavy) > 0.4, str(lumps[:4]))
        b.find("#pace-clear").click()
        b.settled()
        expect(b.run("return window.qkvPage.page.playground.values.total") == 0, "cleared")

    def test_single_draws_follow_the_law(self):
        b = self.browser
        b.open(f"#{NOISE}&n=10&beta=10")
        b.settled()
        found = b.run("""const { playground, engine } = window.qkvPage.page;
            let low = 0;
            for (let i = 0; i < 4000; i++) {
              engine.call('stage_draw', i);
              const [score, other] = engine.results(2), weight = engine.results(21)[20];
              if (Math.abs(weight - Math.exp(score) / (Math.exp(score) + Math.exp(other) + 8)) > 1e-12) return [i, score, weight];
              low += weight < 0.5;
            }
            return [low / 4000, 0.5]""")
        near(found[0], found[1], 0.03)

    def test_each_head_has_its_table(self):
        b = self.browser
        b.open("#space=ortho&n=10&beta=5&heads=2&queries=1,0,0;0,1,0")
        b.settled()
        scores = lambda: [e.text for e in b.all("#weights .score .number")]
        expect(scores() == ["5", "0", "0"], str(scores()))
        b.all("#head-choice button")[1].click()
        b.settled()
        expect(scores() == ["0", "5", "0"], str(scores()))
        b.open("#n=3")
        expect(b.all("#head-choice button") == [], "one head needs no choice")

    # ---- Space ----

    def test_space_can_be_turned(self):
        b = self.browser
        b.open(f"#{ORTHO}&n=10&beta=4")
        b.settled()
        before = b.state()
        box = b.find("#keys").rect
        ActionChains(b.driver).move_to_element_with_offset(b.find("#keys"), -box["width"] / 2 + 20, box["height"] / 2 - 20) \
            .click_and_hold().move_by_offset(60, -30).release().perform()
        b.settled()
        after = b.state()
        expect(all(abs(x - y) > 0.1 for x, y in zip(after["turn"], before["turn"])), f"the view turned from {before['turn']} to {after['turn']}")
        expect(after["queries"] == before["queries"] and after["beta"] == before["beta"], "the query moved with the view")
        b.find("#above").click()
        b.settled()
        expect(b.state()["turn"] == [0, 0], "from above")
        at = b.run("const m = document.querySelector('[data-handle=query-0]').transform.baseVal[0].matrix; return [m.e, m.f]")
        near(at[0], -at[1], 1e-3)

    def test_the_immune_query_is_found_by_dragging(self):
        b = self.browser
        b.open("#space=ortho&target=average&stretch=0.5&n=10&beta=10&turn=0,1.571&queries=0,0,0.2")
        b.settled()
        expect(b.run("return window.qkvPage.page.playground.law.failure") > 0.9, "it misses at first")
        self.drag("query-0", (0, 75), (0, 75), (0, 75))
        b.until("return window.qkvPage.page.state.queries[0][2] < -0.1")
        expect(b.run("return window.qkvPage.page.playground.law.failure") < 0.01, str(b.state()["queries"]))

    # ---- Tools ----

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
        b.find("#save-png").click()
        b.saved_bytes("qkv.png")

    def test_printing_keeps_bars_and_figures(self):
        b = self.browser
        b.open("#n=3")
        b.settled()
        b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        look = b.run("const s = getComputedStyle(document.querySelector('.weight .bar span')); return [s.printColorAdjust ?? s.webkitPrintColorAdjust, s.backgroundColor]")
        expect(look[0] == "exact" and look[1] != "rgba(0, 0, 0, 0)", str(look))
        expect(b.run("return getComputedStyle(document.getElementById('tools')).display") == "none", "tools are printed")
        b.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

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
        expect(b.find("#tip").is_displayed() and "e^4" in b.find("#tip").text, b.find("#tip").text)
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
        b.until("return document.querySelector('[data-part=c]').textContent.includes('e')")
        expect("−9.9e−5" in b.text("[data-part=c]") and "-" not in b.text("[data-part=c]"), b.text("[data-part=c]"))

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

    # ---- The tour ----

    def test_tour_steps(self):
        b = self.browser
        b.open("#view=tour")
        titles, keys = [], [Keys.SPACE, Keys.ARROW_RIGHT]
        for i in range(STEPS):
            b.settled()
            self.picture(f"tour-{i + 1}")
            card = f"[data-step='{i}']"
            titles.append(b.text(f"{card} h2"))
            state = b.state()
            expect(state["step"] == i and b.text(f"{card} .count") == f"Step {i + 1} of {STEPS}", f"step {i + 1}")
            for number in b.all(f"{card} .number"):
                expect(number.text not in ("", "not known") and number.get_attribute("data-formula"), number.text)
            drawn = b.run("return { ...window.qkvPage.page.playground.state }")
            expect(drawn["beta"] == state["beta"] and drawn["heads"] == state["heads"], "the stage is not set")
            if i + 1 < STEPS:
                b.driver.switch_to.active_element.send_keys(keys[i % 2])
        expect(len(set(titles)) == STEPS, str(titles))
        b.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
        expect(b.state()["step"] == STEPS - 2, "back")
        expect("andout" not in b.text("#story"), "a handout that the reader does not have")

    def test_space_moves_on_after_the_link(self):
        b = self.browser
        b.open("")
        b.find("header nav a[data-view=tour]").click()
        b.driver.switch_to.active_element.send_keys(Keys.SPACE)
        expect(b.state()["step"] == 1, "Space scrolled instead")
        top = b.run("return document.querySelector(\"[data-step='1'] h2\").getBoundingClientRect().top")
        expect(0 <= top < 300, f"the text of the step is at {top}")

    def test_text_and_stage_are_on_the_screen_together(self):
        b = self.browser
        for width, height in ((1280, 720), (1440, 900), (768, 1024), (360, 740)):
            b.resize(width, height)
            for step in (0, 1, 3, 6):
                b.open(f"#view=tour&step={step}")
                b.settled()
                self.picture(f"tour-{step + 1}-{width}")
                for part in (f"[data-step='{step}'] h2", f"[data-step='{step}'] p:not(.count)", "[data-handle=query-0]", "#values"):
                    box = b.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.top, r.bottom]", part)
                    expect(-1 <= box[0] and box[1] <= height + 1, f"{part} of step {step + 1} is at {box} of {height}, {width} wide")
                    covered = b.run("""const r = document.querySelector(arguments[0]).getBoundingClientRect();
                        const e = document.elementFromPoint(r.x + 5, r.y + r.height / 2), own = document.querySelector(arguments[0]);
                        return !own.contains(e) && !e.contains(own)""", f"[data-step='{step}'] h2")
                    expect(not covered, f"the title of step {step + 1} is covered, {width} wide")
        b.resize(1280, 1000)

    def test_scrolling_sets_the_stage(self):
        b = self.browser
        b.open("#view=tour")
        b.settled()
        b.run("document.querySelector(\"[data-step='3']\").scrollIntoView()")
        b.until("return window.qkvPage.page.state.step === 3 && window.qkvPage.page.state.stretch[0] === 0.5")
        b.until("return location.hash.includes('step=3')")

    def test_a_prediction_uncovers_the_answer(self):
        b = self.browser
        b.open("#view=tour&step=3")
        b.settled()
        blurred = "return getComputedStyle(document.querySelector('#weights .weight')).filter"
        expect("blur" in b.run(blurred), "the answer is seen before the question is answered")
        expect(b.run("return window.qkvPage.page.playground.singles") == 0, "it draws before it is asked to")
        b.all("[data-step='3'] .option")[0].click()
        expect(b.run(blurred) == "none", "still covered")
        expect("single draw" in b.text("[data-step='3'] .reply"), b.text("[data-step='3'] .reply"))
        b.until("return window.qkvPage.page.playground.singles > 0")
        expect(b.all("[data-step='3'] .option")[1].get_attribute("class") == "option right", "the right one is marked")
        b.all("[data-step='3'] .option")[1].click()
        expect(b.find("[data-step='3'] .question").get_attribute("data-answered") == "wrong", "a second answer does not count")

    def test_a_challenge_is_scored_live(self):
        b = self.browser
        b.open("#view=tour&step=0")
        b.settled()
        meter = "return parseFloat(document.querySelector(\"[data-step='0'] .meter span\").style.width)"
        b.until(meter.replace("return", "return 0 <="))
        start = b.run(meter)
        for _ in range(14):
            b.find("[data-handle=query-0]").send_keys(Keys.ARROW_UP)
        b.settled()
        expect(b.run(meter) > start + 20, f"{start} to {b.run(meter)}")
        expect("met" not in b.find("[data-step='0'] .challenge").get_attribute("class").split(), "too early")
        for _ in range(14):
            b.find("[data-handle=query-0]").send_keys(Keys.ARROW_UP)
        b.until("return document.querySelector(\"[data-step='0'] .challenge\").classList.contains('met')")
        expect("Direction chooses" in b.text("[data-step='0'] .challenge .reply"), "no reward")

    def test_every_challenge_can_be_met(self):
        b = self.browser
        b.prefer(prefers_reduced_motion="reduce")
        for step in (0, 1, 2, 6, 7):
            b.open(f"#view=tour&step={step}")
            b.settled()
            if b.all(f"[data-step='{step}'] .prediction"):
                b.find(f"[data-step='{step}'] .option").click()
            met = f"return document.querySelector(\"[data-step='{step}'] .challenge\").classList.contains('met')"
            b.settled()
            expect(not b.run(met), f"step {step + 1} is met before anything is done")
            b.run("document.querySelectorAll(arguments[0])[1].click()", f"[data-step='{step}'] .challenge button")
            b.until(met, seconds=30)
        b.prefer(prefers_reduced_motion="no-preference")

    def test_matrices_are_built(self):
        b = self.browser
        b.open("#view=tour&step=7")
        b.settled()
        press = lambda name, times: [b.run("document.querySelector(`[data-entry=${arguments[0]}]`).click()", name) for _ in range(times)]
        press("Q-3-0", 1)
        expect("off by" in b.text("[data-step='7'] .told"), b.text("[data-step='7'] .told"))
        for name, times in (("Q-2-3", 1), ("V-0-0", 2), ("V-2-2", 1), ("V-3-3", 2)):
            press(name, times)
        b.until("return document.querySelector(\"[data-step='7'] .challenge\").classList.contains('met')", seconds=20)
        expect(len(b.all("[data-step='7'] .good")) == 2, b.text("[data-step='7'] .outcome"))

    def test_the_tour_ends_with_questions(self):
        b = self.browser
        b.open(f"#view=tour&step={STEPS - 1}")
        card = f"[data-step='{STEPS - 1}']"
        questions = b.all(f"{card} .question")
        expect(len(questions) == 5, f"{len(questions)} questions")
        for i in range(5):
            b.run("document.querySelectorAll(arguments[0])[arguments[1]].querySelector('.option').click()", f"{card} .question", i)
        expect(b.text(f"{card} .told") == "2 of 5 right", b.text(f"{card} .told"))
        b.run("document.querySelector(arguments[0]).click()", f"{card} .main")
        expect(b.state()["view"] == "play", "there is a way on")

    def test_tour_tells_the_right_numbers(self):
        b = self.browser
        b.open("#view=tour&step=5")
        b.find("[data-step='5'] .option").click()
        expect(b.text("[data-step='5'] .number") == "7.865 %", b.text("[data-step='5'] .number"))
        b.open("#view=tour&step=4")
        b.settled()
        near(b.run("return window.qkvPage.page.playground.law.failure"), 1 / 6, 0.04)  # "in one draw of six"

    def test_tour_shuffle_keeps_the_output(self):
        b = self.browser
        b.open("#view=tour&step=8")
        b.settled()
        before, keys = b.run("return [...window.qkvPage.page.playground.c]"), b.state()["keys"]
        b.find("[data-step='8'] .option").click()
        b.settled()
        after = b.run("return [...window.qkvPage.page.playground.c]")
        expect(b.state()["keys"] != keys, "nothing was shuffled")
        near(before[0], after[0], 1e-15)
        near(before[1], after[1], 1e-15)

    def test_the_tour_gives_the_playground_back(self):
        b = self.browser
        b.open(f"#{ORTHO}&n=5&beta=3.3&alpha=0.02")
        for view in ("tour", "check", "play"):
            b.run("document.querySelector(`header nav a[data-view=${arguments[0]}]`).click()", view)
        state = b.state()
        expect((state["view"], state["n"], state["beta"], state["alpha"]) == ("play", 5, 3.3, 0.02), str(state))
        expect("covered" not in (b.find("#playground").get_attribute("class") or ""), "still covered")
        b.find("header nav a[data-view=tour]").click()
        expect(b.state()["beta"] == 1.2, "the step's own")

    def test_tour_picture_is_saved(self):
        b = self.browser
        b.open("#view=tour&step=6")
        b.run("document.querySelector(\"[data-step='6'] details\").open = true")
        b.until("return document.querySelector(\"[data-step='6'] .picture svg\") !== null")
        b.run("document.querySelector(\"[data-step='6'] .save\").click()")
        expect("<svg" in b.saved("qkv-tour-7.svg"), "the picture")

    def test_tour_claims_are_all_understood(self):
        b = self.browser
        for step in range(STEPS):
            b.open(f"#view=tour&step={step}")
            b.run("document.querySelector(`[data-step='${arguments[0]}'] .claims`).click()", step)
            self.checked()
            expect(b.state()["view"] == "check", "the view")
            expect("error" not in b.text("#summary") and "undecided" not in b.text("#summary"), b.text("#summary"))

    # ---- The checker ----

    def checked(self):
        self.browser.until("return /claim/.test(document.getElementById('summary').textContent)"
                           " && !document.getElementById('check').hasAttribute('aria-busy')")

    def type(self, text):
        """Replaces the text as typing would, the last sign by a key."""
        b = self.browser
        b.run("const t = document.getElementById('text'); t.focus(); t.value = arguments[0];"
              "document.getElementById('summary').textContent = ''", text[:-1])
        b.find("#text").send_keys(text[-1])
        self.checked()

    PREAMBLE = ("given   n >= 3, beta > 0\nkeys    k[1..n] orthonormal\nvalues  v[1..n]\n"
                "pick    a, b distinct in 1..n\nc = attend(beta*(k[a] + k[b]), k, v)\n")

    def test_a_right_answer_is_proved(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.picture("check")
        self.type(self.PREAMBLE + "claim: c ~ 1/2 (v[a] + v[b]) as beta -> inf")
        expect([e.text for e in b.all("#claims .verdict")] == ["proved"], b.text("#claims"))
        expect("ln(99*(n - 2)/2)" in b.text("#claims .reason"), b.text("#claims"))

    def test_a_wrong_answer_is_refuted_and_derived(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: mean(c, attend(beta*(k[a] - k[b]), k, v)) ~ 1/2 (v[a] + v[b]) as beta -> inf")
        expect([e.text for e in b.all("#claims .verdict")] == ["refuted"], b.text("#claims"))
        expect(b.find("#claims .found .typeset").get_attribute("title") == "-> 3/4*v[a] + 1/4*v[b]", b.text("#claims"))
        b.find("#claims summary").click()
        b.until("return document.querySelectorAll('.steps-list > li').length > 2")
        self.picture("derivation")
        expect("scores" in b.text(".steps-list").lower(), b.text(".steps-list"))

    def test_claims_are_typeset(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim 1: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\nclaim 2: c ~ 1/2 (v[a] + v[b]) as beta -> inf")
        math = [e.get_attribute("innerHTML") for e in b.all("#claims > li > .typeset math")]
        expect(len(math) == 2, b.text("#claims"))
        expect("<mfrac><mrow><msup><mrow><mi>e</mi></mrow><mrow><mi>β</mi></mrow></msup></mrow>" in math[0], math[0])
        expect("<mo>→</mo><mi>∞</mi>" in math[1] and "<msub><mrow><mi>v</mi></mrow><mrow><mi>a</mi></mrow></msub>" in math[1], math[1])
        expect(b.find("#claims .typeset").get_attribute("title").startswith("c.weight[a]"), "the source on hover")
        self.type(self.PREAMBLE + "claim: 1 = 1")
        expect(b.text("#gutter").startswith("1\n2\n3"), "line numbers")
        expect([e.text for e in b.all("#marks .keyword")] == ["given", "keys", "values", "pick", "claim"], "colours")

    def test_the_palette_writes_a_claim(self):
        """Somebody who knows nothing of the language gets a proof by pressing buttons and filling blanks."""
        b = self.browser
        b.open("#view=check")
        self.checked()
        b.run("const t = document.getElementById('text'); t.value = ''; t.focus()")
        press = lambda name: b.run("[...document.querySelectorAll('#palette button')].find((e) => e.textContent === arguments[0]).click()", name)
        press("givens")
        press("c = attend(q, k, v)")
        b.find("#text").send_keys("beta*k[a]")
        b.find("#text").send_keys(Keys.CONTROL, Keys.END)
        press("claim")
        b.run("document.getElementById('summary').textContent = ''")
        b.find("#text").send_keys("c ~ v[a]")
        press("limit")
        self.checked()
        expect([e.text for e in b.all("#claims .verdict")] == ["proved"], b.run("return document.getElementById('text').value"))

    def test_latex_is_pasted_in(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        b.run("const t = document.getElementById('text'); t.value = arguments[0]; t.focus(); t.setSelectionRange(t.value.length, t.value.length);"
              "document.getElementById('summary').textContent = ''", self.PREAMBLE + "claim: c.weight[a] = ")
        b.run("const data = new DataTransfer(); data.setData('text/plain', arguments[0]);"
              "document.getElementById('text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }))",
              "$\\frac{e^{\\beta}}{n-2+2e^{\\beta}}$")
        self.checked()
        expect([e.text for e in b.all("#claims .verdict")] == ["proved"], b.run("return document.getElementById('text').value"))

    def test_an_error_is_underlined_at_its_column(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c ~ wrong[a] as beta -> inf")
        self.picture("error")
        expect(b.text("#marks mark") == "wrong", b.text("#marks mark"))
        expect("line 6, column 12" in b.text("#claims .mistake"), b.text("#claims"))
        line = b.run("return document.getElementById('marks').textContent.split('\\n')[5]")
        expect(line == "claim: c ~ wrong[a] as beta -> inf", line)
        b.find("#claims .mistake button").click()
        expect(b.run("const t = document.getElementById('text'); return t.value.slice(t.selectionStart, t.selectionEnd)") == "w", "selection")

    def test_columns_count_characters(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type("# \U0001d6fd\U0001d6fd\nclaim: \U0001d6fd = wrong")
        expect(len(b.all("#claims .mistake")) > 0, b.text("#claims"))
        b.run("window.qkvPage.page.checker.select(2, 12)")
        expect(b.run("const t = document.getElementById('text'); return t.value.slice(t.selectionStart, t.selectionEnd + 4)") == "wrong", "selection")
        b.run("window.qkvPage.page.checker.select(2, 8)")
        expect(b.run("const t = document.getElementById('text'); return t.value.slice(t.selectionStart, t.selectionEnd)") == "\U0001d6fd", "a pair")

    # Takes minutes: nothing waits for its end.
    LONG = PREAMBLE + "claim: c ~ 1/2 (v[a] + v[b]) as beta -> inf\n" * 200000

    def set_long(self):
        self.browser.run("window.qkvPage.page.checker.set(arguments[0])", self.LONG)

    def test_another_text_ends_a_check(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.set_long()
        b.until("return document.getElementById('summary').textContent === 'checking …'")
        b.until("return Number(getComputedStyle(document.getElementById('claims')).opacity) < 0.6")
        expect(b.find("#stale").is_displayed(), "that verdicts are old is not said")
        self.picture("stale")
        self.type(self.PREAMBLE + "claim: c ~ v[a] as beta -> inf")
        expect([e.text for e in b.all("#claims .verdict")] == ["refuted"], b.text("#claims"))
        expect(not b.find("#stale").is_displayed() and not b.find("#stop").is_displayed(), "at rest")

    def test_a_check_is_stopped(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.set_long()
        b.until("return !document.getElementById('stop').hidden")
        b.find("#stop").click()
        b.until("return document.getElementById('summary').textContent === 'stopped'")
        expect("Stopped" in b.text("#claims") and not b.find("#stop").is_displayed(), b.text("#claims"))
        b.run("document.getElementById('text').value = 'claim: 1 = 1'")
        b.find("#claims button").click()
        self.checked()
        expect([e.text for e in b.all("#claims .verdict")] == ["proved"], b.text("#claims"))

    def test_derivations_are_of_the_text_that_was_checked(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c ~ 1/2 (v[a] + v[b]) as beta -> inf")
        b.run("document.getElementById('text').value = 'claim: 1 = 1'; document.querySelector('#claims summary').click()")
        b.until("return document.querySelectorAll('.steps-list > li').length > 2")
        expect("scores" in b.text(".steps-list").lower(), b.text(".steps-list"))

    def test_a_thread_that_fails_says_so(self):
        b = self.browser
        b.open("#view=play")
        b.run("document.getElementById('whole').textContent = document.getElementById('examples-data').textContent")
        b.find("nav a[data-view=check]").click()
        b.until("return document.getElementById('summary').textContent === 'not checked'")
        expect("broke off" in b.text("#claims"), b.text("#claims"))
        b.open("#view=play")
        b.run("document.getElementById('worker').textContent = 'throw new Error(1)'")
        b.find("nav a[data-view=check]").click()
        b.until("return document.getElementById('summary').textContent === 'not checked'")
        expect("broke off" in b.text("#claims"), b.text("#claims"))

    def test_a_module_that_ended_is_made_anew(self):
        b = self.browser
        b.open("#view=play")
        b.run("document.getElementById('worker').textContent += `; const make = Engine.make; let made = 0;"
              " Engine.make = async (m) => { const engine = await make.call(Engine, m);"
              " if (made++ === 0) engine.call = () => host(() => engine.exports.memory).proc_exit(3); return engine; }`")
        told = b.wait("return window.qkvPage.ask('check', 'claim: 1 = 1')")
        expect(told == "failed: the module ended with 3", str(told))
        told = b.wait("return window.qkvPage.ask('check', 'claim: 1 = 1')")
        expect(told["report"]["summary"]["proved"] == 1, str(told))

    def test_the_command_is_named_for_what_the_page_lacks(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type("keys k = [[0, 0], [1, 1], [2, 2]]\nvalues v[1..3]\nclaim: exists q: attend(q, k, v) ~ v[2]")
        expect("qkv check" in b.text("#claims"), b.text("#claims"))
        self.type('keys k = file("keys.csv")\nvalues v[1..4]\nclaim: attend([1, 0], k, v) = v[1]')
        expect("qkv check" in b.text("#claims"), b.text("#claims"))
        with open(f"{ROOT}/tests/claims/designs.qkv", encoding="utf-8") as source:
            b.run("window.qkvPage.page.checker.set(arguments[0])", source.read())
        b.until("return document.querySelectorAll('#claims .undecided').length > 5")
        for item in b.all("#claims .undecided"):
            expect(("qkv check" in item.text) == ("not known" in item.text or "not proved" in item.text), item.text)

    def test_common_mistakes_come_out_as_expected(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        menu = Select(b.find("#examples"))
        expect(len(menu.options) > 10, "the menu")
        expect({"Examples", "Common mistakes"} <= {g.get_attribute("label") for g in b.all("#examples optgroup")}, "groups")
        b.run("document.getElementById('summary').textContent = ''")
        menu.select_by_visible_text("A difference instead of a sum")
        self.checked()
        verdicts = [e.text for e in b.all("#claims .verdict")]
        expect(verdicts == ["refuted", "proved", "proved"], str(verdicts))

    # ---- Address, screen, theme ----

    def test_the_address_holds_the_state(self):
        b = self.browser
        b.open("#view=play&space=plane&n=4&beta=2.5&heads=2&alpha=0.01&target=copy&values=0.1,0.2;0.3,0.4")
        state = b.state()
        expect((state["space"], state["n"], state["beta"], state["heads"], state["alpha"], state["target"])
               == ("plane", 4, 2.5, 2, 0.01, "copy"), str(state))
        expect(state["values"][:2] == [[0.1, 0.2], [0.3, 0.4]], str(state["values"]))
        b.find("#settings summary").click()
        b.find("#beta").send_keys(Keys.ARROW_RIGHT)
        b.until("return location.hash.includes('beta=2.6')")
        address = b.run("return location.hash")
        b.open(address)
        expect(b.state() | {"beta": 2.6} == b.state(), "the same again")
        b.open("#view=check&text=claim%3A%201%20%3D%201")
        self.checked()
        expect(b.run("return document.getElementById('text').value") == "claim: 1 = 1", "the text")
        b.run("location.hash = '#view=tour&step=2'")
        b.until("return document.querySelector('.card.now').dataset.step === '2'")
        b.open("#view=check&text=claim%3A%201%20%3D%201")
        self.checked()
        b.run("document.querySelector('a.skip').focus()")
        b.find("a.skip").send_keys(Keys.ENTER)
        b.run("location.hash = '#main'")
        b.settled()
        expect(b.run("return document.activeElement.id") == "main" and b.state()["view"] == "check", "the skip link")
        expect(b.run("return document.getElementById('text').value") == "claim: 1 = 1", "the text is kept")
        b.open("#n=zzz&beta=-5&heads=99&queries=a,b&step=77&view=nothing")
        expect(b.state()["view"] == "play" and b.state()["n"] == 3 and b.state()["heads"] == 3, "nonsense")

    def test_narrow_screens(self):
        b = self.browser
        b.resize(360, 740)
        for view in VIEWS:
            b.open(f"#view={view}&heads=2")
            if view == "check":
                self.checked()
            b.settled()
            self.picture(f"narrow-{view}")
            width = b.run("return document.documentElement.scrollWidth")
            expect(width <= 360, f"{view} is {width} wide")
            wide = b.run("return [...document.querySelectorAll('main *')].filter((e) => e.checkVisibility()"
                         " && !e.closest('svg, .editor, .skip, .typeset') && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 80))")
            expect(wide == [], str(wide))
        b.resize(1280, 1000)

    def test_dark_mode(self):
        b = self.browser
        b.prefer(prefers_color_scheme="dark")
        for view in VIEWS:
            b.open(f"#view={view}")
            b.settled()
            self.picture(f"dark-{view}")
            expect(b.run("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)", "dark")
        picture = "return document.querySelector(\"[data-step='4'] .picture\").innerHTML"
        b.open("#view=tour&step=4")
        b.run("document.querySelector(\"[data-step='4'] details\").open = true")
        b.until(picture + ".includes('#14171c')")
        b.find("#theme").click()
        expect(b.run("return document.documentElement.dataset.theme") == "light", "the button")
        expect("#14171c" not in b.run(picture), "the picture is light")
        b.run("localStorage.clear()")
        b.prefer(prefers_color_scheme="light")

    def test_accessibility(self):
        b = self.browser
        with open(HERE + "/rules.js", encoding="utf-8") as source:
            rules = source.read()
        for theme in ("light", "dark"):
            b.prefer(prefers_color_scheme=theme)
            for address in (f"#view=play&{NOISE}&heads=3", "#view=play&space=plane&n=8", "#view=tour&step=7", "#view=check"):
                b.open(address)
                if "check" in address:
                    self.checked()
                b.settled()
                found = b.run(rules)
                expect(found["broken"] == {}, f"{address}, {theme}: {json.dumps(found['broken'], indent=1)}")
        b.prefer(prefers_color_scheme="light")

    def test_everything_is_reached_by_tab(self):
        b = self.browser
        b.open("#view=play&space=plane&n=3&stretch=0.5&target=average")
        b.find("#settings summary").click()
        b.until("return window.qkvPage.page.playground.drawn >= 200000")
        b.run("document.activeElement.blur(); window.scrollTo(0, 0)")
        reached = set()
        for _ in range(90):
            ActionChains(b.driver).send_keys(Keys.TAB).perform()
            reached.add(b.run("const e = document.activeElement; return e.dataset.handle ?? e.dataset.part ?? e.dataset.picture ?? e.id"))
        for name in ("key-0", "query-0", "value-2", "beta", "stretch-2", "theme", "failure", "undo", "pace-run", "space-plane"):
            expect(name in reached, f"{name} is not among {sorted(x for x in reached if x)}")

    # ---- The page and the command ----

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

    # ---- After all ----

    def test_there_was_no_request_and_no_error(self):
        self.browser.collect()
        strange = [url for url in self.browser.requests
                   if not url.startswith(("blob:", "data:", "about:", self.browser.page))]
        expect(strange == [], f"requests: {strange}")
        expect(len(self.browser.requests) > 20, "requests were not seen")
        expect(self.browser.messages == [], str(self.browser.messages))

    def close(self):
        self.browser.quit()
        shutil.rmtree(self.folder)


def main():
    tests = Tests(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    only = os.environ.get("QKV_PAGE_TEST", "")
    names = [name for name in vars(Tests) if name.startswith("test_") and only in name]
    failed = 0
    print(f"1..{len(names)}", flush=True)
    try:
        for i, name in enumerate(names):
            title = name[len("test_"):].replace("_", " ")
            try:
                getattr(tests, name)()
                print(f"ok {i + 1} - {title}", flush=True)
            except Exception as error:  # whatever a browser may throw
                failed += 1
                print(f"not ok {i + 1} - {title}", flush=True)
                print("".join(f"# {line}\n" for line in str(error).split("\n")[:20]), end="", flush=True)
    finally:
        tests.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
