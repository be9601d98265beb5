"""What a reader takes away: numbers that are true as printed, and nothing out of reach."""
import math

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from common import NOISE, ORTHO, Page, expect, near

HEADS = "space=ortho&target=average&n=10&beta=10&heads=2&queries=1,0,0;0,1,0&values=-0.85,-0.4;0.85,-0.4;0,0.85"


def number(text):
    return float(text.replace("−", "-").replace("≈ ", ""))


def pair(text):
    return [number(part) for part in text.strip("()").split(", ")]


class Lessons(Page):
    def pull(self, x, y):
        """Drags q to a place of the window. By places, because the driver would scroll to an element that sticks."""
        start = self.browser.run("const r = document.querySelector('[data-handle=query-0] .dot').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]")
        actions = ActionBuilder(self.browser.driver)
        actions.pointer_action.move_to_location(*map(int, start)).pointer_down()
        for part in (0.3, 0.6, 0.9, 1):
            actions.pointer_action.move_to_location(*(round(a + part * (b - a)) for a, b in zip(start, (x, y))))
        actions.pointer_action.pointer_up()
        actions.perform()
        self.browser.settled()

    def test_c_is_told_as_the_mean_of_the_heads(self):
        b = self.browser
        b.open(f"#{HEADS}&stretch=0.5")
        b.find("#pace-draw").click()
        b.settled()
        own = [pair(e.text) for e in b.all("#heads-told .number")]
        expect(len(own) == 2 and b.text("#mean-told") == "½(c1 + c2)", b.text(".equation"))
        for axis in (0, 1):
            near(pair(b.text("[data-part=c]"))[axis], (own[0][axis] + own[1][axis]) / 2, 2e-3)
        weights = b.run("const p = window.qkvPage.page.playground; return [...p.single.weights].slice(0, 10)")
        values = [b.state()["values"][min(i, 2)] for i in range(10)]
        for axis in (0, 1):
            near(own[0][axis], sum(w * v[axis] for w, v in zip(weights, values)), 2e-3)
        end = b.run("return [...document.querySelectorAll('#values .pull')].map((e) => e.getAttribute('d').split('L')[1].split(' ').map(Number))")
        c = b.run("return document.querySelector('circle.output').dataset.output.split(',').map(Number)")
        expect(all(math.dist((x, -y), c) < 1e-9 for x, y in end), f"bands end at {end}, c is at {c}")

    def test_a_weight_is_never_one(self):
        b = self.browser
        for beta in (5, 8.8, 12, 20, 50):
            b.open(f"#n=3&beta={beta}&queries=0.22,0.976,0")
            b.settled()
            shown = [e.text for e in b.all("#weights tbody .weight .number")]
            expect("1" not in shown and "0" not in shown, f"beta {beta}: {shown}")
            tips = [e.get_attribute("data-formula") for e in b.all("#weights tbody .weight .number")]
            expect(not any(tip.endswith("= 1") or "= >" in tip or "= ≈" in tip for tip in tips), str(tips))
        expect(shown[0] == "> 0.9999", str(shown))
        expect(not any("0.0000" in tip for tip in tips), str(tips))
        b.open("#view=tour&step=0")
        b.prefer(prefers_reduced_motion="reduce")
        b.run("document.querySelectorAll(\"[data-step='0'] .challenge button\")[1].click()")
        b.until("return document.querySelector(\"[data-step='0'] .challenge\").classList.contains('met')")
        b.prefer(prefers_reduced_motion="no-preference")
        expect("100 %" not in b.text("[data-step='0'] .told"), b.text("[data-step='0'] .told"))

    def test_columns_add_up(self):
        b = self.browser
        b.open("#space=ortho&n=2&beta=10&queries=1,1,0")
        b.settled()
        parts = [number(e.text) for e in b.all("#weights tbody .exponential .number")]
        near(number(b.text("[data-part=sum]")), sum(parts), 1.5)

    def test_the_ruler_tells_the_true_length(self):
        """Eight axes are drawn as one: a query of -10 along each of them has length 10 √8."""
        b = self.browser
        b.open("#space=ortho&target=average&n=10&beta=10&queries=0,0,-1")
        b.settled()
        expect(b.text("[data-part=length]") == "|q| = 28.3 = √8 · 10", b.text("[data-part=length]"))
        marks = b.run("""return [...document.querySelectorAll('#keys .ruler .mark')].map((e) => {
            const box = e.getBBox(); return Math.hypot(box.x + box.width / 2, box.y + box.height / 2); })""")
        tip = b.run("const m = document.querySelector('[data-handle=query-0]').transform.baseVal[0].matrix; return Math.hypot(m.e, m.f)")
        expect(marks[4] < tip < marks[5], f"the tip at {tip} is not between the marks for 20 and 50: {marks}")

    def test_draws_and_exact_numbers_have_columns(self):
        b = self.browser
        b.open(f"#{NOISE}&n=10&beta=10")
        b.find("#pace-clear").click()
        weights = []
        for _ in range(5):
            b.find("#pace-draw").click()
            weights.append(b.run("return window.qkvPage.page.playground.single.weights[0]"))
        b.settled()
        law, mean = b.run("return window.qkvPage.page.playground.law"), sum(weights) / 5
        near(number(b.text("[data-part=mean]")), mean, 1e-3)
        near(number(b.text("[data-part=variance]")), sum((w - mean) ** 2 for w in weights) / 4, 1e-3)
        near(number(b.text("[data-part=exact-mean]")), law["mean"], 1e-3)
        near(number(b.text("[data-part=exact-variance]")), law["variance"], 1e-3)
        expect(b.text("[data-part=drawn]") == "5", b.text("[data-part=drawn]"))
        expect("variance 0.5" in b.text("#noise-told"), b.text("#noise-told"))
        expect(sum(0.1 < w < 0.9 for w in weights) <= 1, f"the first draws show no coin toss: {weights}")

    def test_the_density_is_read(self):
        """High enough and as high as it needs, with a tick for each single draw; on a telephone too, once many are drawn."""
        b = self.browser
        high = lambda part: b.run("const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.top, box.height]", f"#law {part}")
        for width, height in ((1280, 720), (360, 740)):
            b.resize(width, height)
            b.open(f"#view=tour&step=3&{NOISE}&n=10&beta=10")
            b.settled()
            b.run("document.querySelectorAll(\"[data-step='3'] .option\")[1].click()")
            b.find("#pace-clear").click()
            for _ in range(3):
                b.find("#pace-draw").click()
            b.settled()
            drawn = b.run("return window.qkvPage.page.playground.singles")
            if width > 980:
                self.picture("density-single")
                expect(b.run("return document.querySelector('#law [stroke-opacity]').getAttribute('d').split('M').length - 1") == drawn, f"not {drawn} ticks")
            b.find("#pace-run").click()
            b.until("return window.qkvPage.page.playground.drawn >= 200000 && document.querySelector('#law .bars')?.getAttribute('d')")
            b.settled()
            self.picture(f"density-{width}")
            (top, axes), (start, bars) = high(".axes"), high(".bars")
            expect(axes >= 72 and start > top + 1 and bars > axes / 2, f"{width} wide: axes of {axes} from {top}, bars of {bars} from {start}")
        b.resize(1280, 1000)

    def test_saved_pictures_are_not_covered(self):
        b = self.browser
        b.open(f"#{ORTHO}&n=10&beta=4")
        b.settled()
        b.find("#save-svg").click()
        inked = b.wait("""const image = new Image(), canvas = document.createElement('canvas');
            image.src = 'data:image/svg+xml,' + encodeURIComponent(arguments[0]);
            await image.decode();
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            const side = document.getElementById('keys').clientWidth, { data } = context.getImageData(12, 60, side, side - 40);
            const ink = [0xb8, 0x4e, 0x00];
            let count = 0;
            for (let i = 0; i < data.length; i += 4) count += ink.every((x, c) => Math.abs(x - data[i + c]) < 12);
            return count;""", b.saved("qkv.svg"))
        expect(inked > 100, f"{inked} pixels have the colour of k_b")

    def test_formulas_are_set_without_underscores(self):
        b = self.browser
        b.open("#n=3")
        b.settled()
        ActionChains(b.driver).move_to_element(b.find("#weights tbody tr:nth-child(2) .score .number")).perform()
        tip = b.find("#tip")
        expect("_" not in tip.text and "cos θ" in tip.text and tip.get_attribute("innerHTML").count("<sub>") >= 2, tip.get_attribute("innerHTML"))

    def test_nothing_is_out_of_reach_in_the_tour(self):
        """At 1280 by 720 every button of the stage, and the settings, are in the window."""
        b = self.browser
        b.resize(1280, 720)
        for step in (0, 1, 3, 4, 5, 6, 8):
            b.open(f"#view=tour&step={step}")
            b.settled()
            low = b.run("return [...document.querySelectorAll('#tools button, #settings summary')].filter((e) => e.checkVisibility())"
                        ".map((e) => [e.id || e.textContent, e.getBoundingClientRect().bottom]).filter(([, y]) => y > 720)")
            expect(low == [], f"step {step + 1}: {low}")
        b.find("#settings summary").click()
        box = b.find("#beta").rect
        top = b.run("return document.getElementById('beta').getBoundingClientRect().top")
        expect(0 < top < 720 - box["height"], f"the slider for beta is at {top}")
        b.find("#beta").send_keys(Keys.ARROW_RIGHT)
        expect(b.state()["step"] == 8 and b.state()["beta"] > 3, "the slider works")
        b.resize(1280, 1000)

    def test_the_way_on_is_seen_when_a_challenge_is_met(self):
        b = self.browser
        b.prefer(prefers_reduced_motion="reduce")
        b.resize(1280, 720)
        for step in (0, 6):
            b.open(f"#view=tour&step={step}")
            b.settled()
            b.run("document.querySelectorAll(arguments[0])[1].click()", f"[data-step='{step}'] .challenge button")
            b.until(f"return document.querySelector(\"[data-step='{step}'] .challenge\").classList.contains('met')")
            b.settled()
            hit = b.run("""const box = document.querySelector(arguments[0]).getBoundingClientRect();
                return document.elementFromPoint(box.x + box.width / 2, box.y + box.height - 3)?.textContent""", f"[data-step='{step}'] .next")
            expect(hit == "Next", f"step {step + 1}: at the foot of Next is {hit}")
            expect(b.state()["step"] == step, "it scrolled to another step")
        b.resize(1280, 1000)
        b.prefer(prefers_reduced_motion="no-preference")

    def test_the_immune_query_snaps_to_its_axis(self):
        """Dragged straight down on the screen, at the depth that it has: q covers the axis, and is on it."""
        b = self.browser
        b.open("#view=tour&step=6")
        b.settled()
        frame = b.run("const r = document.getElementById('keys').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.width]")
        self.pull(frame[0], frame[1] + 0.2 * frame[2])
        expect(b.run("return window.qkvPage.page.playground.law.failure") < 0.01, str(b.state()["queries"][0]))

    def test_a_vertical_swipe_does_not_turn_the_view(self):
        b = self.browser
        b.resize(360, 740)
        b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        b.open(f"#{ORTHO}&n=10&beta=4")
        b.settled()
        before, box = b.state()["turn"], b.run("const r = document.getElementById('keys').getBoundingClientRect(); return [r.x + 20, r.y + 60]")
        for kind, y in (("touchStart", 0), *(("touchMove", 9 * i) for i in range(1, 8))):
            b.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": box[0], "y": box[1] + 90 - y}]})
        b.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        b.settled()
        expect(b.state()["turn"][1] == before[1], f"{before} became {b.state()['turn']}")
        b.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        b.resize(1280, 1000)

    def test_claims_of_a_step_lead_back_to_it(self):
        b = self.browser
        b.resize(1280, 720)
        b.open("#view=tour&step=2")
        b.settled()
        self.pull(*b.run("const r = document.getElementById('keys').getBoundingClientRect(); return [r.x + 0.7 * r.width, r.y + 0.3 * r.height]"))
        moved = b.state()["queries"]
        b.run("document.querySelector(\"[data-step='2'] .claims\").click()")
        self.checked()
        expect(b.find("#from-tour").is_displayed() and b.run("return scrollY") == 0, f"scrolled by {b.run('return scrollY')}")
        b.find("#back-to-tour").click()
        expect((b.state()["view"], b.state()["step"]) == ("tour", 2) and b.state()["queries"] == moved, str(b.state()))
        b.find("[data-step='2'] .next").click()
        b.driver.back()
        b.until("return window.qkvPage.page.state.step === 2")
        expect(b.state()["queries"] == moved, "the stage is as it was left")
        b.find("header nav a[data-view=check]").click()
        expect(not b.find("#from-tour").is_displayed(), "not from the tour")
        b.resize(1280, 1000)

    def test_a_scene_has_a_name_and_a_place_in_the_history(self):
        b = self.browser
        b.resize(1280, 720)
        b.open("")
        b.settled()
        tools = lambda: b.run("return document.getElementById('tools').getBoundingClientRect().top")
        start, opening = tools(), b.text("#sentence")
        Select(b.find("#presets")).select_by_visible_text("A key of uncertain length")
        b.until("return window.qkvPage.page.playground.singles > 0")
        near(tools(), start, 3)  # nothing jumps
        expect("coin toss" in b.text("#sentence") and Select(b.find("#presets")).first_selected_option.text == "A key of uncertain length", b.text("#sentence"))
        b.find("#undo").click()
        expect(b.state()["space"] == "plane" and b.text("#sentence") == opening, "undone")
        b.find("body").send_keys(Keys.CONTROL, "y")
        expect(b.state()["space"] == "ortho", "and done again")
        b.until("return location.hash.includes('space=ortho')")
        b.driver.back()
        b.until("return window.qkvPage.page.state.space === 'plane'")
        b.resize(1280, 1000)

    def test_a_single_draw_is_not_mixed_with_a_run(self):
        b = self.browser
        b.open(f"#{NOISE}&n=10&beta=10")
        b.until("return window.qkvPage.page.playground.dots > 1000")
        b.find("#pace-draw").click()
        b.settled()
        expect(b.run("return window.qkvPage.page.playground.values.total") == 1 and b.text("[data-part=drawn]") == "1", b.text("#facts"))
