"""The checker: verdicts, typesetting, errors, and texts that are replaced while they are
checked."""
import math
import os

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from common import Page, ROOT, expect, near


class Checker(Page):
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
        expect("ln(99(n − 2)/2)" in b.text("#claims .reason"), b.text("#claims"))

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
        sizes = b.run("return ['math', 'mfrac > :first-child'].map((name) => parseFloat(getComputedStyle(document.querySelector(`#claims > li > .typeset ${name}`)).fontSize))")
        expect(sizes[1] >= sizes[0], f"a fraction of {sizes[1]} pixels in a formula of {sizes[0]}")
        self.type(self.PREAMBLE + "claim: 1 = 1")
        expect(b.text("#gutter").startswith("1\n2\n3"), "line numbers")
        expect([e.text for e in b.all("#marks .keyword")] == ["given", "keys", "values", "pick", "claim"], "colours")

    def test_indexes_are_lowered(self):
        """Whatever fonts there are."""
        b = self.browser
        for font in ("", "math { font-family: sans-serif !important; }"):
            b.open("#view=check")
            self.checked()
            lowered = b.wait("""document.head.append(Object.assign(document.createElement('style'), { textContent: arguments[0] }));
                document.documentElement.toggleAttribute('data-flat', arguments[0] !== '');
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const [base, index] = [...document.querySelector('#claims msub').children].map((part) => part.getBoundingClientRect());
                return index.bottom - base.bottom;""", font)
            expect(lowered > 2, f"lowered by {lowered}")

    def test_lines_are_typeset_as_one_types(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        b.run("const t = document.getElementById('text'); t.value = arguments[0]; t.focus(); t.setSelectionRange(t.value.length, t.value.length)", self.PREAMBLE)
        b.find("#text").send_keys("claim: c.weight[a] = e^beta/2")
        expect("<mfrac><mrow><msup>" in b.find("#preview").get_attribute("innerHTML"), b.find("#preview").get_attribute("innerHTML"))
        b.find("#text").send_keys(Keys.HOME, Keys.ARROW_UP)
        expect("attend" in b.text("#preview") and "<mfrac>" not in b.find("#preview").get_attribute("innerHTML"), "the line of the caret")

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

    def test_whole_lines_go_below_the_caret(self):
        """A line of the palette breaks no other one, wherever the caret or a blank is."""
        b = self.browser
        b.open("#view=check")
        self.checked()
        press = lambda name: b.run("[...document.querySelectorAll('#palette button')].find((e) => e.textContent === arguments[0]).click()", name)
        b.run("const t = document.getElementById('text'); t.value = ''; t.focus()")
        for name in ("givens", "c = attend(q, k, v)", "claim"):
            press(name)
        lines = b.run("return document.getElementById('text').value").rstrip().split("\n")
        expect(lines[-2:] == ["c = attend(…, k, v)", "claim: …"], lines)
        b.run("const t = document.getElementById('text'); t.value = 'claim: 1 = 1\\nclaim: 2 = 2\\n'; t.focus(); t.setSelectionRange(3, 3)")
        press("claim")
        expect(b.run("return document.getElementById('text').value") == "claim: 1 = 1\nclaim: …\nclaim: 2 = 2\n",
               b.run("return document.getElementById('text').value"))

    def test_words_and_claims_open_at_the_top(self):
        b = self.browser
        b.resize(1280, 720)
        for name in ("words", "check"):
            b.open("#view=tour&step=9")
            b.settled()
            b.run("scrollTo(0, document.body.scrollHeight)")
            expect(b.run("return scrollY") > 200, "the last step is far down")
            b.run("document.querySelector('header nav a[data-view=' + arguments[0] + ']').click()", name)
            b.settled()
            expect(b.run("return scrollY") == 0, name)
        b.resize(1280, 1000)

    def test_latex_is_pasted_in(self):
        """What is translated, and what stays, say the same: all of these are true."""
        pasted = [r"$c.weight[a] = \frac{e^{\beta}}{n-2+2e^{\beta}}$", r"$c \approx \frac12(v_a + v_b)$ as $\beta\to\infty$",
                  r"c \approx \frac12v_a + \tfrac 1 2 v_b as \beta \to \infty", r"c.weight[a] = e^\beta \frac{1}{n-2+2e^\beta}",
                  r"2\frac{1}{2} = 1", r"n^\frac12 n^{\frac{1}{2}} = n", r"\frac{1}{2}^2 = \frac14", r"\frac{1}{\frac{1}{n}} = n",
                  r"\lVert k_a \rVert = \left| k_b \right|", r"\langle k_a, k_b \rangle = \mathbf{k}_a \cdot \mathbf{k}_b",
                  r"\sum_{i=1}^{n} c.weight[i] = 1", r"k_a^\top k_a = k_b^{\top} k_b", r"\beta\frac1n = \frac\beta n", r"\ln n \le n",
                  r"\lim_{\beta \to \infty} c.weight[a] = \frac 1 2", r"k_{a} \cdot k_{b} \ne \exp\left(0\right)"]
        b = self.browser
        b.open("#view=check")
        self.checked()
        b.run("const t = document.getElementById('text'); t.value = arguments[0]; t.focus(); t.setSelectionRange(t.value.length, t.value.length);"
              "document.getElementById('summary').textContent = ''", self.PREAMBLE.rstrip("\n"))
        for text in pasted:
            b.run("const t = document.getElementById('text'), data = new DataTransfer(); data.setData('text/plain', arguments[0]);"
                  "t.setRangeText('\\nclaim: ', t.value.length, t.value.length, 'end'); document.getElementById('summary').textContent = '';"
                  "t.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }))", text)
        self.checked()
        expect([e.text for e in b.all("#claims .verdict")] == ["proved"] * len(pasted), b.run("return document.getElementById('text').value") + b.text("#claims"))

    def paste(self, before, text):
        """At the end of a text, as the clipboard would."""
        self.browser.run("const t = document.getElementById('text'), data = new DataTransfer(); data.setData('text/plain', arguments[1]); t.value = arguments[0]; t.focus();"
                         "t.setSelectionRange(t.value.length, t.value.length); document.getElementById('summary').textContent = '';"
                         "t.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }))", before, text)
        self.checked()

    def test_latex_that_is_no_claim_is_told_what_is_one(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        for before in (self.PREAMBLE, self.PREAMBLE + "claim: "):
            self.paste(before, r"$\frac{e^\beta}{n-2+2e^\beta}$")
            expect("compares two things" in b.text("#claims") and "claim: c.weight[a] = " in b.text("#claims"), b.text("#claims"))
            self.paste(before, r"$w_a = \frac{e^\beta}{n-2+2e^\beta}$")
            expect("is written c.weight[a]" in b.text("#claims"), b.text("#claims"))
            self.paste(before, r"$c.weight[a] = \frac{e^\beta}{n-2+2e^\beta}$")
            expect([e.text for e in b.all("#claims .verdict")] == ["proved"], b.text("#claims"))

    def test_a_claim_in_latex_is_typeset(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + r"claim: $c.weight[a] = \frac{e^{\beta}}{n-2+2e^{\beta}}$")
        expect("<mfrac>" in b.find("#claims > li > .typeset").get_attribute("innerHTML"), b.text("#claims"))

    def test_an_example_keeps_what_was_written(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        choose = lambda name: Select(b.find("#examples")).select_by_visible_text(name)
        written = "return document.getElementById('text').value"
        choose("A query of zero")
        expect(not b.find("#own").is_displayed(), "there is nothing of one's own yet")
        self.type("claim: 1 = 1")
        choose("The forgotten keys")
        expect("forgotten" in b.run(written), b.run(written))
        b.find("#own").click()
        expect(b.run(written) == "claim: 1 = 1" and not b.find("#own").is_displayed(), b.run(written))
        choose("The forgotten keys")
        b.driver.back()
        b.until("return document.getElementById('text').value === 'claim: 1 = 1'")

    def test_undo_takes_back_an_example(self):
        """Ctrl+Z after an example, a template, a button of the palette and a completion; from the menu too."""
        b = self.browser
        b.open("#view=check&text=claim%3A%201%20%3D%201")
        self.checked()
        written = lambda: b.run("return document.getElementById('text').value")
        press = lambda key: ActionChains(b.driver).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()
        undo = lambda: press("z")
        area = b.find("#text")
        area.click()
        area.send_keys(Keys.CONTROL, Keys.END)
        area.send_keys(Keys.ENTER, "# mine")
        for name in ("The forgotten keys", "Average two values"):
            Select(b.find("#examples")).select_by_visible_text(name)
            expect(written() != "claim: 1 = 1\n# mine" and b.find("#own").is_displayed(), "the example is there")
            undo()
            b.until("return document.getElementById('text').value === 'claim: 1 = 1\\n# mine'", seconds=20)
            expect(not b.find("#own").is_displayed() and b.find("#examples").get_attribute("value") == "", "nothing to go back to")
        self.checked()
        press("y")
        expect("# mine" not in written(), "the example is there again")
        undo()
        area.send_keys(Keys.CONTROL, Keys.END)
        area.send_keys(Keys.ENTER)
        b.run("[...document.querySelectorAll('#palette button')].find((e) => e.textContent === 'weight').click()")
        expect(written().endswith("\nc.weight[a]"), written())
        undo()
        expect(written().rstrip() == "claim: 1 = 1\n# mine", written())

    def test_claims_of_a_step_keep_what_was_written(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type("claim: 1 = 1")
        b.find("header nav a[data-view=tour]").click()
        b.run("document.querySelector('[data-step=\"0\"] .claims').click()")
        self.checked()
        expect("find least" in b.run("return document.getElementById('text').value"), "the claims of the step")
        b.find("#own").click()
        expect(b.run("return document.getElementById('text').value") == "claim: 1 = 1", "lost")

    def test_figures_follow_the_theme(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c.weight[a] > 0.4")
        b.until("return document.querySelector('.claim-figure svg')")
        dark = "return document.querySelector('.claim-figure').innerHTML.includes('#14171c')"
        expect(not b.run(dark), "light")
        b.find("#theme").click()
        b.until(dark)
        b.run("localStorage.clear()")

    def test_numbers_of_lines_are_not_written_over(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        colour = b.run("return getComputedStyle(document.getElementById('gutter')).backgroundColor")
        expect(colour == b.run("return getComputedStyle(document.querySelector('.editor')).backgroundColor"), f"lines are seen through {colour}")
        wide = b.run("const t = document.getElementById('text'); return t.scrollWidth - t.clientWidth")
        expect(wide == 0, f"the first text is {wide} pixels too wide")

    def test_words_are_completed(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        area = b.find("#text")
        b.run("const t = document.getElementById('text'); t.value = arguments[0]; t.focus(); t.setSelectionRange(t.value.length, t.value.length)", self.PREAMBLE + "other = 1\n")
        area.send_keys("cl")
        expect([e.text for e in b.all("#offers li")] == ["claim"], b.text("#offers"))
        area.send_keys(Keys.TAB, ": c.we")
        self.picture("completion")
        area.send_keys(Keys.TAB, "a] = oth", Keys.TAB)
        expect(b.run("return document.getElementById('text').value").endswith("claim: c.weight[a] = other"), b.run("return document.getElementById('text').value"))
        area.send_keys(" + or")
        expect(b.find("#offers").is_displayed(), "offers")
        area.send_keys(Keys.ESCAPE)
        expect(not b.find("#offers").is_displayed(), "Escape closes them")
        area.send_keys(Keys.TAB)
        expect(b.run("return document.activeElement.id") != "text", "Tab leaves where there is nothing to complete")

    def test_templates_have_blanks(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        b.run("document.getElementById('summary').textContent = ''")
        Select(b.find("#examples")).select_by_visible_text("Average two values")
        self.checked()
        selected = "const t = document.getElementById('text'); return t.value.slice(t.selectionStart, t.selectionEnd)"
        expect(b.run(selected) == "…" and "Fill the blank" in b.text("#claims"), b.text("#claims"))
        expect(b.all("#claims .mistake") == [] and b.all("#marks mark") == [] and "error" not in b.text("#summary"), "a blank is no mistake")
        b.find("#text").send_keys("beta*(k[a] + k[b])", Keys.TAB)
        expect(b.run(selected) == "…", "Tab goes to the next blank")
        b.run("document.getElementById('summary').textContent = ''")
        b.find("#text").send_keys("e^beta/(n - 2 + 2 e^beta)")
        self.checked()
        expect([e.text for e in b.all("#claims .verdict")] == ["proved", "proved"], b.text("#claims"))

    def test_each_verdict_has_its_figure(self):
        """The figure is the command's of the same claim, but for its title and its width."""
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c.weight[a] > 0.4\nclaim: c ~ 1/2 (v[a] + v[b]) as beta -> inf")
        b.until("return document.querySelectorAll('.claim-figure svg').length === 2")
        expect("claimed: 0.4" in b.text(".claim-figure"), b.text(".claim-figure"))
        expect(b.find(".claim-figure svg").get_attribute("aria-label").startswith("Figure of claim"), "named")
        self.type("claim: 1 = 1")
        b.until("return document.querySelectorAll('.claim-figure').length === 0")

    def test_show_me_loads_the_counterexample(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c = 1/2 (v[a] + v[b])\nclaim: 1/2 = 1/3\n"
                  "claim: mean(c, attend(beta*(k[a] - k[b]), k, v)) ~ 1/2 (v[a] + v[b]) as beta -> inf")
        buttons = b.all("#claims .show-me")
        expect(len(buttons) == 2, "numbers have no place in the playground")
        buttons[0].click()
        b.settled()
        self.picture("counterexample")
        state = b.state()
        expect((state["view"], state["space"], state["n"], state["beta"], state["target"]) == ("play", "ortho", 3, 1, "average"), str(state))
        near(b.run("return window.qkvPage.page.playground.weights[0]"), math.e / (1 + 2 * math.e), 1e-12)
        expect("n = 3" in b.text("#remark") and b.find("#remark").is_displayed(), "what it is about")
        b.find("#remark-back").click()
        self.checked()
        b.all("#claims .show-me")[1].click()
        b.settled()
        state = b.state()
        expect(state["heads"] == 2 and state["queries"][:2] == [[1, 1, 0], [1, -1, 0]], str(state["queries"]))
        top = b.run("return document.getElementById('remark').getBoundingClientRect().top")
        expect(top >= 0, f"what it is about is at {top}")
        c, values = b.run("return [...window.qkvPage.page.playground.c]"), state["values"]
        near(c[0], 0.75 * values[0][0] + 0.25 * values[1][0], 1e-3)
        b.driver.back()
        b.until("return window.qkvPage.page.state.view === 'check'")

    def test_sums_and_brackets_are_typeset(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c = 1/2 (v[a] + v[b]) + sum(v[i] for i not in {a, b})")
        math_ = b.find("#claims > li > .typeset math").get_attribute("innerHTML")
        expect("<munder><mo>∑</mo><mrow><mi>i</mi><mo>∉</mo>" in math_, math_)
        height = b.run("return document.querySelector('#claims > li > .typeset').getBoundingClientRect().height")
        expect(height < 75, f"{height} pixels high")

    def test_signs_of_paper_are_typeset(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c ~ ½ (v[a] + v[b]) as β → ∞\nclaim: c.weight[a] ≤ 1/2")
        math_ = [e.get_attribute("innerHTML") for e in b.all("#claims > li > .typeset math")]
        expect(len(math_) == 2 and "<mo>→</mo><mi>∞</mi>" in math_[0] and "<mo>≤</mo>" in math_[1], b.text("#claims"))
        powers = [e.text for e in b.all("#claims .reason sup")]
        expect("β" in powers and "*" not in b.text("#claims .reason"), b.text("#claims .reason"))

    def test_products_after_a_quotient_keep_their_sign(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: 0.49 < c.weight[a] at n = 10, beta = 9")
        expect("1/50·e" in b.text("#claims .reason") and "The left side" not in b.text("#claims"), b.text("#claims"))
        self.type(self.PREAMBLE + "find least beta: c.weight[a] >= 0.495 for n = 10")
        found = b.find("#claims p.found:not(:first-child)")
        expect(found.text.startswith("Found:") and found.find_element("css selector", "mfrac"), found.text)

    def test_what_is_written_as_on_paper_gets_advice(self):
        """Each line as somebody new would write it, with the word that helps."""
        b = self.browser
        b.open("#view=check")
        self.checked()
        for line, word in (("claim: w_a = 1/2", "c.weight[a]"), ("claim: weight[a] = 1/2", "c.weight[a]"), ("claim: c.weight(a) = 1/2", "c.weight[a]"),
                           ("claim: c = v[a] when beta is large", "end of the line"), ("claim: lim c = v[a]", "end of the line"),
                           ("claim: c.weight[a] -> 1/2", "~ 1/2 as beta -> inf"), ("claim: c ~ v[a]", "within 0.01"), ("claim c = v[a]", "Put a colon"),
                           ("Claim: c = v[a]", "lowercase"), ("the average is c", "begin a claim"), ("c = attention(k[a], k, v)", "attend(")):
            self.type(self.PREAMBLE + line)
            expect(word in b.text("#claims .mistake"), f"{line}: {b.text('#claims')}")
        self.type("claim: c = 1/2 (v_a + v_b)")
        expect("givens" in b.text("#claims .mistake"), b.text("#claims"))
        self.type(self.PREAMBLE.replace("pick    a, b distinct in 1..n\n", ""))
        expect("pick a, b" in b.text("#claims .mistake"), b.text("#claims"))

    def test_what_is_not_understood_is_not_counted_as_undecided(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c.weight[a] = 1/2\nclaim: w_a = 1/2\nclaim: c.wieght[a] = 1/2")
        expect(b.text("#summary") == "1 claim: 1 refuted, 2 errors in the text", b.text("#summary"))

    def test_a_file_is_opened(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type("claim: 2 = 3")
        name = os.path.join(self.folder, "answer.md")
        with open(name, "w", encoding="utf-8", newline="") as out:
            out.write("An answer\r\n\r\n```qkv\r\nclaim: 1 = 1\r\n```\r\n")
        b.run("document.getElementById('summary').textContent = ''")
        b.find("#file").send_keys(name)
        b.until("return document.getElementById('text').value.includes('claim: 1 = 1')")
        self.checked()
        expect(b.text("#summary") == "1 claim: 1 proved", b.text("#summary"))
        b.find("#own").click()
        expect(b.run("return document.getElementById('text').value") == "claim: 2 = 3", "one's own text is kept")
        b.run("""const data = new DataTransfer(), drop = (type) => document.getElementById('text').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
            data.items.add(new File(['claim: 5 = 5'], 'answer.qkv'));
            window.taken = [drop('dragover'), drop('drop')];""")
        b.until("return document.getElementById('text').value === 'claim: 5 = 5'")
        expect(b.run("return window.taken") == [False, False], "the browser would have left the page")

    def test_an_error_is_told_once(self):
        b = self.browser
        b.open("#view=check")
        self.checked()
        self.type(self.PREAMBLE + "claim: c.wieght[a] = 1/2")
        places = [e.text.split("\n")[0] for e in b.all("#claims .mistake")]
        expect(len(places) == len(set(places)) >= 1 and len(b.all("#claims > li")) == len(places), b.text("#claims"))

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

    def test_every_example_is_understood(self):
        """All that is wrong with any of them is a blank to be filled."""
        b = self.browser
        b.open("#view=check")
        self.checked()
        for option in [e.text for e in b.all("#examples option")][1:]:
            b.run("document.getElementById('summary').textContent = ''")
            Select(b.find("#examples")).select_by_visible_text(option)
            self.checked()
            wrong = [e.text for e in b.all("#claims .mistake") if "Fill the blank" not in e.text]
            expect(wrong == [], f"{option}: {wrong}")

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
