# SPDX-License-Identifier: Apache-2.0
"""What every file of browser tests stands on: whether there is a browser, the binary (WEFT) and the
folders (BUILD, SOURCE, SCREENSHOTS) from the environment, a folder and a cache of its own that go
when it ends, and the list of its tests.  To be imported before `workbench`."""
import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
import time


def skip(why):
    print("1..0 # SKIP " + why)
    sys.exit(0)


if not importlib.util.find_spec("selenium"):
    skip("python3-selenium is not installed")
if not shutil.which("chromium") or not shutil.which("chromedriver"):
    skip("chromium or chromium-driver is not installed")

WEFT = os.environ["WEFT"]
SOURCE = os.environ.get("SOURCE", os.getcwd())
BUILD = os.environ.get("BUILD", ".")
SCREENSHOTS = os.environ.get("SCREENSHOTS", os.path.join(BUILD, "screenshots"))
STARTED = time.time()
SIZE = (1280, 800)

FOLDER = tempfile.mkdtemp(prefix="weft-browser-")
atexit.register(shutil.rmtree, FOLDER, True)
os.environ["WEFT_CACHE"] = os.path.join(FOLDER, "cache")
os.makedirs(SCREENSHOTS, exist_ok=True)

TESTS = []


def test(run):
    TESTS.append(run)
    return run


def keep_screenshot(w, one):
    """Of the test ONE, unless it has taken one itself."""
    path = os.path.join(SCREENSHOTS, one.__name__ + ".png")
    if not os.path.exists(path) or os.path.getmtime(path) < STARTED:
        w.screenshot(path)
