# SPDX-License-Identifier: Apache-2.0
"""What the tests of the workbench with the small trace share: the trace, what the page shows of it, and
how a file of them is run."""
import glob
import json
import os
import shutil
import sys
import tempfile

import traces
from checks import equal, run_tests
from setting import FOLDER, SIZE, TESTS, WEFT, keep_screenshot
from workbench import Workbench, start_browser

SECOND = 1_000_000_000  # ticks: Paje starts at 1 ns
RUNNING = "#3f9f68"
SMALL = traces.write(FOLDER, "small.paje", traces.SMALL)
DOWNLOADS = tempfile.mkdtemp(prefix="weft-downloads-")


def settings(w, view="space-time"):
    return w.run("return weft.panels().find((p) => p.view.name === arguments[0]).settings", view)


def details(w):
    return dict(zip(w.texts("#drawer .facts th"), w.texts("#drawer .facts td")))


def wait_details(w, name):
    w.wait(f"return weft.state.picked?.name === {json.dumps(name)}", what=f"{name} picked")
    w.wait(f"return document.querySelector('#drawer h3')?.textContent.includes({json.dumps(name)})")


def visible_rows(w):
    return w.run("""
      const scene = weft.panels().find((p) => p.view.name === 'space-time').picture.scene, rows = [];
      for (const layer of scene.layers) for (const m of layer.marks) { const a = m[m.length - 1]; if (a.row) rows.push(a.title.replace(/ \\(.*/, '')); }
      return rows;""")


def table_rows(w, selector="#drawer"):
    return w.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((r) => [...r.children].map((c) => c.textContent))", selector)


# ---- What is there at first ----

def main():
    """Run the tests of the program, each in a page that has just been opened; its status."""
    browser = start_browser(SIZE, DOWNLOADS)
    w = Workbench(WEFT, [SMALL], browser=browser)

    def run(one):
        for left in glob.glob(os.path.join(DOWNLOADS, "*")):
            os.remove(left)
        try:
            w.open()
            w.wait_frames()
            w.complaints()
            one(w)
            wrong = [c for c in w.complaints() if "favicon" not in c and "status of 4" not in c
                     and "ERR_CONNECTION_REFUSED" not in c]
            equal(wrong, [])
        finally:
            keep_screenshot(w, one)

    failed = run_tests(TESTS, sys.argv[1:], run)
    w.close()
    browser.quit()
    shutil.rmtree(DOWNLOADS, ignore_errors=True)
    return 1 if failed else 0
