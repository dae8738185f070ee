# SPDX-License-Identifier: Apache-2.0
"""What the browser tests say of things, and how a file of them is run."""
import os
import time
import traceback


def near(a, b, by):
    assert abs(a - b) <= by, f"{a} is not within {by} of {b}"


def equal(a, b):
    assert a == b, f"{a!r} is not {b!r}"


def has(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def until(condition, seconds=60):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "waited in vain"
        time.sleep(0.05)


def run_tests(tests, wanted, run):
    """TAP of the tests (those wanted, or all): run(test) is one of them.  How many failed."""
    chosen = [test for test in tests if not wanted or test.__name__ in wanted]
    print(f"1..{len(chosen)}", flush=True)
    failed = 0
    for number, test in enumerate(chosen, 1):
        name = test.__name__.replace("_", " ")
        try:
            run(test)
            print(f"ok {number} - {name}", flush=True)
        except Exception:  # noqa: BLE001  whatever it is, the next tests must run
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            lines = [line for line in traceback.format_exc().splitlines() if line[:1] != "#"]
            for line in lines[-12:]:  # without the browser's own stack
                print("# " + line[:400], flush=True)
    return failed


def keep_screenshot(w, folder, name, since):
    """Unless the test has taken one itself."""
    path = os.path.join(folder, name + ".png")
    if not os.path.exists(path) or os.path.getmtime(path) < since:
        w.screenshot(path)
