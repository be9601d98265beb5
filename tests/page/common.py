"""What the tests of the page share: the browser and the command, and what is expected of numbers."""
import math
import os
import shutil
import struct
import subprocess
import tempfile

from selenium.webdriver.common.action_chains import ActionChains

from browser import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VIEWS = ("play", "tour", "words", "check")
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


class Page:
    """The page in a browser, with the command beside it."""

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

    def drag(self, name, *steps):
        chain = ActionChains(self.browser.driver).click_and_hold(self.browser.find(f"[data-handle={name}]"))
        for step in steps:
            chain = chain.move_by_offset(*step)
        chain.release().perform()
        self.browser.settled()

    def checked(self):
        self.browser.until("return /claim/.test(document.getElementById('summary').textContent)"
                           " && !document.getElementById('check').hasAttribute('aria-busy')")

    def close(self):
        self.browser.quit()
        shutil.rmtree(self.folder)
