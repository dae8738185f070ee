# SPDX-License-Identifier: Apache-2.0
"""For the tests of the workbench's trees: what is on the page, and how a file of them is run.
WEFT, BUILD and SOURCE name the binary, the build folder and the source folder; a screenshot of
each test is kept in SCREENSHOTS.

What is expected is counted from the trace's own lines (reductions.py), or follows from a trace
in traces.py by reasoning."""
import json
import math
import os
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from checks import equal, has, run_tests
from reductions import Reductions
from setting import FOLDER, SIZE, SOURCE, TESTS, WEFT, keep_screenshot
from workbench import Workbench, start_browser
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.support.ui import Select

TREE, ACCENT = "reduction-tree", "#2f6fde"
SORT = os.path.join(SOURCE, "examples", "quick_sort")
QUEENS = os.path.join(SOURCE, "examples", "fghc", "queens.fghc")


# ---- What is on the page ----

def open_beside(w, *views, orientation="horizontal"):
    layout = {"weft_layout": 1, "main": {"type": "split-area", "orientation": orientation, "sizes": [1] * len(views), "children": [
        {"type": "tab-area", "currentIndex": 0, "panels": [{"view": name, "settings": {}, "mode": "picture"}]} for name in views]}}
    w.open("#" + urllib.parse.quote(json.dumps({"trace": 0, "theme": "light", "layout": layout})))
    w.wait_frames()


def open_view(w, view=TREE, **settings):
    """The workbench with this view alone, as its address has it.  Trees are laid out by VISTA's
    formulas, which the table of nodes is by, unless another depth is given."""
    if view in (TREE, "tree-compare"):
        settings = {"depth": "vista", **settings}
    layout = {"weft_layout": 1, "main": {"type": "tab-area", "currentIndex": 0, "panels": [
        {"view": view, "settings": settings, "mode": "picture"}]}}
    w.open("#" + urllib.parse.quote(json.dumps({"trace": 0, "layout": layout})))
    w.wait_frames()


def resize(w, width, height):
    w.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def settings(w):
    return w.run("return weft.panels()[0].settings")


def frame(w):
    return w.run("return weft.panels()[0].picture.scene.frame")


def layer_texts(w, name):
    return w.run("return weft.panels()[0].picture.scene.layers.filter((l) => l.name === arguments[0])"
                 ".flatMap((l) => l.marks.filter((m) => m[0] === 'text').map((m) => m[5]))", name)


def status(w):
    """All lines of it; before them stand the ends of time's colours."""
    w.wait_frames()
    return " ".join(layer_texts(w, "status"))


def drawn(text):
    found = re.search(r"all ([0-9,]+) nodes drawn|nodes: ([0-9,]+) drawn", text)
    return int((found[1] or found[2]).replace(",", ""))


def legend(w):
    return {entry[0]: entry for entry in frame(w)["legend"]}


def places(w, view=TREE):
    """Where the nodes are on the canvas: the same view as a table."""
    w.wait_frames()
    wish = w.run("return weft.panels()[0].picture.wish()")
    wish.pop("panel")
    request = urllib.request.Request(f"{w.server.base}view/{view}.json?{urllib.parse.urlencode(wish)}",
                                     headers={"Authorization": "Bearer " + w.server.token})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def nearest(rows, x, y):
    return min(rows, key=lambda row: math.hypot(row["x"] - x, row["y"] - y))


def place_of(rows, node):
    return next(row for row in rows if row["record"] == node.record)


def colors_around(w, x, y, radius):
    """{colour: pixels} of the canvas in a square."""
    return w.run("""
      const [x, y, r] = arguments, context = weft.panels()[0].picture.canvas.getContext('2d');
      const data = context.getImageData(Math.round(x - r), Math.round(y - r), 2 * r + 1, 2 * r + 1).data, seen = {};
      for (let i = 0; i < data.length; i += 4) {
        const c = '#' + ((1 << 24) + (data[i] << 16) + (data[i + 1] << 8) + data[i + 2]).toString(16).slice(1);
        seen[c] = (seen[c] || 0) + 1;
      }
      return seen;""", x, y, radius)


def tooltip(w, x, y):
    """What is said of a point once the pointer rests there."""
    w.hover(TREE, 3, 3)  # so that it is said anew
    time.sleep(0.1)
    w.run("document.getElementById('tooltip').replaceChildren()")
    w.hover(TREE, x, y)
    w.wait("const t = document.getElementById('tooltip');"
           "return !t.hidden && /procedure:|name:/.test(t.textContent)", what="a tooltip")
    return dict(line.split(": ", 1) for line in w.texts("#tooltip div") if ": " in line)


def details(w):
    return dict(zip(w.texts("#drawer .facts th"), w.texts("#drawer .facts td")))


def choose(w, parameter, value):
    def is_chosen():
        return w.run("return document.querySelector(`.panel [data-parameter=${arguments[0]}]`).value === arguments[1]", parameter, value)

    # The panel makes its controls anew when one is set, also while the driver looks at them.
    for _ in range(5):
        if is_chosen():
            break
        try:
            Select(w.find(f".panel [data-parameter={parameter}]")).select_by_value(value)
        except StaleElementReferenceException:
            pass
    assert is_chosen(), f"{parameter}={value} cannot be chosen"
    w.wait_frames()


def choose_menu(w, text):
    w.wait("return document.querySelector('dialog.menu')")
    has(w.texts("dialog.menu button"), text)
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === arguments[0]).click()", text)
    time.sleep(0.05)
    w.wait_frames()


def click_picks(w, x, y, record):
    w.click(TREE, x, y)
    w.wait(f"return weft.state.picked?.facts.some((f) => f.name === 'record' && f.value === '{record}')",
           what=f"record {record} picked")
    w.wait("return document.querySelector('#drawer .line.lit')", what="its source line")
    w.wait_frames()


def make_queens():
    """A run of the machine's own: its PEs and times differ from run to run, its tree does not."""
    path = os.path.join(FOLDER, "queens.vista")
    subprocess.run([WEFT, "fghc", QUEENS, "go(6,C)", "--pes", "4", "-o", path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def run_trees():
    """All tests of the file, or those that are named; the exit status."""
    browser = start_browser(SIZE)
    w = Workbench(WEFT, [SORT + ".vista", "--set", f"source={SORT}.fghc", "--source-root", SOURCE], browser=browser)
    w.sort = Reductions(SORT + ".vista", SORT + ".fghc")
    w.queens_path = make_queens()
    w.queens = Reductions(w.queens_path, QUEENS)

    def run(one):
        try:
            resize(w, *SIZE)
            w.open()
            w.wait_frames()
            w.complaints()
            one(w)
            equal([c for c in w.complaints() if "favicon" not in c], [])
        finally:
            keep_screenshot(w, one)

    failed = run_tests(TESTS, sys.argv[1:], run)
    w.close()
    browser.quit()
    return 1 if failed else 0
