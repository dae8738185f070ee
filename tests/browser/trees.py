#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench's trees, as a person uses them, in a real browser.  TAP on standard output; a
screenshot of each test is kept in SCREENSHOTS.  WEFT, BUILD and SOURCE name the binary, the
build folder and the source folder.

What is expected is counted from the trace's own lines (reductions.py), or follows from a trace
in traces.py by reasoning."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

try:
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("1..0 # SKIP python3-selenium is not installed")
    sys.exit(0)
if not shutil.which("chromium") or not shutil.which("chromedriver"):
    print("1..0 # SKIP chromium or chromium-driver is not installed")
    sys.exit(0)

import traces
from checks import equal, has, keep_screenshot, near, run_tests, until
from reductions import Reductions
from workbench import Workbench, start_browser

WEFT = os.environ["WEFT"]
SOURCE = os.environ.get("SOURCE", os.getcwd())
SCREENSHOTS = os.environ.get("SCREENSHOTS", os.path.join(os.environ.get("BUILD", "."), "screenshots"))
FOLDER = tempfile.mkdtemp(prefix="weft-trees-")
os.environ["WEFT_CACHE"] = os.path.join(FOLDER, "cache")
STARTED = time.time()
SIZE = (1280, 800)
TREE, ACCENT = "reduction-tree", "#2f6fde"
SORT = os.path.join(SOURCE, "examples", "quick_sort")
QUEENS = os.path.join(SOURCE, "examples", "fghc", "queens.fghc")

TESTS = []


def test(run):
    TESTS.append(run)
    return run


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


# ---- What is there at first ----

@test
def opens_from_the_catalogue(w):
    run = w.sort
    equal(w.find(f"[data-view={TREE}]").get_attribute("aria-disabled"), "false")
    w.find(f"[data-view={TREE}]").click()
    w.wait("return weft.panels().some((p) => p.view.name === 'reduction-tree' && p.picture.scene)")
    open_view(w)
    n = len(run.nodes)
    has(status(w), f"all {n} nodes drawn · {run.nodes[0].levels()} levels · ")
    has(status(w), " · 4 PEs · by PE")
    shares = legend(w)
    seen = w.pixels(TREE)
    for pe in range(run.n_pes):
        near(shares[f"PE {pe}"][3], run.on_pe(pe) / n, 1e-4)
        assert seen.get(shares[f"PE {pe}"][1], 0) > 50, (pe, seen.get(shares[f"PE {pe}"][1]))
    # The root's dot stands where the picture says that the root is.
    x, y = frame(w)["anchor"]
    has(colors_around(w, x, y, 1), legend(w)["PE 0"][1])


@test
def every_control_is_there_once_and_can_be_reached(w):
    for size in ((1280, 800), (900, 640), None):
        if size:
            resize(w, *size)
            open_view(w)
        else:  # in half of the width
            resize(w, *SIZE)
            open_beside(w, TREE, "space-time")
        names = w.run("return [...weft.panels()[0].tools.querySelectorAll('[data-parameter]')].map((n) => n.dataset.parameter)")
        equal(sorted(names), sorted(set(names)))
        for name in ("layout", "color", "root", "node", "edges", "edge-kind"):
            has(names, name)
        # A narrow panel has those of every day, and all of them when asked.
        w.run("const more = weft.panels()[0].tools.querySelector('.more'); if (more.offsetParent) more.click();")
        hidden = w.run("""
          const panel = weft.panels()[0].node.getBoundingClientRect();
          const of = (n) => n.getBoundingClientRect();
          return [...weft.panels()[0].head.querySelectorAll('[data-parameter], button:not(.more)')].filter((n) => {
            const b = of(n), tools = of(n.closest('.tools'));
            return b.left < panel.left || b.right > panel.right + 0.5 || b.top < tools.top - 0.5 || b.bottom > tools.bottom + 0.5;
          }).map((n) => n.dataset.parameter || n.textContent);""")
        equal(hidden, [])


# ---- Zooming and moving ----

@test
def the_wheel_zooms_around_the_pointer(w):
    open_view(w)
    node = w.sort.nodes[98]  # away from the root
    at = place_of(places(w), node)
    w.hover(TREE, at["x"], at["y"])
    box = w.run("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", w.canvas(TREE))
    for _ in range(6):
        w.wheel(w.canvas(TREE), -120, x=at["x"] / box[0] - 0.5, y=at["y"] / box[1] - 0.5)
    w.wait("return Number(weft.panels()[0].settings.zoom) > 5")
    near(float(settings(w)["zoom"]), math.exp(6 * 120 * 0.0025), 0.01)
    now = place_of(places(w), node)
    # What the pointer misses the node by is enlarged, too.
    x, y = w.run("const p = weft.panels()[0].picture.pointer; return [p.x, p.y]")
    near(x, at["x"], 1)
    factor = float(settings(w)["zoom"])
    near(now["x"], x + (at["x"] - x) * factor, 1.5)
    near(now["y"], y + (at["y"] - y) * factor, 1.5)
    assert "nodes drawn" not in status(w), status(w)  # some are beyond the edge
    has(layer_texts(w, "names") or layer_texts(w, "labels"), "qsort")
    w.press(Keys.HOME)
    w.wait("return !weft.panels()[0].settings.zoom")
    has(status(w), f"all {len(w.sort.nodes)} nodes drawn")


@test
def a_picture_is_enlarged_until_the_next_comes(w):
    open_view(w)
    x, y = frame(w)["anchor"]
    plot = w.plot(TREE)
    color = legend(w)["PE 0"][1]
    px, py = int(plot["x"] + plot["width"] * 0.75), int(plot["y"] + 40)
    w.hover(TREE, px, py)
    w.run("window.realFetch = fetch; window.fetch = () => new Promise(() => {})")
    box = w.run("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", w.canvas(TREE))
    w.wheel(w.canvas(TREE), 120, x=px / box[0] - 0.5, y=py / box[1] - 0.5)
    w.wait("return Number(weft.panels()[0].settings.zoom) < 1")
    time.sleep(0.1)
    factor = math.exp(-120 * 0.0025)
    has(colors_around(w, px + (x - px) * factor, py + (y - py) * factor, 2), color)
    w.run("window.fetch = window.realFetch; weft.panels()[0].picture.change()")
    w.wait_frames()
    has(colors_around(w, px + (x - px) * factor, py + (y - py) * factor, 2), color)


@test
def dragging_moves_the_root(w):
    open_view(w)
    x, y = frame(w)["anchor"]
    w.drag(TREE, 200, 60, 120, 110)
    w.wait("return weft.panels()[0].settings.x")
    w.wait_frames()
    near(frame(w)["anchor"][0], x - 80, 1.5)
    near(frame(w)["anchor"][1], y + 50, 1.5)
    has(colors_around(w, x - 80, y + 50, 2), legend(w)["PE 0"][1])
    equal(w.run("return weft.state.picked"), None)  # a drag is no click
    # Two fingers move it, too.
    before = float(settings(w)["x"])
    w.wheel(w.canvas(TREE), 30, dx=60)
    w.wait(f"return Number(weft.panels()[0].settings.x) < {before - 0.01}")
    w.wait_frames()
    near(frame(w)["anchor"][0], x - 140, 1.5)
    near(frame(w)["anchor"][1], y + 20, 1.5)
    near(float(settings(w).get("zoom", 1)), 1, 1e-6)


@test
def keys_zoom_and_move_the_tree(w):
    open_view(w)
    x, y = frame(w)["anchor"]
    w.click(TREE, x, y)
    w.wait("return weft.state.picked")
    window = w.window()
    w.hover(TREE, x, y)
    w.hold("w", "return Number(weft.panels()[0].settings.zoom) > 1.3")
    near(float(settings(w)["x"]), 0.5, 0.01)  # the root is under the pointer
    w.hold("d", "return Number(weft.panels()[0].settings.x) < 0.45")
    equal(w.window(), window)  # the time has not moved
    w.press("-")
    w.press(Keys.HOME)
    w.wait("return !weft.panels()[0].settings.x")
    # Beside a timeline, keys zoom what the pointer is over.
    open_beside(w, TREE, "space-time", orientation="vertical")
    w.hover("space-time", 400, 60)
    w.hold("w", "return weft.state.end - weft.state.begin < 40000")
    equal(settings(w).get("zoom"), None)
    window = w.window()
    w.hover(TREE, 400, 60)
    w.hold("w", "return Number(weft.panels()[0].settings.zoom) > 1.3")
    equal(w.window(), window)


# ---- One node ----

@test
def pointing_tells_of_the_nearest_node(w):
    run = w.sort
    open_view(w)
    rows = places(w)
    x, y = frame(w)["anchor"]
    for dx, dy in ((20, -30), (-70, 12), (0, 0), (300, 100), (-400, -150)):
        row = nearest(rows, int(x + dx), int(y + dy))
        node = run.nodes[row["record"] - 1]
        facts = tooltip(w, int(x + dx), int(y + dy))
        equal(facts["record"], str(node.record))
        equal(facts["procedure"], run.procedure(node))
        has(facts["source"], f"quick_sort.fghc:{run.line(node)}")
        equal((facts["PE"], facts["index"]), (f"PE {node.pe}", str(node.index)))
        equal(facts["level"], str(node.level))
        equal(facts["children"], str(len(node.children)))
        equal(facts["nodes of its subtree"], str(len(node.subtree())))
        has(facts["in the run"], f"{100 * node.time / (run.span + 1):.1f} %")
        if node.parent:
            equal(facts["parent"], f"{run.procedure(node.parent)} (PE {node.parent.pe}, {node.parent.index})")
        if len(node.children) > 1:
            shares = facts["its PEs"]
            for pe in range(run.n_pes):
                if run.on_pe(pe, node):
                    has(shares, f"PE {pe} {100 * run.on_pe(pe, node) / len(node.subtree()):.1f} %")


@test
def a_click_picks_and_marks_and_shows_the_source(w):
    run = w.sort
    open_view(w)
    x, y = frame(w)["anchor"]
    before = w.pixels(TREE).get(ACCENT, 0)
    node = run.nodes[nearest(places(w), int(x + 20), int(y - 30))["record"] - 1]
    click_picks(w, x + 20, y - 30, node.record)
    at = place_of(places(w), node)
    assert colors_around(w, at["x"], at["y"], 9).get(ACCENT, 0) > 20, colors_around(w, at["x"], at["y"], 9)
    assert w.pixels(TREE).get(ACCENT, 0) > before
    facts = details(w)
    has(w.text("#drawer h3"), run.procedure(node))
    equal((facts["PE"], facts["index"], facts["clause"]), (f"PE {node.pe}", str(node.index), str(node.clause)))
    near(float(facts["begins"].split(" ")[0]), node.time / 1e6, 1e-6)
    has(facts["site"], f"quick_sort.fghc:{run.line(node)}")
    equal(w.text("#drawer .line.lit .number"), str(run.line(node)))
    has(w.text("#drawer .line.lit code"), run.procedure(node) + "(")
    # Another one; then it is that which is marked.
    other = run.nodes[nearest(places(w), int(x - 100), int(y + 20))["record"] - 1]
    assert other.record != node.record
    spot = place_of(places(w), other)
    click_picks(w, spot["x"] + 1, spot["y"] + 1, other.record)
    now = place_of(places(w), other)
    assert colors_around(w, now["x"], now["y"], 9).get(ACCENT, 0) > 20
    equal(colors_around(w, at["x"], at["y"], 9).get(ACCENT, 0), 0)
    w.press(Keys.ESCAPE)
    w.wait("return !weft.state.picked")
    w.wait_frames()
    equal(colors_around(w, now["x"], now["y"], 9).get(ACCENT, 0), 0)


@test
def a_click_picks_the_nearest_where_one_has_zoomed_to(w):
    open_view(w, zoom="7.5", x="0.31", y="0.8")
    rows = places(w)
    plot = w.plot(TREE)
    for part in ((0.3, 0.5), (0.7, 0.3), (0.55, 0.85)):
        x, y = int(plot["x"] + plot["width"] * part[0]), int(plot["y"] + plot["height"] * part[1])
        row = nearest(rows, x, y)
        click_picks(w, x, y, row["record"])
        equal(w.text("#drawer .line.lit .number"), str(w.sort.line(w.sort.nodes[row["record"] - 1])))


# ---- Subtrees ----

@test
def into_a_subtree_and_one_within_it_and_back(w):
    run = w.sort
    open_view(w)
    whole = status(w)

    def enter(node):
        at = place_of(places(w), node)
        w.double_click(TREE, at["x"], at["y"])
        w.wait("return weft.panels()[0].picture.scene && document.querySelector('.subtitle').textContent"
               f".includes('(PE {node.pe}, {node.index})')", what="the subtree")
        n = len(node.subtree())
        has(status(w), f"all {n} nodes drawn · subtree of {node.levels()} levels")
        has(w.text(".subtitle"), f"subtree of {run.procedure(node)} (PE {node.pe}, {node.index})")
        assert w.run("return document.getElementById('tooltip').hidden")  # it was of the last picture
        equal(sorted(row["record"] for row in places(w)), sorted(each.record for each in node.subtree()))
        for pe in range(run.n_pes):
            if run.on_pe(pe, node):
                near(legend(w)[f"PE {pe}"][3], run.on_pe(pe, node) / n, 1e-4)

    outer = max((n for n in run.nodes if 3 <= n.level <= 4), key=lambda n: len(n.subtree()))
    inner = max((n for n in outer.subtree() if n.level == outer.level + 2), key=lambda n: len(n.subtree()))
    assert len(run.nodes) > len(outer.subtree()) > len(inner.subtree()) > 5
    w.wheel(w.canvas(TREE), -200)
    w.wait("return weft.panels()[0].settings.zoom")
    enter(outer)
    equal(settings(w).get("zoom"), None)  # the subtree is shown whole, wherever one was
    first = status(w)
    enter(inner)
    w.press(Keys.BACK_SPACE)
    until(lambda: status(w) == first)
    w.press(Keys.BACK_SPACE)
    until(lambda: status(w) == whole)
    w.press(Keys.BACK_SPACE)
    time.sleep(0.05)
    equal(status(w), whole)


@test
def subtrees_by_the_menu(w):
    run = w.sort
    open_view(w)
    whole = status(w)
    for node in (run.nodes[4], run.nodes[12]):
        node = node if len(node.subtree()) > 3 else node.parent
        open_view(w)
        at = place_of(places(w), node)
        w.right_click(TREE, at["x"], at["y"])
        choose_menu(w, "Show the subtree of this node")
        has(status(w), f"subtree of {node.levels()} levels")
    first = status(w)
    child = max(node.children, key=lambda n: len(n.subtree()))
    at = place_of(places(w), child)
    w.right_click(TREE, at["x"], at["y"])
    choose_menu(w, "Show the subtree of this node")
    has(status(w), f"subtree of {child.levels()} level")
    w.right_click(TREE, 200, 60)
    choose_menu(w, "Back to the subtree before")
    equal(status(w), first)
    w.right_click(TREE, 200, 60)
    assert "Back to the subtree before" not in w.texts("dialog.menu button")
    choose_menu(w, "Show the whole tree again")
    equal(status(w), whole)


# ---- Colours and layouts ----

@test
def colours_say_pe_time_both_or_procedure(w):
    run = w.sort
    open_view(w, zoom="2")
    pe_colors = [legend(w)[f"PE {pe}"][1] for pe in range(run.n_pes)]
    rows = places(w)
    root = place_of(rows, run.nodes[0])
    late = max((n for n in run.nodes if not n.children), key=lambda n: n.time)

    def count(colors):
        seen = w.pixels(TREE)
        return sum(seen.get(color, 0) for color in colors)

    assert count(pe_colors) > 500
    choose(w, "color", "time")
    has(status(w), "by time")
    equal(legend(w), {})
    assert count(pe_colors) < 20, count(pe_colors)
    has(layer_texts(w, "status"), "0 s")
    has(layer_texts(w, "status"), "55.6 ms")

    rows = places(w)  # the panel has no legend now, and more room

    def darkness(node):  # of the strongest colour at its dot
        at = place_of(rows, node)
        seen = colors_around(w, at["x"], at["y"], 2)
        return max(765 - sum(int(color[i:i + 2], 16) for i in (1, 3, 5)) for color in seen)

    assert darkness(run.nodes[0]) > darkness(late) + 100, (darkness(late), darkness(run.nodes[0]))
    even = w.pixels(TREE)
    w.run("weft.panels()[0].set('spectrum', 'vista')")  # a setting that is seldom wanted
    w.wait_frames()
    spectrum = w.pixels(TREE)
    assert len(set(spectrum) - set(even)) > 50
    assert any(int(c[1:3], 16) > 200 and int(c[3:5], 16) < 60 and int(c[5:7], 16) < 120 for c in spectrum)  # red
    w.run("weft.panels()[0].set('spectrum', 'even')")
    w.wait_frames()
    choose(w, "color", "pe-time")
    has(status(w), "by PE and time")
    root = place_of(places(w), run.nodes[0])
    assert count(pe_colors) > 100  # corners
    assert sum(n for c, n in w.pixels(TREE).items() if c in even and c not in pe_colors) > 500  # polygons
    has(colors_around(w, root["x"], root["y"], 1), pe_colors[run.nodes[0].pe])
    choose(w, "color", "procedure")
    has(status(w), "by procedure")
    root = place_of(places(w), run.nodes[0])
    equal(sorted(legend(w)), sorted({run.procedure(n) for n in run.nodes}))
    for name, entry in legend(w).items():
        near(entry[3], sum(run.procedure(n) == name for n in run.nodes) / len(run.nodes), 1e-4)
        if name != "sort":
            assert count([entry[1]]) > 100, name
    has(colors_around(w, root["x"], root["y"], 1), legend(w)["sort"][1])


@test
def layouts_radial_icicle_and_top_down(w):
    run = w.sort
    open_view(w)
    x, y = frame(w)["anchor"]
    rows = places(w)
    step = max(math.hypot(r["x"] - x, r["y"] - y) for r in rows) / max(r["ring"] for r in rows)
    for row in rows:
        near(math.hypot(row["x"] - x, row["y"] - y), row["ring"] * step, 0.05)
    w.wheel(w.canvas(TREE), -200)
    w.wait("return weft.panels()[0].settings.zoom")
    choose(w, "layout", "icicle")
    equal(settings(w).get("zoom"), None)
    rows = places(w)
    width, colors = frame(w)["plot"][2], legend(w)
    equal(len(rows), len(run.nodes))
    bars = {m["id"]: m for m in w.run("""
      return weft.panels()[0].picture.scene.layers.filter((l) => l.name === 'nodes').flatMap((l) => l.marks)
        .map((m) => ({ id: m[5].id, x: m[1], y: m[2], width: m[3], height: m[4] }))""")}
    equal(len(bars), len(run.nodes))
    of = {}
    for row in rows:
        node = run.nodes[row["record"] - 1]
        of[node] = next(b for b in bars.values() if abs(b["x"] - row["x"]) < 0.02 and abs(b["y"] - row["y"]) < 0.02)
    near(of[run.nodes[0]]["width"], width, 1.5)
    for node, bar in of.items():
        if node.parent:
            above = of[node.parent]
            assert bar["y"] >= above["y"] + above["height"] - 0.1, (node.record, bar, above)
            assert bar["x"] >= above["x"] - 0.1 and bar["x"] + bar["width"] <= above["x"] + above["width"] + 1.1
        if bar["width"] > 4 and bar["height"] > 4:
            has(colors_around(w, bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2, 1), colors[f"PE {node.pe}"][1])
    # A bar is picked by a click in it, far from where its node "is".
    bar = of[run.nodes[1]]
    click_picks(w, bar["x"] + bar["width"] * 0.9, bar["y"] + bar["height"] / 2, 2)
    choose(w, "layout", "top-down")
    rows = places(w)
    lines = {}
    for row in rows:
        lines.setdefault(row["ring"], set()).add(row["y"])
    assert all(max(ys) - min(ys) < 0.05 for ys in lines.values())
    heights = [min(lines[ring]) for ring in sorted(lines)]
    assert all(b - a > 4 for a, b in zip(heights, heights[1:])), heights
    assert len([row for row in rows if 0 <= row["x"] <= 1102]) == len(run.nodes)


# ---- What the line below says ----

@test
def levels_are_condensed_when_there_is_no_room(w):
    run = w.sort
    open_view(w)
    w.run("weft.panels()[0].set('distance', '20')")
    w.wait("return weft.panels()[0].settings.distance === '20'")
    text = status(w)
    rows = places(w)
    rings = max(row["ring"] for row in rows) + 1
    levels = run.nodes[0].levels()
    assert rings < levels
    has(text, f"{levels} levels on {rings} rings (")
    equal(drawn(text), len(rows))
    shown = {row["level"] for row in rows}
    equal(len(shown), rings)
    hidden = sum(row["condensed"] for row in rows)
    has(text, f"{len(run.nodes) - len(rows) - hidden} folded")
    x, y = frame(w)["anchor"]
    outer = max(math.hypot(r["x"] - x, r["y"] - y) for r in rows if r["ring"] == rings - 1)
    assert outer / (rings - 1) >= 15, outer / (rings - 1)


@test
def what_is_below_a_pixel_is_counted(w):
    run = w.queens
    with Workbench(WEFT, [w.queens_path, "--set", "source=" + QUEENS], browser=w.browser) as v:
        open_view(v)
        text, rows, n = status(v), places(v), len(run.nodes)
        assert 1000 < len(rows) < n, len(rows)
        has(text, f"{n:,} nodes: {len(rows):,} drawn, {n - len(rows):,} below a pixel (shades)")
        equal(sum(row["condensed"] for row in rows), n - len(rows))
        has(text, f"{run.n_pes} PEs")
        # So are the migrations between nodes that are too small to see.
        open_view(v, edges="bundles", **{"edge-kind": "migration"})
        if run.migrations():
            assert re.search(rf"[0-9]+ of {len(run.migrations())} edges", status(v)), status(v)
        # Enlarged, what is in the picture is drawn to the last.
        open_view(v, zoom="60")
        assert "below a pixel" not in status(v), status(v)
        v.screenshot(os.path.join(SCREENSHOTS, "what_is_below_a_pixel_is_counted.png"))


# ---- Playing ----

def part_now(w):
    """How much of the run there is."""
    return w.run("return (weft.state.time ?? weft.state.span - 1) / (weft.state.span - 1)")


def play(w, direction="forwards"):
    """The button that plays in this direction, or pauses."""
    w.run("document.querySelectorAll('#transport .icon')[arguments[0]].click()", 3 if direction == "forwards" else 1)


def check_played(w):
    """As many nodes as there were by then."""
    # The end of the span is a tick after the last record.
    by_then = sum(n.time <= part_now(w) * (w.sort.span + 1) for n in w.sort.nodes)
    near(drawn(status(w)), by_then, 1)
    return by_then


@test
def the_run_is_played_forwards_and_backwards(w):
    open_view(w)
    w.run("window.drawn = []; weft.on('painted', (p) => { const l = p.scene.layers.find((l) => l.name === 'status');"
          " const m = l.marks.find((m) => m[0] === 'text')[5].match(/all ([0-9]+) nodes|nodes: ([0-9]+) drawn/);"
          " window.drawn.push(Number(m[1] || m[2])); })")
    play(w)
    w.wait("return window.drawn.length > 12 && weft.state.time > 0.12 * weft.state.span", what="it to play")
    # It plays on while one zooms.
    w.wheel(w.canvas(TREE), -20)
    now = part_now(w)
    w.wait(f"return weft.state.time > ({now} + 0.08) * weft.state.span", what="it to play on")
    play(w)
    time.sleep(0.1)
    stopped = part_now(w)
    grown = w.run("return window.drawn")
    assert len(set(grown)) > 5 and grown[0] < 15 and grown == sorted(grown), grown
    time.sleep(0.3)
    equal(part_now(w), stopped)
    w.run("weft.panels()[0].showAll()")
    many = check_played(w)
    assert 10 < many < len(w.sort.nodes)
    has(w.text(".subtitle"), ", at ")
    play(w, "backwards")
    w.wait(f"return weft.state.time < ({stopped} - 0.08) * weft.state.span", what="it to play backwards")
    play(w, "backwards")
    time.sleep(0.1)
    assert check_played(w) < many
    # To its end, by the slider; and without a moment it is the whole run, too.
    w.find("#transport input[type=range]").send_keys(Keys.END)
    equal(part_now(w), 1)
    has(status(w), f"all {len(w.sort.nodes)} nodes drawn")
    w.find("#transport .forget").click()
    w.wait("return weft.state.time === null")
    has(status(w), f"all {len(w.sort.nodes)} nodes drawn")
    assert ", at " not in w.text(".subtitle")


@test
def what_is_outside_the_window_is_grey(w):
    run = w.sort
    open_view(w, layout="icicle")
    rows, colors = places(w), legend(w)
    w.run("weft.setWindow(10000, 20000)")
    time.sleep(0.4)
    w.wait_frames()
    width, step = frame(w)["plot"][2], places(w)[1]["y"] - places(w)[0]["y"]
    inside = outside = 0
    for row in rows:
        node = run.nodes[row["record"] - 1]
        if abs(node.time - 10000) < 50 or abs(node.time - 20000) < 50 or width / len(run.nodes) < 3:
            continue
        there = colors_around(w, row["x"] + 2, row["y"] + step / 2, 0)
        color = colors[f"PE {node.pe}"][1]
        if 10000 < node.time < 20000:
            has(there, color)
            inside += 1
        else:
            assert color not in there, (node.record, there)
            outside += 1
    assert inside > 10 and outside > 50, (inside, outside)


# ---- Edges ----

def edge_marks(w):
    return w.run("return weft.panels()[0].picture.scene.layers.filter((l) => l.name === 'edges')"
                 ".flatMap((l) => l.marks).filter((m) => m[0] === 'line').length")


@test
def migrations_on_demand(w):
    run = w.sort
    open_view(w, zoom="1")
    equal(edge_marks(w), 0)
    assert "migration" not in legend(w)
    all_of_them = len(run.migrations())
    assert all_of_them > 50
    choose(w, "edges", "subtree")
    has(status(w), f"{all_of_them} of {all_of_them} edges")
    equal(edge_marks(w), all_of_them)
    color = legend(w)["migration"][1]
    assert "data dependence" not in legend(w)  # this trace knows of none
    # A straight line from a parent to a child: at its middle its colour, mixed with what is below.
    choose(w, "edge-kind", "dependence")
    equal(edge_marks(w), 0)
    choose(w, "edge-kind", "migration")
    equal(edge_marks(w), all_of_them)
    choose(w, "edges", "bundles")
    has(status(w), f"{all_of_them} of {all_of_them} edges")
    # Of one node that is marked: in from its parent, and out to its children.
    choose(w, "edges", "node")
    node = max(run.nodes, key=lambda n: sum(c.pe != n.pe for c in n.children) + bool(n.parent and n.parent.pe != n.pe))
    w.run("weft.panels()[0].set('node', arguments[0])", f"record:{node.record}")
    some = sum(c.pe != node.pe for c in node.children) + bool(node.parent and node.parent.pe != node.pe)
    assert some >= 3, some
    has(status(w), f"{some} of {some} edges")
    equal(edge_marks(w), some)
    # Within its subtree.
    w.run("weft.panels()[0].set('edges', 'subtree')")
    n = len(run.migrations(node))
    has(status(w), f"{n} of {n} edges")
    # And seen: pixels between red and what is below appear.
    w.run("weft.panels()[0].set('node', '')")
    w.wait_frames()
    with_edges = w.pixels(TREE)
    w.run("weft.panels()[0].set('edges', 'none')")
    w.wait_frames()
    without = w.pixels(TREE)
    red = [int(color[i:i + 2], 16) for i in (1, 3, 5)]

    def reddish(seen):
        return sum(n for c, n in seen.items() if sum(abs(int(c[1 + 2 * i:3 + 2 * i], 16) - red[i]) for i in range(3)) < 70)
    assert reddish(with_edges) > reddish(without) + 100, (reddish(with_edges), reddish(without))


@test
def data_dependences_on_demand(w):
    # On one PE: each goal that was suspended was woken by the reduction that bound its variable.
    path = os.path.join(FOLDER, "buffer.weft")
    program = os.path.join(SOURCE, "examples", "fghc", "buffer.fghc")
    told = subprocess.run([WEFT, "fghc", program, "go(20,3,S)", "-o", path], check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    n = int(re.search(r"([0-9]+) suspensions", told)[1])
    assert n > 5, told
    with Workbench(WEFT, [path, "--source-root", SOURCE], browser=w.browser) as v:
        open_view(v)
        equal(edge_marks(v), 0)
        choose(v, "edges", "subtree")
        has(status(v), f"{n} of {n} edges")
        equal(edge_marks(v), n)
        has(legend(v), "data dependence")
        choose(v, "edge-kind", "migration")
        equal(edge_marks(v), 0)
        choose(v, "edge-kind", "dependence")
        # From the middle of an edge: what it is, and beneath it the node where it ends.
        line, end = v.run("""
          const marks = weft.panels()[0].picture.scene.layers.find((l) => l.name === 'edges').marks;
          const line = marks.find((m) => m[0] === 'line')[1], n = line.length;
          return [line.slice(n - 8, n - 6), line.slice(n - 2)];""")
        v.hover(TREE, *line)
        v.wait("return document.getElementById('tooltip').textContent.includes('procedure: ')")
        equal(v.texts("#tooltip div")[0], "data dependence")
        facts = tooltip(v, *end)
        has(facts, "suspended at")
        has(facts, "woken by")
        has({"produce", "consume"}, facts["woken by"].split(" ")[0])
        # Of the node alone, once it is picked; two at most start or end there.
        v.click(TREE, *end)
        v.wait("return weft.panels()[0].settings.node")
        choose(v, "edges", "node")
        assert 1 <= edge_marks(v) <= 2, edge_marks(v)
        equal(v.complaints(), [])
        v.screenshot(os.path.join(SCREENSHOTS, "data_dependences_on_demand.png"))


@test
def an_edge_is_told_with_the_node(w):
    node = w.sort.migrations()[0]
    open_view(w, edges="subtree", zoom="9")
    rows = places(w)
    seen = {row["record"] for row in rows}
    plot = w.plot(TREE)

    def inside(row):
        return plot["x"] + 20 < row["x"] < plot["x"] + plot["width"] - 20 and plot["y"] + 20 < row["y"] < plot["y"] + plot["height"] - 60
    node = next(n for n in w.sort.migrations() if n.record in seen and n.parent.record in seen
                and inside(place_of(rows, n)) and inside(place_of(rows, n.parent)))
    a, b = place_of(rows, node), place_of(rows, node.parent)
    # A curve beside the straight line from the parent to the child, at seven tenths of it.
    beside = 2 * 0.7 * 0.3 * 0.18
    w.hover(TREE, a["x"] * 0.7 + b["x"] * 0.3 + beside * (a["y"] - b["y"]),
            a["y"] * 0.7 + b["y"] * 0.3 - beside * (a["x"] - b["x"]))
    w.wait("return document.getElementById('tooltip').textContent.includes('record: ')")
    lines = w.texts("#tooltip div")
    equal(lines[0], "migration")
    has(lines, f"record: {node.record}")


# ---- Keeping, other numbers, other traces ----

@test
def the_address_keeps_the_picture(w):
    open_view(w)
    choose(w, "color", "procedure")
    choose(w, "layout", "top-down")
    at = place_of(places(w), w.sort.nodes[4])
    click_picks(w, at["x"], at["y"], 5)
    w.wheel(w.canvas(TREE), -120)
    w.wait("return weft.panels()[0].settings.zoom")
    w.wait("return decodeURIComponent(location.hash).includes('\"zoom\"')", what="the address to settle")
    before, line = settings(w), status(w)
    w.browser.refresh()
    w.wait_frames()
    equal(settings(w), before)
    equal(status(w), line)
    w.wait("return weft.state.picked?.name === 'qsort'")


@test
def numbers_behind_the_tree(w):
    run = w.sort
    open_view(w)
    w.press("t")
    w.wait("return document.querySelector('.table-host tbody tr')")
    equal(w.run("return document.querySelectorAll('.table-host tbody tr').length"), len(run.nodes))
    open_view(w, "tree-pes")
    marks = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[0] === 'text').map((m) => m[5])")
    for pe in range(run.n_pes):
        came = sum(n.pe == pe for n in run.migrations())
        left = sum(n.parent.pe == pe for n in run.migrations())
        line = next(m for m in marks if m.startswith(f"{run.on_pe(pe)} reductions") and f"{came} in, {left} out" in m)
        has(line, "busy ")
    open_view(w, "tree-parallelism")
    texts = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[0] === 'text').map((m) => m[5])")
    assert any(t.startswith("PEs running: parallelism used, up to 4") for t in texts), texts


@test
def calls_of_a_nested_trace(w):
    path = traces.write(FOLDER, "nested.paje", traces.NESTED)
    with Workbench(WEFT, [path], browser=w.browser) as v:
        open_view(v)
        # The root, a node for each row, and 7 calls: five levels.
        has(status(v), "all 10 nodes drawn · 5 levels")
        rows = {(row["procedure"], row["time_ns"]): row for row in places(v)}
        equal({name: row["level"] for (name, _), row in rows.items()},
              {"all": 0, "alpha": 1, "beta": 1, "main": 2, "serve": 2, "load": 3, "solve": 3, "reply": 3, "step": 4})
        reply = rows["reply", 6500000000]
        facts = tooltip(v, reply["x"], reply["y"])
        equal((facts["name"], facts["thread"], facts["time"]), ("reply", "beta", "6.50 s"))
        has(facts["parent"], "serve")
        v.click(TREE, reply["x"], reply["y"])
        v.wait("return weft.state.picked?.name === 'reply'")
        v.wait("return document.querySelector('#drawer h3')?.textContent.includes('reply')")
        equal((details(v)["begins"], details(v)["lasts"]), ("6.5 s", "1.00 s"))
        v.wait_frames()
        assert colors_around(v, reply["x"], reply["y"], 9).get(ACCENT, 0) > 20
        step = rows["step", 7000000000]
        v.double_click(TREE, rows["solve", 4000000000]["x"], rows["solve", 4000000000]["y"])
        v.wait("return weft.panels()[0].settings.root")
        has(status(v), "all 3 nodes drawn · subtree of 2 levels")
        equal({row["procedure"] for row in places(v)}, {"solve", "step"})
        assert place_of(places(v), type("", (), {"record": step["record"]}))["level"] == 1
        v.screenshot(os.path.join(SCREENSHOTS, "calls_of_a_nested_trace.png"))
        equal(v.complaints(), [])
    # States that do not nest are no tree: the catalogue says what it takes.
    flat = traces.write(FOLDER, "flat.paje", traces.ONE_EVENT)
    with Workbench(WEFT, [flat], browser=w.browser) as v:
        v.wait("return weft.state.facts && document.querySelector('[data-view=reduction-tree]')")
        equal(v.find(f"[data-view={TREE}]").get_attribute("aria-disabled"), "true")
        has(v.find(f"[data-view={TREE}]").text, "states of threads")


@test
def hatches_tell_pes_apart_in_black_and_white(w):
    run = w.sort
    layout = {"weft_layout": 1, "main": {"type": "tab-area", "currentIndex": 0, "panels": [
        {"view": TREE, "settings": {"zoom": "5"}, "mode": "picture"}]}}
    w.open("#" + urllib.parse.quote(json.dumps({"trace": 0, "theme": "mono", "layout": layout})))
    w.wait_frames()
    looks = w.run("return [...document.querySelectorAll('.legend .swatch')].map((s) => { const c = getComputedStyle(s);"
                  " return c.backgroundColor + c.backgroundImage; })")
    equal(len(set(looks)), run.n_pes)
    rows, seen = places(w), 0
    shown = {row["record"]: row for row in rows}
    plot = w.plot(TREE)
    for node in run.nodes:
        corners = [node] + node.children
        hatched = legend(w)[f"PE {node.pe}"][2]
        if not hatched or len(corners) < 4 or not all(c.record in shown for c in corners):
            continue
        # The middle of the parent and two neighbouring children: within the family.
        a, b, c = (shown[n.record] for n in corners[:3])
        x, y = (a["x"] + b["x"] + c["x"]) / 3, (a["y"] + b["y"] + c["y"]) / 3
        area = abs((b["x"] - a["x"]) * (c["y"] - a["y"]) - (c["x"] - a["x"]) * (b["y"] - a["y"])) / 2
        if area > 900 and plot["x"] + 8 < x < plot["x"] + plot["width"] - 8 and plot["y"] + 8 < y < frame(w)["plot"][3] - 8:
            assert len(colors_around(w, x, y, 4)) > 1, node.record
            seen += 1
    assert seen >= 2, seen


def sort_on_one_pe(run):
    """The same goals at the same times, all of them on PE 0."""
    lines = ["1"]
    for node in run.nodes:
        parent = run.nodes.index(node.parent) + 1 if node.parent else 0
        lines.append(f"{node.time + 166}\t{node.clause}\t0\t{node.record}\t0\t{parent}")
    return traces.write(FOLDER, "sort1.vista", "\n".join(lines) + "\n")


@test
def one_pe_beside_four(w):
    run = w.sort
    equal(w.find("[data-view=tree-compare]").get_attribute("aria-disabled"), "true")
    view = "tree-compare"
    paths = [sort_on_one_pe(run), SORT + ".vista"]
    with Workbench(WEFT, [*paths, "--set", f"source={SORT}.fghc"], browser=w.browser) as v:
        v.wait("return document.querySelector('dialog.traces')")
        open_view(v, view)
        equal(v.find("[data-view=tree-compare]").get_attribute("aria-disabled"), "false")
        equal(v.texts(".panel [data-parameter=with] option"), ["sort1.vista", "quick_sort.vista"])
        n, elsewhere = len(run.nodes), sum(node.pe != 0 for node in run.nodes)
        has(status(v), f"{n} of {n} nodes are in both runs (the second has {n}) · {elsewhere} on another PE")
        titles = layer_texts(v, "title")
        has(titles, "First run, 1 PE, 55.6 ms")
        assert any(t.startswith("Second run, 4 PEs, 55.6 ms: order") for t in titles), titles
        half, height = frame(v)["again"][0], frame(v)["plot"][3]

        def halves():
            v.wait_frames()
            colors = [legend(v)[f"PE {pe}"][1] for pe in range(4)]
            left, right = (colors_around(v, x, 16 + height / 2, int(min(half, height) / 2) - 2)
                           for x in (8 + half / 2, 8 + half * 1.5))
            return [left.get(c, 0) for c in colors], [right.get(c, 0) for c in colors]

        # The order is that of the first: no colour says that anything differs.
        left, right = halves()
        assert left[0] > 300 and not any(left[1:]) and not any(right), (left, right)
        choose(v, "difference", "pe")
        left, right = halves()
        assert left[0] > 300 and not any(left[1:]), left
        assert not right[0] and all(count > 50 for count in right[1:]), right
        choose(v, "difference", "none")
        assert all(count > 50 for count in halves()[1]), halves()
        # Zoomed in the second, the same happens in the first.
        leaf = max((n for n in run.nodes if not n.children), key=lambda n: n.level)

        def dots():
            v.wait_frames()
            return v.run("""
              return weft.panels()[0].picture.scene.layers.filter((l) => l.name === 'nodes').map((l) => {
                const m = l.marks.find((m) => m[m.length - 1].id === arguments[0]);
                return m && (m[0] === 'glyph' ? [m[2], m[3]] : [m[1] + m[3] / 2, m[2] + m[4] / 2]); });""",
                         str(leaf.record - 1))
        first, second = dots()
        near(second[0] - first[0], half, 0.1)
        v.hover(view, *second)
        v.wait("return document.getElementById('tooltip').textContent.includes('second run')")
        lines = v.texts("#tooltip div")
        has(lines, f"PE 0, {leaf.record}")
        has(lines[-1], f"second run: PE {leaf.pe} at ")
        box = v.run("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", v.canvas(view))
        for _ in range(3):
            v.wheel(v.canvas(view), -120, x=second[0] / box[0] - 0.5, y=second[1] / box[1] - 0.5)
        v.wait("return Number(weft.panels()[0].settings.zoom) > 2.4")
        px, py = v.run("const p = weft.panels()[0].picture.pointer; return [p.x, p.y]")
        factor = float(settings(v)["zoom"])
        now = dots()
        near(now[1][0], px + (second[0] - px) * factor, 1.5)
        near(now[1][1], py + (second[1] - py) * factor, 1.5)
        near(now[1][0] - now[0][0], half, 0.1)
        v.screenshot(os.path.join(SCREENSHOTS, "one_pe_beside_four.png"))
        # The other way round.
        choose(v, "with", "0")
        v.find("#trace").click()
        v.find("dialog.traces input").send_keys("quick", Keys.ENTER)
        v.wait("return weft.state.facts?.name === 'quick_sort.vista'")
        v.wait("return weft.panels()[0].picture.scene?.layers.some((l) => l.marks.some((m) => m[5] === 'First run, 4 PEs, 55.6 ms'))")
        has(status(v), f"{elsewhere} on another PE")
        equal(v.complaints(), [])


@test
def the_dark_theme_and_a_small_panel(w):
    open_view(w)
    w.find("#theme").click()
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.endsWith('Dark')).click()")
    time.sleep(0.1)
    w.wait_frames()
    background = max(w.pixels(TREE).items(), key=lambda p: p[1])[0]
    assert int(background[1:3], 16) < 0x50, background
    for pe in range(w.sort.n_pes):
        assert w.pixels(TREE).get(legend(w)[f"PE {pe}"][1], 0) > 50
    w.screenshot(os.path.join(SCREENSHOTS, "the_dark_theme_and_a_small_panel.png"))
    # Beside two others, the line below is not wider than the picture.
    open_beside(w, TREE, "tree-levels", "tree-pes")
    w.wait_frames()
    wide = w.run("const c = document.createElement('canvas').getContext('2d'); c.font = \"11px 'Weft Sans'\";"
                 "return Math.max(...arguments[0].map((line) => c.measureText(line).width))", layer_texts(w, "status"))
    assert wide < w.plot(TREE)["width"] + 8, (wide, w.plot(TREE))
    has(status(w), "29 levels")


def make_queens():
    """A run of the machine's own: its PEs and times differ from run to run, its tree does not."""
    path = os.path.join(FOLDER, "queens.vista")
    subprocess.run([WEFT, "fghc", QUEENS, "go(6,C)", "--pes", "4", "-o", path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def main():
    os.makedirs(SCREENSHOTS, exist_ok=True)
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
            keep_screenshot(w, SCREENSHOTS, one.__name__, STARTED)

    failed = run_tests(TESTS, sys.argv[1:], run)
    w.close()
    browser.quit()
    shutil.rmtree(FOLDER, ignore_errors=True)
    return 1 if failed else 0


sys.exit(main())
