# SPDX-License-Identifier: Apache-2.0
"""A workbench in a real browser: starts weft view and headless Chromium, and offers what a
person does (pointer, wheel, keys) and sees (pixels, texts, tables)."""
import atexit
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions", "--force-device-scale-factor=1",
             "--hide-scrollbars", "--lang=en")


def start_browser(size, downloads=None, dark=False):
    options = webdriver.ChromeOptions()
    for argument in ARGUMENTS + (f"--window-size={size[0]},{size[1]}",):
        options.add_argument(argument)
    if dark:
        options.add_argument("--force-dark-mode")
    if downloads:
        options.add_experimental_option("prefs", {
            "profile.default_content_setting_values.automatic_downloads": 1,
            "download.default_directory": downloads, "download.prompt_for_download": False})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    # The window's frame takes some of the size: ask for the page's own.
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
    return browser


# What servers remember of a person, for these tests alone.
STATE = tempfile.mkdtemp(prefix="weft-state-")
atexit.register(shutil.rmtree, STATE, True)


class Server:
    """weft view, until closed."""

    def __init__(self, weft, arguments, environment=None):
        self.process = subprocess.Popen(
            [weft, "view", "--no-browser", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, XDG_STATE_HOME=STATE, **(environment or {})))
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http"):
            raise RuntimeError("weft view: " + self.process.stderr.read())
        self.base, self.token = self.url.split("?token=")

    def memory(self):
        """Megabytes that are the process's own, without mapped files."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read())[1]) / 1024

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


class Workbench:
    def __init__(self, weft, arguments, size=(1280, 720), delay=0, browser=None, dark=False):
        self.server = Server(weft, arguments)
        self.own_browser = browser is None
        self.downloads = tempfile.mkdtemp(prefix="weft-downloads-")
        self.browser = browser or start_browser(size, self.downloads, dark)
        self.delay = delay
        self.open()

    def open(self, hash_part=""):
        url = self.server.url + (f"&delay={self.delay}" if self.delay else "") + hash_part
        self.browser.get("about:blank")
        self.browser.get(url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.own_browser:
            self.browser.quit()
        else:
            self.browser.get("about:blank")
        shutil.rmtree(self.downloads, ignore_errors=True)
        return self.server.close()

    def server_memory(self):
        return self.server.memory()

    # ---- Seeing ----

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait(self, script, seconds=60, what=None):
        """Until the script gives something true; returns that."""
        end = time.time() + seconds
        while True:
            value = self.run("try { " + script + " } catch (e) { return null; }")
            if value:
                return value
            if time.time() > end:
                raise AssertionError("waited in vain for " + (what or script))
            time.sleep(0.03)

    def wait_frames(self):
        """Until every visible picture shows what is wanted."""
        self.wait("const all = weft.panels().filter((p) => p.isVisible && p.mode === 'picture');"
                  "return weft.state.facts && all.length && all.every((p) => p.picture.failed ||"
                  " (p.picture.scene && p.picture.isShown() && !p.picture.busy && !p.picture.painting));",
                  what="all frames")

    def window(self):
        return self.run("return [weft.state.begin, weft.state.end]")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((n) => n.textContent)", selector)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def canvas(self, view):
        return self.run("return weft.panels().find((p) => p.view.name === arguments[0]).picture.canvas", view)

    def pixels(self, view):
        """Colours on a panel's canvas: {'#rrggbb': how many pixels}."""
        return self.run("""
          const canvas = weft.panels().find((p) => p.view.name === arguments[0]).picture.canvas;
          const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const seen = {};
          for (let i = 0; i < data.length; i += 4) {
            const c = '#' + ((1 << 24) + (data[i] << 16) + (data[i + 1] << 8) + data[i + 2]).toString(16).slice(1);
            seen[c] = (seen[c] || 0) + 1;
          }
          return seen;""", view)

    def pixel(self, view, x, y):
        return self.run("""
          const canvas = weft.panels().find((p) => p.view.name === arguments[0]).picture.canvas;
          const d = canvas.getContext('2d').getImageData(arguments[1], arguments[2], 1, 1).data;
          return '#' + ((1 << 24) + (d[0] << 16) + (d[1] << 8) + d[2]).toString(16).slice(1);""", view, x, y)

    def plot(self, view):
        return self.run("return weft.panels().find((p) => p.view.name === arguments[0]).picture.plot()", view)

    def mark(self, view, title):
        """The middle of the first mark whose title begins so, on the canvas."""
        return self.run("""
          const picture = weft.panels().find((p) => p.view.name === arguments[0]).picture;
          const move = picture.move(), plot = picture.plot();
          for (const layer of picture.scene.layers) for (const mark of layer.marks) {
            const about = mark[mark.length - 1];
            if (!(about.title || '').startsWith(arguments[1])) continue;
            const moves = layer.moves & 1, sx = moves ? move.sx : 1, tx = moves ? move.tx : 0;
            const ty = layer.moves & 2 ? move.ty : 0;
            if (mark[0] === 'rect') {
              const left = moves ? Math.max(plot.x, mark[1] * sx + tx) : mark[1];
              const right = moves ? Math.min(plot.x + plot.width, (mark[1] + mark[3]) * sx + tx) : mark[1] + mark[3];
              if (right - left < 1) continue;
              return { x: (left + right) / 2, y: mark[2] + mark[4] / 2 + ty, left, right, id: about.id };
            }
            if (mark[0] === 'glyph') return { x: mark[2] * sx + tx, y: mark[3] + ty, id: about.id };
            if (mark[0] === 'line') return { x: (mark[1][0] + mark[1][2]) / 2 * sx + tx, y: (mark[1][1] + mark[1][3]) / 2 + ty, id: about.id };
            if (mark[0] === 'text') return { x: mark[1] + 4, y: mark[2] + ty - 4 };
          }
          return null;""", view, title)

    def complaints(self):
        """
        What the browser's console says is wrong.  It counts every answer that is an error; 409 is
        that of a request which a newer one of its panel overtook before the page had left it.
        """
        return [entry["message"] for entry in self.browser.get_log("browser")
                if entry["level"] == "SEVERE" and "status of 409" not in entry["message"]]

    def screenshot(self, path):
        self.browser.save_screenshot(path)

    # ---- Doing ----

    def chain(self):
        return ActionChains(self.browser, duration=20)

    def move_to(self, view, x, y):
        box = self.run("const b = arguments[0].getBoundingClientRect(); return [b.left, b.top]",
                       self.canvas(view))
        chain = self.chain()
        chain.w3c_actions.pointer_action.move_to_location(int(box[0] + x), int(box[1] + y))
        return chain

    def hover(self, view, x, y):
        self.move_to(view, x, y).perform()

    def click(self, view, x, y):
        self.move_to(view, x, y).click().perform()

    def double_click(self, view, x, y):
        self.move_to(view, x, y).double_click().perform()

    def right_click(self, view, x, y):
        self.move_to(view, x, y).context_click().perform()

    def drag(self, view, x0, y0, x1, y1, key=None):
        box = self.run("const b = arguments[0].getBoundingClientRect(); return [b.left, b.top]",
                       self.canvas(view))
        chain = self.chain()
        if key:
            chain.key_down(key)
        pointer = chain.w3c_actions.pointer_action
        pointer.move_to_location(int(box[0] + x0), int(box[1] + y0))
        pointer.pointer_down()
        for part in (0.3, 0.7, 1):
            pointer.move_to_location(int(box[0] + x0 + (x1 - x0) * part), int(box[1] + y0 + (y1 - y0) * part))
        pointer.pointer_up()
        chain.perform()
        if key:
            self.chain().key_up(key).perform()

    def wheel(self, canvas, dy, dx=0, control=False, shift=False, alt=False, x=0.0, y=0.0):
        """The wheel over an element, x and y as parts of its size from its middle."""
        box = self.run("const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]", canvas)
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": "mouseWheel", "x": box[0] + box[2] * (0.5 + x), "y": box[1] + box[3] * (0.5 + y),
            "deltaX": dx, "deltaY": dy, "modifiers": 1 * alt + 2 * control + 8 * shift})

    def press(self, *keys):
        self.chain().send_keys(*keys).perform()

    def key_event(self, kind, key):
        self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {
            "type": kind, "key": key, "code": "Key" + key.upper(),
            "windowsVirtualKeyCode": ord(key.upper()), **({"text": key} if kind == "keyDown" else {})})

    def key_down(self, key):
        self.key_event("keyDown", key)

    def key_up(self, key):
        self.key_event("keyUp", key)

    def hold(self, key, script):
        """Until the script gives something true: how far a key moves in a time, depends on the machine."""
        self.key_down(key)
        try:
            self.wait(script)
        finally:
            self.key_up(key)
