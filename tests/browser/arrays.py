#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench's views of arrays, as a person uses them, in a real browser.  TAP on standard
output; a screenshot of each test is kept in SCREENSHOTS.  WEFT, SIMULATE, BUILD and SOURCE name the
binary, the program that makes profiles, the build folder and the source folder.

The trace is the Gaussian elimination of a 10 x 10 array in 100 steps, 2 x 8 processors, cyclic in
both dimensions: processor 9 owns the ten elements with an odd row and column 1 or 9."""
import json
import os
import subprocess
import sys
import time
import urllib.parse

from checks import equal, has, run_tests, until
from setting import FOLDER, TESTS, WEFT, keep_screenshot, test
from workbench import Workbench, start_browser
from selenium.webdriver.common.by import By

SIMULATE = os.environ["SIMULATE"]
CYCLIC = "PROCESSORS P(2,8)\nDISTRIBUTE B(CYCLIC,CYCLIC) ONTO P\n"
BLOCK = "PROCESSORS P(2,8)\nDISTRIBUTE B(BLOCK,BLOCK) ONTO P\n"
PROCESSORS = 0xfffffd << 40


def open_views(w, *views, **settings):
    layout = {"weft_layout": 1, "main": {"type": "split-area", "orientation": "horizontal", "sizes": [1] * len(views), "children": [
        {"type": "tab-area", "currentIndex": 0, "panels": [{"view": name, "settings": settings if not i else {}, "mode": "picture"}]} for i, name in enumerate(views)]}}
    if len(views) == 1:
        layout["main"] = layout["main"]["children"][0]
    w.open("#" + urllib.parse.quote(json.dumps({"trace": 0, "theme": "light", "layout": layout})))
    w.wait_frames()


def rest(w):
    time.sleep(0.3)
    w.wait_frames()


def panel(view):
    return f"weft.panels().find((p) => p.view.name === '{view}')"


def boxes(w, view, layer):
    """The rectangles of a layer that have an id: [id, x, y, width, height], in the page's pixels."""
    return w.run(f"""const p = {panel(view)}.picture, b = p.canvas.getBoundingClientRect();
        return p.scene.layers.find((l) => l.name === '{layer}').marks.filter((m) => m[0] === 'rect' && m[m.length - 1].id)
          .map((m) => [m[m.length - 1].id, m[1] + b.left, m[2] + b.top, m[3], m[4]]);""")


def colour_at(w, view, x, y):
    """Of the canvas, at a point of the page."""
    return w.run(f"""const p = {panel(view)}.picture, b = p.canvas.getBoundingClientRect(), d = p.canvas.getContext('2d')
          .getImageData(Math.round((arguments[0] - b.left) * p.ratio), Math.round((arguments[1] - b.top) * p.ratio), 1, 1).data;
        return [d[0], d[1], d[2]];""", x, y)


def mouse(w, kind, x, y):
    w.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
        "type": kind, "x": x, "y": y, "button": "none" if kind == "mouseMoved" else "left", "clickCount": 0 if kind == "mouseMoved" else 1})


def point(w, box):
    mouse(w, "mouseMoved", box[1] + box[3] / 2, box[2] + box[4] / 2)


def click(w, box):
    point(w, box)
    for kind in ("mousePressed", "mouseReleased"):
        mouse(w, kind, box[1] + box[3] / 2, box[2] + box[4] / 2)


def framed(w, view, layer):
    """The ids of the rectangles whose edge has the accent's colour now."""
    w.wait(f"return !{panel(view)}.picture.painting")
    found = []
    for box in boxes(w, view, layer):
        red, _, blue = colour_at(w, view, box[1] + box[3] / 3, box[2])
        if blue > 200 and red < 90:
            found.append(int(box[0]) - PROCESSORS)
    return found


def subtitle(w, view):
    return w.run(f"return {panel(view)}.picture.scene.frame.subtitle")


@test
def it_opens_with_the_array_beside_its_processors(w):
    equal(w.run("return weft.panels().map((p) => p.view.name)"), ["array-grid", "processor-grid", "distribution-map"])
    equal(len(boxes(w, "array-grid", "elements")), 0)  # no processor is known
    has(w.run(f"return {panel('processor-grid')}.picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[0] === 'text').map((m) => m[5]).join(' ')"), "distribution")


@test
def a_distribution_that_is_chosen_is_taken_by_panels_that_have_none(w):
    path = os.path.join(FOLDER, "cyclic.hpf")
    with open(path, "w", encoding="ascii") as file:
        file.write(CYCLIC)
    w.run(f"{panel('array-grid')}.node.querySelector('[data-parameter=distribution] input[type=file]').hidden = false")
    w.browser.find_element(By.CSS_SELECTOR, "[data-parameter=distribution] input[type=file]").send_keys(path)
    until(lambda: w.run("return weft.panels().every((p) => (p.settings.distribution || '').includes('CYCLIC'))"))
    rest(w)
    equal(len(boxes(w, "processor-grid", "processors")), 16)
    equal(len(boxes(w, "distribution-map", "elements")), 100)
    # One that has chosen its own keeps it; the others go on following.
    w.run(f"{panel('processor-grid')}.set('distribution', arguments[0])", BLOCK)
    rest(w)
    w.run(f"{panel('array-grid')}.set('distribution', arguments[0])", CYCLIC + "\n")
    rest(w)
    has(subtitle(w, "processor-grid"), "BLOCK")
    has(subtitle(w, "distribution-map"), "CYCLIC")


@test
def a_processor_lights_its_elements_and_an_element_its_processor(w):
    open_views(w, "array-and-processors", distribution=CYCLIC)
    view = "array-and-processors"
    elements, processors = boxes(w, view, "elements"), boxes(w, view, "processors")
    equal([len(elements), len(processors)], [100, 16])
    equal(framed(w, view, "elements"), [])
    point(w, processors[9])
    until(lambda: len(framed(w, view, "elements")) == 10)
    equal(framed(w, view, "elements"), [9] * 10)
    point(w, elements[10 * 3 + 5])  # row 3, column 5: processor 13
    until(lambda: framed(w, view, "processors") == [13])
    equal(framed(w, view, "elements"), [13] * 5)
    has(w.text("#tooltip"), "B[3][5]")
    has(w.text("#tooltip"), "processor 13 (1,5)")


@test
def a_click_keeps_it_lit_in_all_panels(w):
    open_views(w, "array-grid", "processor-grid", distribution=CYCLIC)
    click(w, boxes(w, "processor-grid", "processors")[9])
    until(lambda: w.run("return weft.panels().every((p) => p.settings.lit === 't16777213:9')"))
    rest(w)
    mouse(w, "mouseMoved", 3, 3)
    equal(framed(w, "array-grid", "elements"), [9] * 10)
    click(w, boxes(w, "array-grid", "elements")[10 * 1 + 1])
    until(lambda: w.run("return weft.panels().every((p) => !p.settings.lit)"))
    rest(w)
    mouse(w, "mouseMoved", 3, 3)
    equal(framed(w, "array-grid", "elements"), [])
    equal(w.run("return weft.state.picked"), None)


@test
def stepping_goes_through_the_steps_in_both_directions(w):
    open_views(w, "array-grid", "processor-grid", distribution=CYCLIC)
    has(subtitle(w, "array-grid"), "up to step 99 ")
    buttons = {title: w.browser.find_element(By.CSS_SELECTOR, f"#transport button[title^='{title}']") for title in ("Step back", "Step (", "To the start")}
    for n in range(3):
        buttons["Step back"].click()
        rest(w)
        for view in ("array-grid", "processor-grid"):
            has(subtitle(w, view), f"up to step {98 - n} ")
    buttons["To the start"].click()
    rest(w)
    for n in range(3):
        has(subtitle(w, "array-grid"), f"up to step {n} ")
        buttons["Step ("].click()
        rest(w)
    has(subtitle(w, "processor-grid"), "up to step 3 ")


@test
def playing_shows_steps_one_after_the_other(w):
    open_views(w, "array-grid", distribution=CYCLIC)
    w.run("weft.setTime(0)")
    rest(w)
    frames = w.run("return weft.panels()[0].picture.frames")
    w.press(" ")
    until(lambda: w.run("return weft.panels()[0].picture.frames") > frames + 5)
    w.press(" ")
    rest(w)
    step = int(subtitle(w, "array-grid").split("up to step ")[1].split()[0])
    assert 0 < step < 99, step


@test
def the_wheel_enlarges_elements(w):
    open_views(w, "array-grid", distribution=CYCLIC)
    before = boxes(w, "array-grid", "elements")[0]
    w.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": before[1] + 1, "y": before[2] + 1, "deltaX": 0, "deltaY": -240})
    rest(w)
    after = boxes(w, "array-grid", "elements")[0]
    assert after[3] > before[3] * 1.3, (before, after)
    assert abs(after[1] - before[1]) < 4, (before, after)


def main():
    path = os.path.join(FOLDER, "gauss.weft")
    subprocess.run([SIMULATE, "gauss", "10", "0", path], check=True, stdout=subprocess.DEVNULL)
    browser = start_browser((1280, 800))
    w = Workbench(WEFT, [path], browser=browser)

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
