"""The address, narrow screens, the theme, and who uses no mouse."""
import json

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from common import HERE, NOISE, Page, VIEWS, expect


class Screen(Page):
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

    def test_nothing_stands_out_of_the_page(self):
        b = self.browser
        for width, height in ((1440, 900), (1280, 720), (1024, 768), (768, 1024)):
            b.resize(width, height)
            for address in (f"#view=play&{NOISE}&n=10", "#view=play&heads=3", "#view=tour&step=4", "#view=words"):
                b.open(address)
                b.settled()
                out = b.run("""const main = document.querySelector('main'), right = main.getBoundingClientRect().right - parseFloat(getComputedStyle(main).paddingRight);
                    return [...main.querySelectorAll('*')].filter((e) => e.checkVisibility() && !e.closest('svg, .skip') && e.getBoundingClientRect().right > right + 1).map((e) => e.outerHTML.slice(0, 80))""")
                expect(out == [], f"{width} × {height}, {address}: {out}")
        b.resize(1280, 1000)

    def test_full_screen_everywhere(self):
        """Each part can be shown on the whole screen, and left again by the same button."""
        b = self.browser
        b.resize(1280, 720)
        for view in VIEWS:
            b.open(f"#view={view}")
            if view == "check":
                self.checked()
            b.settled()
            button = next(e for e in b.all(".full") if e.is_displayed())
            button.click()
            b.until("return Boolean(document.fullscreenElement)", seconds=20)
            b.until("return arguments[0].textContent === 'Leave'", button, seconds=20)
            self.picture(f"full-{view}")
            b.run("arguments[0].click()", button)
            b.until("return !document.fullscreenElement", seconds=20)
        b.resize(1280, 1000)

    def test_headings_do_not_touch(self):
        """Of the table, on the screen of an old projector too."""
        b = self.browser
        for width, height in ((1000, 760), (1024, 768), (1100, 800), (1280, 720)):
            b.resize(width, height)
            for address in ("", f"#{NOISE}&n=10&beta=10"):
                b.open(address)
                b.settled()
                gaps = b.run("""const range = document.createRange(), boxes = [...document.querySelectorAll('#weights thead small')].map((e) => { range.selectNodeContents(e); return range.getBoundingClientRect(); });
                    return boxes.slice(1).map((box, i) => box.left - boxes[i].right)""")
                expect(len(gaps) == 2 and min(gaps) >= 4, f"{width} wide, {address}: {gaps} pixels between the headings")
        b.resize(1280, 1000)

    def test_tools_leave_no_gaps(self):
        """Where nothing is to be drawn, no row of a telephone is kept for it; hints have the width of the page."""
        b = self.browser
        b.resize(360, 740)
        b.open("")
        b.settled()
        gap = b.run("const [p, q] = ['noise-switch', 'undo'].map((id) => document.getElementById(id).getBoundingClientRect()); return q.top - p.bottom")
        expect(gap < 20, f"{gap} pixels between two rows of buttons")
        b.resize(768, 1024)
        b.settled()
        rows, hint = b.run("""return [new Set([...document.querySelectorAll('#undo, #reset, #tools .copy-link, #save-svg, #full')].map((e) => e.getBoundingClientRect().top)).size,
            document.querySelector('.placeholder').getBoundingClientRect().width]""")
        expect(rows == 1 and hint > 700, f"{rows} rows, a hint of {hint}")
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
