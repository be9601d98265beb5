"""The file, and the playground: the stage, single draws, and space."""
import math

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from common import NOISE, ORTHO, Page, expect, near


class Playground(Page):
    def test_is_small_and_asks_for_nothing(self):
        with open(self.page, "rb") as source:
            page = source.read()
        expect(len(page) < 1_500_000, f"{len(page)} bytes")
        for word in (b' src="http', b' href="http', b"@import", b"url(http", b"fetch("):
            expect(word not in page, f"{word} in the page")

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

    def test_queries_snap_to_axes_in_space(self):
        """What covers an axis on the screen is on it: depth cannot be seen."""
        b = self.browser
        b.open(f"#{NOISE}&n=10&beta=10")
        b.settled()
        plane, dot = (b.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]", name)
                      for name in ("#keys", "[data-handle=query-0] .dot"))
        self.drag("query-0", (plane[0] - dot[0], 10), (3, plane[1] + 110 - dot[1] - 10))
        q = b.state()["queries"][0]
        expect(q[0] == q[1] == 0 and q[2] < 0, f"q is {q} and not straight down")
        b.settled()
        near(b.run("return window.qkvPage.page.playground.law.failure"), 0, 1e-12)

    def test_no_weight_is_told_to_be_all(self):
        b = self.browser
        b.open("#beta=50&queries=0.22,0.976,0")
        b.settled()
        told = b.text("#weights tbody tr .weight .number")
        expect(told.startswith(">"), f"the weight of k_a is said to be {told}")

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

    def test_a_pointer_at_rest_lights_nothing(self):
        """Browsers tell what comes to lie under a pointer of it. Nobody points at it then."""
        b = self.browser
        b.open("#n=3")
        b.settled()
        lit = b.run("""const row = document.querySelector('#weights tbody tr:nth-child(3)'), stage = document.getElementById('playground');
            const tell = (to, type, x) => to.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: 7, bubbles: true }));
            const found = [];
            tell(document.body, 'pointerup', 5);
            tell(row, 'pointerover', 5);
            found.push(stage.dataset.lit);
            tell(row, 'pointerover', 6);
            found.push(stage.dataset.lit);
            document.querySelector('header nav a[data-view=check]').click();
            document.querySelector('header nav a[data-view=play]').click();
            return [...found, stage.dataset.lit];""")
        expect(lit == [None, "ink-2", None], str(lit))

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

    def test_numbers_keep_to_their_cells(self):
        """However small they are, on every screen."""
        b = self.browser
        for width, height in ((360, 740), (768, 1024), (1280, 720)):
            b.resize(width, height)
            for address in ("n=3&beta=7&queries=0.2,0.97,0", "n=8&beta=7&queries=0.2,0.97,0", f"{ORTHO}&n=10&beta=9", f"{ORTHO}&n=10&beta=30", f"view=tour&step=3&{NOISE}&n=10&beta=30",
                            f"view=tour&step=6&{NOISE.replace('queries=1,1,0', 'queries=0,0,-1')}&n=10&beta=10"):
                b.open(f"#{address}")
                b.settled()
                b.run("document.getElementById('playground').classList.remove('covered')")
                out = b.run("return [...document.querySelectorAll('#weights td .number')].filter((e) => e.getBoundingClientRect().right > e.parentElement.getBoundingClientRect().right + 1).map((e) => e.textContent)")
                expect(out == [], f"{width} × {height}, {address}: {out}")
        b.resize(1280, 1000)

    def test_what_only_comes_near_to_a_half_is_not_told_to_be_one(self):
        b = self.browser
        for beta in (6.5, 9, 12, 14, 20):
            b.open(f"#{ORTHO}&n=10&beta={beta}")
            b.settled()
            told, exact = b.text("#weights tbody tr .weight .number"), math.exp(beta) / (8 + 2 * math.exp(beta))
            expect(told == (f"{exact:.4f}".rstrip("0") if exact < 0.49995 else "≈ 0.5"), f"{exact} is told as {told}")

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
        told = b.text("#weights tbody tr .weight .number")
        if "·10" not in told and ">" not in told:
            near(float(told), weight, 0.006)
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
