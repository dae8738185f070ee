#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench's task DAGs, as a person uses them, in a real browser.  TAP on standard output; a
screenshot of each test is kept in SCREENSHOTS.  WEFT, SIMULATE, BUILD and SOURCE name the binary,
the program that makes DAGs, the build folder and the source folder.

The trace is fib(6) on three workers; what is expected follows from its structure: a task of fib(n)
holds a section and its end; the section two creates, their tasks fib(n - 1) and fib(n - 2), and
the wait."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse

from checks import equal, has, near, run_tests, until
from setting import FOLDER, SIZE, TESTS, WEFT, keep_screenshot, test
from workbench import Workbench, start_browser
from selenium.webdriver.common.keys import Keys

SIMULATE = os.environ["SIMULATE"]
DAG_TRACK = 0xfffffe << 40


def open_views(w, *views, **settings):
    layout = {"weft_layout": 1, "main": {"type": "split-area", "orientation": "horizontal", "sizes": [1] * len(views), "children": [
        {"type": "tab-area", "currentIndex": 0, "panels": [{"view": name, "settings": settings if not i else {}, "mode": "picture"}]} for i, name in enumerate(views)]}}
    if len(views) == 1:
        layout["main"] = layout["main"]["children"][0]
    w.open("#" + urllib.parse.quote(json.dumps({"trace": 0, "theme": "light", "layout": layout})))
    w.wait_frames()


def settings(w, panel=0):
    return w.run("return weft.panels()[arguments[0]].settings", panel)


def marks(w, panel=0):
    """By id: the box of the last mark that has it, in the page's pixels."""
    return w.run("""const p = weft.panels()[arguments[0]].picture, out = {}, b = p.canvas.getBoundingClientRect();
        for (const layer of p.scene.layers) for (const m of layer.marks) {
          const id = m[m.length - 1].id;
          if (!id) continue;
          if (m[0] === 'rect') out[id] = [m[1], m[2], m[3], m[4]];
          if (m[0] === 'glyph') out[id] = [m[2] - m[4] / 2, m[3] - m[4] / 2, m[4], m[4]];
          if (m[0] === 'polygon') {
            const x = m[1].filter((_, i) => i % 2 === 0), y = m[1].filter((_, i) => i % 2);
            out[id] = [Math.min(...x), Math.min(...y), Math.max(...x) - Math.min(...x), Math.max(...y) - Math.min(...y)];
          }
        }
        for (const id in out) { out[id][0] += b.left; out[id][1] += b.top; }
        return out;""", panel)


def drawn(w, panel=0):
    return len(marks(w, panel))


def on_edge(box):
    """A point of an open box where nothing is inside: its upper left corner."""
    return box[0] + min(8, box[2] / 4), box[1] + min(8, box[3] / 4)


def point(w, x, y, clicks=1):
    for kind, count in (("mouseMoved", 0), *[(k, c) for c in range(1, clicks + 1) for k in ("mousePressed", "mouseReleased")]):
        w.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left", "clickCount": count})


def wheel(w, x, y, dy):
    w.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": dy})


def rest(w):
    """Until the frame has come and nothing moves."""
    time.sleep(0.3)
    w.wait("return weft.panels().every((p) => !p.picture.morph)")
    w.wait_frames()


def node_field(w):
    """The text in the control "node" of the first panel."""
    return w.run("return weft.panels()[0].node.querySelector('[data-parameter=node]')?.value ?? ''")


# The section of the root is node 1; its children are 3, 4 (creates) and 5 (wait).
SECTION = str(DAG_TRACK | 1)


@test
def a_picked_node_fills_no_control_with_its_id(w):
    """The workers' timeline shows a node that is picked, by an id of 14 digits, which would be cut."""
    open_views(w, "dag-timeline")
    place = list(marks(w).values())[0]
    point(w, place[0] + place[2] / 2, place[1] + place[3] / 2)
    w.wait("return weft.state.picked")
    rest(w)
    text = node_field(w)
    assert not re.fullmatch(r"\d{10,}", text), text


@test
def a_double_click_closes_and_opens(w):
    open_views(w, "dag")
    before = drawn(w)
    assert before > 60, before
    point(w, *on_edge(marks(w)[SECTION]), clicks=2)
    rest(w)
    equal(settings(w)["closed"], "t16777214:1")
    assert "tags" not in settings(w), "a double click pins nothing"
    equal(drawn(w), 3)  # the root, the section, the end of the root
    x, y, width, height = marks(w)[SECTION]
    point(w, x + width / 2, y + height / 2, clicks=2)
    rest(w)
    equal(settings(w).get("closed"), None)
    equal(drawn(w), before)


@test
def a_click_picks_and_pins(w):
    open_views(w, "dag")
    point(w, *on_edge(marks(w)[SECTION]))
    until(lambda: settings(w).get("tags") == "t16777214:1")
    rest(w)
    has(w.text("#drawer"), "section 1")
    has(w.run("return weft.panels()[0].picture.scene.layers.find((l) => l.name === 'tags').marks.filter((m) => m[0] === 'text').map((m) => m[5]).join('|')"), "section 1")


@test
def keys_open_a_level_more_or_less(w):
    open_views(w, "dag", depth="2")
    w.run("weft.panels()[0].picture.canvas.focus()")
    equal(drawn(w), 8)  # the root, its section and end; two creates, their tasks and the wait
    w.press("}")
    rest(w)
    equal(settings(w)["depth"], "3")
    equal(drawn(w), 12)  # in each of the tasks a section and an end
    w.press("{")
    rest(w)
    equal(drawn(w), 8)


@test
def the_click_mode_swaps_them(w):
    open_views(w, "dag", click="open")
    point(w, *on_edge(marks(w)[SECTION]))
    until(lambda: settings(w).get("closed") == "t16777214:1")
    rest(w)
    equal(drawn(w), 3)


@test
def panels_share_what_is_open_until_detached(w):
    open_views(w, "dag", "dag-box")
    point(w, *on_edge(marks(w)[SECTION]), clicks=2)
    rest(w)
    equal(settings(w, 1)["closed"], "t16777214:1")
    equal(drawn(w, 1), 3)
    w.run("[...weft.panels()[1].node.querySelectorAll('button')].find((b) => b.textContent === 'Detach').click()")
    x, y, width, height = marks(w)[SECTION]
    point(w, x + width / 2, y + height / 2, clicks=2)
    rest(w)
    equal(settings(w, 1)["closed"], "t16777214:1")
    equal(settings(w).get("closed"), None)
    w.run("[...weft.panels()[1].node.querySelectorAll('button')].find((b) => b.textContent === 'Attach').click()")
    rest(w)
    equal(settings(w, 1).get("closed"), None)


@test
def opening_is_shown_in_between_and_turns_round(w):
    open_views(w, "dag")
    point(w, *on_edge(marks(w)[SECTION]), clicks=2)
    w.wait("return weft.panels()[0].picture.morph")
    equal(w.run("return weft.panels()[0].picture.morph.opening"), False)
    w.run("weft.panels()[0].act({ kind: 'toggle', parameter: 'closed', id: arguments[0] })", SECTION)
    equal(w.run("return weft.panels()[0].picture.morph?.opening"), True)
    rest(w)
    equal(settings(w).get("closed"), None)


# Where the section is drawn while it is opened or closed, from the top left corner: a part of its box.
def in_between(w, part):
    left, top, right, bottom = w.run(
        "const p = weft.panels()[0].picture, b = p.canvas.getBoundingClientRect(), box = p.morph.boxNow(performance.now());"
        "return box.map((each, i) => each + (i % 2 ? b.top : b.left))")
    return left + part * (right - left), top + part * (bottom - top)


@test
def a_click_in_the_middle_turns_it_round(w):
    """The page's clock stands still but where it is set, so nothing depends on how fast this runs."""
    open_views(w, "dag")
    before = drawn(w)
    point(w, *on_edge(marks(w)[SECTION]), clicks=2)
    rest(w)
    w.run("window.frozen = performance.now(); performance.now = () => window.frozen")
    x, y, width, height = marks(w)[SECTION]
    point(w, x + width / 2, y + height / 2, clicks=2)
    w.wait("return weft.panels()[0].picture.morph")
    morph = "const m = weft.panels()[0].picture.morph; "
    equal(w.run(morph + "return m.opening"), True)
    ratio = 0.25  # of 400 ms
    rate = 1 - (1 - ratio) ** 2
    w.run("window.frozen += 100")
    # Far from where it will stand when it is closed, and from all corners of where it is now.
    point(w, *in_between(w, 0.9), clicks=2)
    w.wait(morph + "return m && !m.opening")
    equal(settings(w)["closed"], "t16777214:1")
    ratio = 1 - rate ** 0.5
    near(w.run(morph + "return m.ratio(performance.now())"), ratio, 1e-9)
    w.run("window.frozen += 50")
    ratio += 50 / 400
    rate = (1 - ratio) ** 2
    # The frame of what is closed has come: what is clicked is drawn, but is not in it.
    w.wait("return !weft.panels()[0].picture.busy && !weft.panels()[0].picture.wanted")
    point(w, *in_between(w, 0.9), clicks=2)
    w.wait(morph + "return m && m.opening")
    equal(settings(w).get("closed"), None)
    near(w.run(morph + "return m.ratio(performance.now())"), 1 - (1 - rate) ** 0.5, 1e-9)
    w.run("window.frozen += 400")
    rest(w)
    w.run("delete performance.now")
    equal(drawn(w), before)


@test
def the_wheel_zooms_both_ways_or_one(w):
    open_views(w, "dag")
    for does, wide, tall in (("zoom", True, True), ("x", True, False), ("y", False, True)):
        w.run("weft.panels()[0].set('wheel', arguments[0]); weft.panels()[0].showAll()", does)
        rest(w)
        before = marks(w)[SECTION]
        wheel(w, before[0] + before[2] / 2, before[1] + before[3] / 2, -120)
        rest(w)
        now = w.run("return weft.panels()[0].picture.zoomNow()")
        first = w.run("return weft.panels()[0].picture.scene.frame.zoom")
        near(now["zoom"], first[0], 1e-9)
        near(now["tall"], first[1], 1e-9)
        after = w.run("const p = weft.panels()[0].picture; return [p.zoomNow().zoom, p.zoomNow().zoom * p.zoomNow().tall]")
        w.run("weft.panels()[0].showAll()")
        rest(w)
        fits = w.run("const p = weft.panels()[0].picture; return [p.zoomNow().zoom, p.zoomNow().zoom * p.zoomNow().tall]")
        equal([after[0] > fits[0] * 1.2, after[1] > fits[1] * 1.2], [wide, tall])


@test
def what_is_picked_is_picked_in_all_panels(w):
    open_views(w, "dag", "dag-timeline")
    leaf = next(id for id in marks(w, 1) if int(id) < DAG_TRACK)
    x, y, width, height = marks(w)[leaf]
    point(w, x + width / 2, y + height / 2)
    w.wait("return weft.state.picked?.id === '" + leaf + "'")
    has(w.text("#drawer"), "work")
    assert leaf in marks(w, 1)


@test
def searching_glides_to_the_node(w):
    open_views(w, "dag", zoom="4", tall="1", x="0.5", y="0")
    w.run("document.getElementById('query').value = 'wait'")
    field = w.find("#query")
    field.click()
    field.send_keys(Keys.ENTER)
    w.wait("return weft.state.picked")
    time.sleep(0.6)
    rest(w)
    x, y, width, height = w.run("return weft.panels()[0].picture.scene.frame.marked")
    plot = w.plot("dag")
    assert 0 <= x and x + width <= plot["width"] + plot["x"] and 0 <= y <= plot["y"] + plot["height"], (x, y, plot)


@test
def a_table_has_what_is_drawn(w):
    open_views(w, "dag")
    n = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[m.length - 1].id).length")
    w.run("weft.panels()[0].setMode('table')")
    w.wait("return document.querySelectorAll('.table-host tbody tr').length")
    rows = w.run("return document.querySelectorAll('.table-host tbody tr').length")
    near(rows, n, 0)


def main():
    path = os.path.join(FOLDER, "fib.weft")
    subprocess.run([SIMULATE, "fib", "6", "3", "0", path], check=True, stdout=subprocess.DEVNULL)
    os.makedirs(os.path.join(FOLDER, "src"))
    with open(os.path.join(FOLDER, "src", "program.c"), "w", encoding="ascii") as file:
        file.writelines(f"/* line {number} */\n" for number in range(1, 101))
    browser = start_browser(SIZE)
    w = Workbench(WEFT, [path, "--source-root", FOLDER], browser=browser)

    def run(one):
        try:
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


sys.exit(main())
