#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Displays of a person's own in the page: the catalogue, moments, pointer, keys, and what a display
that fails leaves.  TAP on standard output; a screenshot of each test is kept in SCREENSHOTS.  WEFT,
BUILD and SOURCE name the binary and the folders, DISPLAYS and FAULTY the compiled displays."""
import os
import subprocess
import sys

from checks import equal, has, run_tests
from setting import FOLDER, SIZE, SOURCE, TESTS, WEFT, keep_screenshot, test
from workbench import Workbench, start_browser

DISPLAYS, FAULTY = os.environ["DISPLAYS"], os.environ["FAULTY"]
SAMPLES = ["sorting", "transposition", "matrix", "graph", "operations"]
subprocess.run([sys.executable, os.path.join(SOURCE, "examples/displays/generate.py"), FOLDER], check=True)


def opened(browser, name, *more):
    arguments = [os.path.join(FOLDER, name + ".trf")]
    for display in [os.path.join(DISPLAYS, name + ".so"), *more]:
        view = os.path.splitext(os.path.basename(display))[0]
        arguments += ["--display", display, "--panel", view]
    return Workbench(WEFT, arguments, browser=browser, size=SIZE)


def subtitle(w, view):
    w.wait_frames()
    return w.run("return weft.panels().find((p) => p.view.name === arguments[0]).picture.scene.frame.subtitle", view)


def setting(w, view, name):
    return w.run("return weft.panels().find((p) => p.view.name === arguments[0]).settings[arguments[1]]", view, name)


@test
def all_five_draw_and_follow_the_moment(browser):
    for name in SAMPLES:
        with opened(browser, name) as w:
            w.wait_frames()
            whole = subtitle(w, name)
            w.run("weft.setTime(weft.state.span / 4)")
            quarter = subtitle(w, name)
            assert quarter != whole, (name, whole)
            w.run("weft.setTime(weft.state.span)")
            equal(subtitle(w, name).split(",")[0], whole.split(",")[0])
            w.screenshot(os.path.join(os.environ.get("SCREENSHOTS", FOLDER), f"display_{name}.png"))


@test
def a_key_changes_a_setting(browser):
    with opened(browser, "operations") as w:
        has(subtitle(w, "operations"), "kind 0: 202500 in all")
        w.press("1")
        has(subtitle(w, "operations"), "kind 1: 4050 in all")
        equal(setting(w, "operations", "kind"), "1")
        for _ in range(9):
            w.press("1")
        w.wait_frames()
        equal(setting(w, "operations", "kind"), "7")  # the last one
        w.press("2")
        w.wait_frames()
        equal(setting(w, "operations", "kind"), "6")
        w.press("?")
        has(w.text("dialog.sheet"), "Operations: show the next kind of operations")


@test
def a_click_on_a_mark_changes_a_setting_or_lists(browser):
    with opened(browser, "graph") as w:
        w.wait_frames()
        at = w.mark("graph", "vertex 0:")
        w.click("graph", at["x"], at["y"])
        w.wait("return weft.panels().find((p) => p.view.name === 'graph').settings.colors === 'processor'")
    with opened(browser, "sorting") as w:
        w.wait_frames()
        at = w.mark("sorting", "item 47, place 5 of processor 7")
        w.click("sorting", at["x"], at["y"])
        w.wait("return /processor number 7/.test(document.body.innerText)")


@test
def one_that_fails_leaves_the_others(browser):
    with opened(browser, "sorting", FAULTY) as w:
        w.wait_frames()
        panel = "weft.panels().find((p) => p.view.name === 'faulty')"
        w.run(panel + ".set('how', 'crash')")
        w.wait(f"return /ended by signal 11/.test({panel}.picture.failed)")
        w.run(panel + ".set('how', 'well')")
        w.wait(f"return !{panel}.picture.failed")
        w.run("weft.setTime(weft.state.span / 3)")
        has(subtitle(w, "sorting"), "items on")


def main():
    browser = start_browser(SIZE)

    class Shot:
        screenshot = staticmethod(browser.save_screenshot)

    def run(one):
        one(browser)
        keep_screenshot(Shot, one)

    failed = run_tests(TESTS, sys.argv[1:], run)
    browser.quit()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
