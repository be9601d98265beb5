"""A browser for the tests of the page: Debian's Chromium, without a window, with what it logged."""
import json
import os
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

PATIENCE = int(os.environ.get("QKV_PAGE_PATIENCE", "600"))  # seconds: ends what hangs, on however busy a machine


class Browser:
    """One window. Everything it loads, and every word in its console, is kept."""

    def __init__(self, page, folder):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         "--force-device-scale-factor=1", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": folder})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.driver.execute_cdp_cmd("Page.setDownloadBehavior",
                                    {"behavior": "allow", "downloadPath": folder})
        self.page, self.folder = "file://" + os.path.abspath(page), folder
        self.messages, self.requests = [], []
        self.resize(1280, 1000)

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def prefer(self, **features):
        """prefers_color_scheme="dark", prefers_reduced_motion="reduce"."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def open(self, address="", search=""):
        """Loads the page anew, so that nothing of before is left."""
        self.driver.get("about:blank")
        self.driver.get(self.page + search + address)
        self.until("return window.qkvPage !== undefined")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        """The value of a promise."""
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {script} }})().then(done, (error) => done('failed: ' + error.message))", *arguments)

    def until(self, script, *arguments, seconds=PATIENCE):
        end = time.time() + seconds
        while time.time() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(f"waited in vain for: {script}")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def state(self):
        return self.run("return structuredClone(window.qkvPage.page.state)")

    def settled(self):
        """Two frames later, when what was changed has been drawn."""
        self.wait("await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));")

    def saved(self, name, seconds=PATIENCE):
        """The text of a file that was downloaded, which is then removed."""
        path, end = os.path.join(self.folder, name), time.time() + seconds
        while not os.path.exists(path):
            if time.time() > end:
                raise AssertionError(f"{name} was not downloaded")
            time.sleep(0.05)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        os.remove(path)
        return text

    def saved_bytes(self, name, seconds=PATIENCE):
        path, end = os.path.join(self.folder, name), time.time() + seconds
        while not os.path.exists(path):
            if time.time() > end:
                raise AssertionError(f"{name} was not downloaded")
            time.sleep(0.05)
        with open(path, "rb") as source:
            data = source.read()
        os.remove(path)
        return data

    def collect(self):
        self.messages += [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

    def quit(self):
        self.driver.quit()
