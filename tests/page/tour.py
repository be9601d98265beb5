"""The guided tour: its steps, predictions, challenges and claims."""
import math

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from common import ORTHO, Page, STEPS, expect, near


class Tour(Page):
    def test_the_stage_is_whole_on_every_screen(self):
        """Both planes of every step are large enough to be read, and no text of the stage lies on another one."""
        b = self.browser
        sizes = ((360, 740), (768, 1024), (1280, 720), (1440, 900))
        try:
            for width, height in sizes:
                b.resize(width, height)
                for step in range(STEPS):
                    b.open(f"#view=tour&step={step}")
                    b.settled()
                    small = b.run("return ['keys', 'values'].map((id) => document.getElementById(id)).filter((e) => e.checkVisibility()).map((e) => [e.clientWidth, e.clientHeight])")
                    expect(all(min(size) >= 130 for size in small), f"{width} × {height}, step {step + 1}: {small}")
                    found = b.run("""
                        const texts = [...document.querySelectorAll('#weights .number, #weights thead th, #weights tbody th, #head-choice button, #keys .label:not(.tiny, .ruler-end)')].filter((e) => e.checkVisibility() && e.textContent.trim());
                        const boxes = texts.map((e) => e.getBoundingClientRect()), found = [];
                        boxes.forEach((p, i) => boxes.slice(i + 1).forEach((q, j) => {
                          if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4) found.push(`${texts[i].textContent} and ${texts[i + 1 + j].textContent}`);
                        }));
                        return found;""")
                    expect(found == [], f"{width} × {height}, step {step + 1}: {found}")
        finally:
            b.resize(1280, 1000)

    def test_the_answer_of_step_seven_is_seen(self):
        """On a phone too: the query that turns away goes down, and no button lies on it."""
        b = self.browser
        b.resize(360, 740)
        b.open(f"#view=tour&step=6&{ORTHO.replace('queries=1,1,0', 'queries=0,0,-1')}&n=10&beta=10&stretch=0.5")
        b.settled()
        self.picture("narrow-immune")
        apart = b.run("""const [p, q] = ['#above', '[data-handle=query-0] .dot'].map((name) => document.querySelector(name).getBoundingClientRect());
            return p.width > 0 && (p.right < q.left || q.right < p.left || p.bottom < q.top || q.bottom < p.top)""")
        expect(apart, "the button covers q")
        b.resize(1280, 1000)

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
        parts = ("#weights .weight .number", "#law svg", "#values circle.output", "[data-part=exact]")
        seen = lambda: [part for part in parts if b.run("return getComputedStyle(document.querySelector(arguments[0])).visibility", part) == "visible"]
        expect(seen() == [], f"the answer is seen before the question is answered: {seen()}")
        expect(b.run("return window.qkvPage.page.playground.singles") == 0, "it draws before it is asked to")
        b.all("[data-step='3'] .option")[0].click()
        expect(seen() == list(parts), "still covered")
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
            dot = f"return document.querySelectorAll('#step-list button')[{step}].classList.contains('met')"
            expect(not b.run(dot), f"the dot of step {step + 1} is green before its challenge is met")
            b.run("document.querySelectorAll(arguments[0])[1].click()", f"[data-step='{step}'] .challenge button")
            b.until(met, seconds=30)
            expect(b.run(dot), f"the dot of step {step + 1} is not green")
        b.prefer(prefers_reduced_motion="no-preference")

    def test_what_a_challenge_tells_is_seen(self):
        """All of it, on any screen, wherever the text stood, with the focus where it was and at the same step."""
        b = self.browser
        b.prefer(prefers_reduced_motion="reduce")
        try:
            for width, height in ((1280, 720), (1440, 900), (768, 1024), (360, 740)):
                b.resize(width, height)
                for step in (0, 1, 2, 6, 7):
                    b.open(f"#view=tour&step={step}")
                    b.settled()
                    b.run("document.querySelector(arguments[0])?.click()", f"[data-step='{step}'] .option")
                    b.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'start', behavior: 'instant' })", f"[data-step='{step}']")
                    b.run("document.getElementById('theme').focus({ preventScroll: true })")
                    b.settled()
                    b.run("document.querySelectorAll(arguments[0])[1].click()", f"[data-step='{step}'] .challenge .options button")
                    b.until(f"return document.querySelector(\"[data-step='{step}'] .challenge\").classList.contains('met')", seconds=30)
                    b.settled()
                    found = b.run("""const reply = document.querySelector(arguments[0]), box = reply.getBoundingClientRect();
                        const seen = (y) => reply.contains(document.elementFromPoint(box.x + 3, y));
                        return [box.top, box.bottom, seen(box.top + 4), seen(box.bottom - 4), document.activeElement.id, window.qkvPage.page.state.step]""", f"[data-step='{step}'] .challenge .reply")
                    self.picture(f"met-{step + 1}-{width}")
                    expect(found[0] >= 0 and found[1] <= height and found[2] and found[3], f"{width} × {height}, step {step + 1}: the reply is at {found[:4]}")
                    expect(found[4:] == ["theme", step], f"focus and step: {found[4:]}")
        finally:
            b.resize(1280, 1000)
            b.prefer(prefers_reduced_motion="no-preference")

    def test_the_formula_is_that_of_the_number(self):
        b = self.browser
        b.open("#view=tour&step=1")
        b.find("[data-step='1'] .option").click()
        fraction = [e.text for e in b.all("[data-step='1'] .display mfrac > *")]
        near(float(b.text("[data-step='1'] .prediction .number").split()[0]) / 100, 8 / (2 * math.exp(2) + 8), 5e-4)
        expect(fraction[0] == "8" and fraction[1].replace("\n", "") == "2eβ+8", f"it is told to be {fraction}")

    PLACE = """const title = document.querySelector('.card.now h2').getBoundingClientRect(), bar = document.getElementById('steps').getBoundingClientRect(), stage = document.getElementById('playground').getBoundingClientRect();
        const clear = (r) => r.bottom <= title.top + 1 || r.top >= title.bottom - 1 || r.left >= title.right || r.right <= title.left;
        return [window.qkvPage.page.state.step, title.top >= 0 && title.bottom <= innerHeight && clear(bar) && clear(stage)];"""

    def test_a_step_keeps_its_place_in_a_window_of_another_size(self):
        """Full screen and back, a smaller window, and a telephone that is turned."""
        b = self.browser
        try:
            b.resize(1280, 720)
            b.open("#view=tour&step=5")
            b.settled()
            for act in ("documentElement.requestFullscreen", "exitFullscreen"):
                b.find("#full").click()
                b.until(f"return Boolean(document.fullscreenElement) === {'true' if 'request' in act else 'false'}")
                b.until("return (() => {" + self.PLACE + "})().join() === '5,true'", seconds=20)
            for size in ((1440, 900), (900, 700), (360, 740), (740, 360), (1280, 720)):
                b.resize(*size)
                b.until("return (() => {" + self.PLACE + "})().join() === '5,true'", seconds=20)
            b.run("document.querySelector(\"[data-step='5'] .option\").click()")
            b.run("document.querySelector(\"[data-step='5'] .next\").scrollIntoView({ block: 'end', behavior: 'instant' })")
            b.resize(360, 740)
            b.settled()
            b.run("document.querySelector(\"[data-step='5'] .next\").scrollIntoView({ block: 'nearest', behavior: 'instant' })")
            b.settled()
            b.resize(400, 740)
            b.until("const r = document.querySelector(\"[data-step='5'] .next\").getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight", seconds=20)
            expect(b.state()["step"] == 5, "another step")
        finally:
            b.run("return document.fullscreenElement && document.exitFullscreen()")
            b.resize(1280, 1000)

    def test_text_and_stage_are_together_on_a_telephone_on_its_side(self):
        b = self.browser
        try:
            b.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 740, "height": 360, "deviceScaleFactor": 1, "mobile": True})
            for step in (0, 1, 3, 4, 6, 8):
                b.open(f"#view=tour&step={step}")
                b.settled()
                self.picture(f"side-{step + 1}")
                for part in (f"[data-step='{step}'] h2", f"[data-step='{step}'] p:not(.count)", "[data-handle=query-0]", "#values", "#weights tbody tr"):
                    box = b.run("const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.top, r.bottom, r.left, r.right]", part)
                    expect(box[0] >= -1 and box[1] <= 361 and box[2] >= -1 and box[3] <= 741, f"{part} of step {step + 1} is at {box}")
        finally:
            b.resize(1280, 1000)

    def test_the_stage_is_reached_by_keyboard(self):
        """From the text of a step by Tab, without passing through other steps; so a challenge is met without a mouse."""
        b = self.browser
        b.open("#view=tour&step=0")
        b.settled()
        for _ in range(10):
            ActionChains(b.driver).send_keys(Keys.TAB).perform()
            if b.run("return document.activeElement.dataset.handle === 'query-0'"):
                break
        expect(b.run("return document.activeElement.dataset.handle") == "query-0" and b.state()["step"] == 0, f"at step {b.state()['step'] + 1}, not at q")
        for _ in range(45):
            ActionChains(b.driver).send_keys(Keys.ARROW_UP).perform()
        b.until("return document.querySelector(\"[data-step='0'] .challenge\").classList.contains('met')", seconds=20)

    def test_the_stage_is_set_anew_on_a_telephone(self):
        b = self.browser
        b.resize(360, 740)
        b.open("#view=tour")
        b.settled()
        start = b.state()["queries"]
        b.find("[data-handle=query-0]").send_keys(Keys.ARROW_UP, Keys.ARROW_UP)
        b.settled()
        expect(b.state()["queries"] != start, "moved")
        box = b.run("const r = document.getElementById('stage-reset').getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom]")
        expect(0 < box[0] and box[1] <= 360 and box[2] > 0 and box[3] <= 740, f"the button is at {box}")
        rows = b.run("return new Set([...document.querySelectorAll('#steps button')].map((e) => Math.round(e.getBoundingClientRect().y + e.getBoundingClientRect().height / 2))).size")
        expect(rows == 1, f"{rows} rows of steps")
        b.find("#stage-reset").click()
        expect(b.state()["queries"] == start and b.state()["step"] == 0, "not as at the start")
        expect("More settings" not in b.text("#story"), "a hint to what a telephone has not")
        b.resize(1280, 1000)

    def test_undo_keeps_to_its_step(self):
        """What was done in one step, or in Words, is not taken back in another place."""
        b = self.browser
        b.open("#view=tour")
        b.settled()
        enabled = lambda: b.find("#undo").get_attribute("aria-disabled") == "false"
        expect(not enabled(), "there is nothing to undo")
        b.find("[data-handle=query-0]").send_keys(Keys.ARROW_UP, Keys.ARROW_UP)
        b.settled()
        moved = b.state()["queries"]
        expect(enabled(), "there is something to undo")
        b.run("document.querySelector(\"[data-step='0'] .next\").click()")
        b.settled()
        expect(not enabled(), "nothing was done in this step")
        b.find("body").send_keys(Keys.CONTROL, "z")
        expect((b.state()["n"], b.state()["space"]) == (10, "ortho"), "the stage of another step")
        b.driver.back()
        b.until("return window.qkvPage.page.state.step === 0")
        b.settled()
        expect(b.state()["queries"] == moved, "the stage is as it was left")
        b.find("#undo").click()
        b.find("#undo").click()
        expect(b.state()["queries"] != moved, "not undone")
        b.run("document.querySelector('header nav a[data-view=words]').click()")
        b.run("document.querySelectorAll('.thumb')[40].click()")
        b.run("document.querySelector('header nav a[data-view=tour]').click()")
        b.settled()
        b.run("document.querySelector('header nav a[data-view=words]').click()")
        expect(b.state()["head"] == 40, "the choice of a head is lost")
        b.find("body").send_keys(Keys.CONTROL, "z")
        expect(b.state()["head"] == 2, "undone in Words")

    def test_the_tour_keeps_a_score(self):
        """Of predictions that were right, and of challenges met without "Show me"."""
        b = self.browser
        b.prefer(prefers_reduced_motion="reduce")
        b.open("#view=tour&step=0")
        b.settled()
        expect(not b.run("return document.querySelector('.tally').checkVisibility()"), "nothing was done yet")
        b.find("[data-handle=query-0]").send_keys(*[Keys.ARROW_UP] * 45)
        b.until("return document.querySelector(\"[data-step='0'] .challenge\").classList.contains('met')", seconds=30)
        for step, option in ((1, 0), (3, 1)):  # one wrong, one right
            b.run("document.querySelectorAll('#step-list button')[arguments[0]].click()", step)
            b.run("document.querySelectorAll(arguments[0])[arguments[1]].click()", f"[data-step='{step}'] .option", option)
        b.run("document.querySelectorAll('#step-list button')[2].click()")
        b.run("document.querySelectorAll(arguments[0])[1].click()", "[data-step='2'] .challenge button")
        b.until("return document.querySelector(\"[data-step='2'] .challenge\").classList.contains('met')", seconds=30)
        b.run("document.querySelectorAll('#step-list button')[9].click()")
        expect(b.text(".tally") == "On the way: 1 of 5 predictions right, 1 of 5 challenges met without help.", b.text(".tally"))
        b.prefer(prefers_reduced_motion="no-preference")

    def test_what_a_last_question_tells_is_seen(self):
        b = self.browser
        b.prefer(prefers_reduced_motion="reduce")
        for width, height in ((1280, 720), (360, 740)):
            b.resize(width, height)
            b.open(f"#view=tour&step={STEPS - 1}")
            b.settled()
            for i in (1, 3, 4, 5):  # answered wrongly, from the lowest place where the answer can be pressed
                b.run("""const option = document.querySelectorAll('.card.now .question')[arguments[0]].querySelector('.option');
                    option.scrollIntoView({ block: 'end', behavior: 'instant' }); option.click()""", i)
                b.settled()
                seen = b.run("""const question = document.querySelectorAll('.card.now .question')[arguments[0]];
                    return ['.reply', '.again'].map((name) => { const e = question.querySelector(name), r = e.getBoundingClientRect();
                        return [r.top + 3, r.bottom - 3].every((y) => e.contains(document.elementFromPoint(r.x + 5, y))); })""", i)
                expect(seen == [True, True], f"{width} wide, question {i + 1}: reply and way back are seen: {seen}")
        b.resize(1280, 1000)
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
        expect(len(b.all("#bench .good")) == 2, b.text("#bench .outcome"))
        b.resize(1280, 720)
        b.open("#view=tour&step=7")
        b.settled()
        for part in ("[data-entry=V-3-3]", "[data-step='7'] .asked", "[data-step='7'] .told", "#bench .outcome"):
            bottom = b.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", part)
            expect(0 < bottom <= 720, f"{part} ends at {bottom}")
        b.resize(1280, 1000)
        expect(not b.find("#keys-figure").is_displayed(), "the stage is the bench")
        b.find("header nav a[data-view=play]").click()
        expect(b.find("#keys-figure").is_displayed() and not b.find("#bench").is_displayed(), "the stage is back")

    def test_the_tour_ends_with_questions(self):
        b = self.browser
        b.open(f"#view=tour&step={STEPS - 1}")
        card = f"[data-step='{STEPS - 1}']"
        questions = b.all(f"{card} .question")
        expect(len(questions) == 6, f"{len(questions)} questions")
        for i in range(6):
            b.run("document.querySelectorAll(arguments[0])[arguments[1]].querySelector('.option').click()", f"{card} .question", i)
        expect(b.text(f"{card} .told") == "2 of 6 right", b.text(f"{card} .told"))
        back = b.all(f"{card} .again")
        expect([e.text for e in back] == [f"Back to step {step}" for step in (2, 4, 5, 9)], "each wrong answer leads to its step")
        b.run("arguments[0].click()", back[3])
        expect(b.state()["step"] == 8, "the step about the order")
        b.driver.back()
        b.until(f"return window.qkvPage.page.state.step === {STEPS - 1}")
        expect(len(b.all(f"{card} .question[data-answered]")) == 6, "answers are kept")
        b.run("document.querySelector(arguments[0]).click()", f"{card} .main")
        expect(b.state()["view"] == "play", "there is a way on")
        b.open(f"#view=tour&step={STEPS - 1}")
        b.run("document.querySelector(arguments[0]).click()", f"{card} .words")
        expect(b.state()["view"] == "words" and b.find("#chips").is_displayed(), "and one to real heads")

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
