# SPDX-License-Identifier: Apache-2.0
"""What the tests share that open workbenches of their own: folders of traces, marks in them, and how
a file of such tests is run."""
import os
import sys

import traces
from checks import run_tests
from setting import FOLDER, TESTS, keep_screenshot
from workbench import start_browser
from selenium.webdriver.common.keys import Keys

os.makedirs(os.path.join(FOLDER, "runs"))


def folder_of(name, *traces_in_it):
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder)
    for one in traces_in_it:
        traces.write(folder, one, traces.SMALL)
    return folder


def marks_of(path):
    try:
        with open(path + ".marks", encoding="utf-8") as file:
            return [line.rstrip("\n").split("\t")[2] for line in file]
    except FileNotFoundError:
        return []


def add_mark(w, note):
    w.run("document.activeElement.blur()")
    w.press("m")
    w.wait("return document.querySelector('dialog.ask')")
    w.press(note, Keys.ENTER)
    w.wait("return !document.querySelector('dialog.ask')")


def open_trace(w, name):
    w.wait("return document.querySelector('dialog.traces')")
    w.press(name, Keys.ENTER)
    w.wait(f"return weft.state.facts?.name === '{name}'")
    w.wait_frames()


def main():
    """Run the tests of the program in one browser; its status."""
    browser = start_browser((1280, 720))

    class Shot:
        screenshot = staticmethod(browser.save_screenshot)

    def run(one):
        try:
            one(browser)
        finally:
            for handle in browser.window_handles[1:]:
                browser.switch_to.window(handle)
                browser.close()
            browser.switch_to.window(browser.window_handles[0])
            keep_screenshot(Shot, one)

    failed = run_tests(TESTS, sys.argv[1:], run)
    browser.quit()
    return 1 if failed else 0
