#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench, feature by feature, in a real browser: views, panels, addresses, commands, marks,
themes, exports, keys.  TAP on standard output; a screenshot of each test is kept in SCREENSHOTS.
WEFT and BUILD name the binary and the build folder.

What is expected follows from the traces in traces.py by reasoning."""
import json
import os
import sys
import time

import traces
from checks import equal, has, near, until
from setting import SCREENSHOTS, WEFT, test
from small import DOWNLOADS, RUNNING, SECOND, SMALL, main, settings, table_rows, wait_details
from workbench import Workbench
from selenium.webdriver.common.keys import Keys


@test
def catalogue_and_first_picture(w):
    equal(w.texts("#catalogue h2"), list(dict.fromkeys(w.texts("#catalogue h2"))))
    has(w.texts("#catalogue h2"), "Timeline")
    # No locks in this trace: behind "more", grey, with what it would need and how to record that.
    equal(w.texts("[data-view=lock-summary]"), [])
    w.find(".more-views").click()
    lock = w.find("[data-view=lock-summary]")
    equal(lock.get_attribute("aria-disabled"), "true")
    has(lock.text, "weft record")
    equal(w.find("[data-view=space-time]").get_attribute("aria-disabled"), "false")
    has(w.text("#facts"), "10 s")
    seen = w.pixels("space-time")
    # 13 of 30 thread seconds are running, in ParaGraph's green.
    assert seen.get(RUNNING, 0) > 5000, seen.get(RUNNING)
    has(w.text(".legend"), "running")
    has(w.text(".legend"), "43.3 %")  # 13 of 30


@test
def controls_come_from_the_table_of_views(w):
    names = w.run("return [...weft.panels()[0].tools.querySelectorAll('[data-parameter]')].map((n) => n.dataset.parameter)")
    for name in ("rows", "close", "color", "links", "events", "variables", "row_height"):
        has(names, name)
    w.run("const s = weft.panels()[0].tools.querySelector('[data-parameter=color]'); s.focus()")
    w.press("c")  # typed into the select: container
    w.wait("return weft.panels()[0].settings.color === 'container'")
    w.wait_frames()
    assert w.pixels("space-time").get(RUNNING, 0) == 0
    w.press("v")
    w.wait_frames()
    assert w.pixels("space-time").get(RUNNING, 0) > 5000
    w.find(".panel .more").click()  # what is seldom wanted is not shown at once
    box = w.find(".panel [data-parameter=variables]")
    box.click()
    w.wait("return weft.panels()[0].settings.variables === 'off'")
    w.find(".panel [data-parameter=variables]").click()
    w.wait("return weft.panels()[0].settings.variables === undefined")
    w.find(".panel .more").click()


# ---- Moving ----

@test
def panels_tab_split_maximise_and_close(w):
    w.find("[data-view=overview]").click()
    w.wait("return weft.panels().some((p) => p.view.name === 'overview' && p.isVisible)")
    w.wait_frames()
    w.find("[data-view=space-time]").click()
    w.wait("return weft.panels().find((p) => p.view.name === 'space-time').isVisible")
    count = w.run("return weft.panels().length")
    w.press(">")
    w.press("right")
    w.press(Keys.ENTER)
    w.wait(f"return weft.panels().length === {count + 1}")
    w.wait("const [a, b] = weft.panels().filter((p) => p.view.name === 'space-time').map((p) => p.node.getBoundingClientRect().left); return a !== b", what="two beside each other")
    w.wait_frames()
    w.run("weft.panels()[0].picture.canvas.focus()")
    w.press("x")
    w.wait("return document.body.classList.contains('maximised')")
    w.wait("return weft.panels().filter((p) => p.isVisible).length === 1")
    w.press("x")
    w.wait("return weft.panels().filter((p) => p.isVisible).length > 1")
    # Dragging a tab beside another panel docks it there.
    w.wait("return [...document.querySelectorAll('.lm-TabBar-tab')].some((t) => t.textContent.includes('Overview'))")
    tabs = w.run("return [...document.querySelectorAll('.lm-TabBar-tab')].map((t) => { const b = t.getBoundingClientRect(); return [t.textContent, b.left + 30, b.top + 12]; })")
    name, x, y = next(t for t in tabs if "Overview" in t[0])
    target = w.run("const b = weft.panels().find((p) => p.view.name === 'state-summary').node.getBoundingClientRect(); return [b.left + b.width * 0.95, b.top + b.height / 2]")
    chain = w.chain()
    pointer = chain.w3c_actions.pointer_action
    pointer.move_to_location(int(x), int(y))
    pointer.pointer_down()
    for part in (0.1, 0.5, 0.9, 1):
        pointer.move_to_location(int(x + (target[0] - x) * part), int(y + (target[1] - y) * part))
        pointer.pause(0.05)
    pointer.pointer_up()
    chain.perform()
    w.wait("const o = weft.panels().find((p) => p.view.name === 'overview').node.getBoundingClientRect(), s = weft.panels().find((p) => p.view.name === 'state-summary').node.getBoundingClientRect(); return o.left >= s.right - 2")


@test
def table_of_a_panel(w):
    w.run("weft.panels().find((p) => p.view.name === 'state-summary').picture.canvas.focus()")
    w.press("t")
    w.wait("return weft.panels().find((p) => p.view.name === 'state-summary').mode === 'table'")
    w.wait("return document.querySelectorAll('.table-host tbody tr').length === 4")
    names = w.run("return [...document.querySelectorAll('.table-host th')].map((th) => th.dataset.name)")
    rows = {row[1]: dict(zip(names, row)) for row in table_rows(w, ".table-host")}
    equal(rows["running"]["total_ns"], "13.0 s")
    equal(rows["waiting"]["total_ns"], "7.00 s")
    equal((rows["io"]["total_ns"], rows["io"]["self_ns"]), ("10.0 s", "8.00 s"))  # in all, and without compute in it
    equal(rows["running"]["share_pct"], "43.33 %")
    # The columns that are seldom asked for come last.
    assert names.index("share_pct") < names.index("self_ns"), names


@test
def layout_is_saved_and_named_on_the_command_line(w):
    w.find("[data-view=overview]").click()
    w.wait("return weft.panels().some((p) => p.view.name === 'overview')")
    w.press(">")
    w.press("save the layout")
    w.press(Keys.ENTER)
    path = os.path.join(DOWNLOADS, "workbench.weft-layout")
    until(lambda: os.path.exists(path) and os.path.getsize(path))
    layout = json.load(open(path, encoding="utf-8"))
    equal(layout["weft_layout"], 1)
    with Workbench(WEFT, [SMALL, "--layout", path], browser=w.browser) as other:
        other.wait_frames()
        assert "overview" in other.run("return weft.panels().map((p) => p.view.name)")
    w.open()
    w.wait_frames()


@test
def address_holds_the_state_and_back_undoes_a_zoom(w):
    for change in ("weft.setWindow(2e9, 6e9)", "weft.setWindow(3e9, 4e9)", "weft.panels()[0].set('color', 'container')"):
        before = w.run("return location.hash")
        w.run(change)
        w.wait(f"return location.hash !== {json.dumps(before)}", what="the address to settle")
    w.browser.back()
    w.wait("return weft.state.begin === 2e9 && weft.state.end === 6e9")
    w.browser.forward()
    w.wait("return weft.state.begin === 3e9 && weft.state.end === 4e9")
    w.browser.refresh()
    w.wait_frames()
    equal(w.window(), [3e9, 4e9])
    equal(settings(w).get("color"), "container")


@test
def cursor_is_shared_by_all_panels(w):
    w.find("[data-view=space-time]").click()
    w.press(">")
    w.press("once more below")
    w.press(Keys.ENTER)
    w.wait("return weft.panels().filter((p) => p.view.name === 'space-time' && p.isVisible).length === 2")
    w.wait_frames()
    plot = w.plot("space-time")
    w.hover("space-time", plot["x"] + plot["width"] / 2, plot["y"] + 20)
    w.wait("return document.querySelectorAll('.overlay .cursor').length === 2")


@test
def commands_find_views_actions_and_containers(w):
    w.chain().key_down(Keys.CONTROL).key_down(Keys.SHIFT).send_keys("p").key_up(Keys.SHIFT).key_up(Keys.CONTROL).perform()
    w.wait("return document.querySelector('dialog.palette')")
    w.press("overv")
    has(" ".join(w.texts(".palette li")), "Open Overview")
    w.press(Keys.ESCAPE)
    w.wait("return !document.querySelector('dialog.palette')")
    w.press(Keys.F1)
    w.press("gamma")
    w.wait("return [...document.querySelectorAll('.palette li')].some((l) => l.textContent.includes('proc/gamma'))")
    w.press(Keys.ENTER)
    wait_details(w, "gamma")
    w.press("?")
    w.wait("return document.querySelector('dialog.sheet')")
    has(w.text("dialog.sheet"), "zoom in and out at the pointer")


# ---- Marks, themes, export ----

@test
def marks_are_kept_beside_the_trace(w):
    path = SMALL + ".marks"
    before = open(SMALL, "rb").read()
    plot = w.plot("space-time")
    w.hover("space-time", plot["x"] + plot["width"] * 0.3, plot["y"] + 20)
    w.press("m")
    w.wait("return document.querySelector('dialog.ask')")
    w.press("here it stalls")
    w.press(Keys.ENTER)
    w.wait("return weft.state.marks.length === 1")
    # A mark is shown before it is written.
    until(lambda: os.path.exists(path))
    fields = open(path, encoding="utf-8").read().rstrip("\n").split("\t")
    near(int(fields[0]), 3 * SECOND, 0.05 * SECOND)
    equal(fields[1:], ["0", "here it stalls"])
    equal(open(SMALL, "rb").read(), before)
    w.wait("return document.querySelectorAll('.overlay .mark').length >= 1")
    w.browser.refresh()
    w.wait_frames()
    w.wait("return weft.state.marks.length === 1")
    w.run("[...document.querySelectorAll('.tabs button')].find((b) => b.textContent === 'Marks').click()")
    w.find("#drawer .marks td:last-child button").click()
    w.wait("return weft.state.marks.length === 0")
    until(lambda: open(path, encoding="utf-8").read() == "")


@test
def themes_and_the_system(w):
    backgrounds = {}
    for name in ("Light", "Dark", "Greyscale", "Colour-blind safe", "Black and white"):
        w.find("#theme").click()
        w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.endsWith(arguments[0])).click()", name)
        w.wait_frames()
        time.sleep(0.1)
        w.wait_frames()
        backgrounds[name] = max(w.pixels("space-time").items(), key=lambda p: p[1])[0]
        if name == "Greyscale":
            for color, n in w.pixels("space-time").items():
                channels = [int(color[i:i + 2], 16) for i in (1, 3, 5)]
                assert n < 400 or max(channels) - min(channels) <= 14, (color, n)
    assert int(backgrounds["Dark"][1:3], 16) < 0x50, backgrounds
    assert int(backgrounds["Light"][1:3], 16) > 0x90 or backgrounds["Light"] == RUNNING, backgrounds
    w.find("#theme").click()
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.includes('system')).click()")
    w.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
    w.wait("return document.documentElement.dataset.theme === 'dark'")
    equal(w.run("return getComputedStyle(document.querySelector('.lm-DockPanel-overlay')).transitionDuration"), "0s")
    w.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    w.wait("return document.documentElement.dataset.theme === 'light'")


@test
def every_panel_and_the_workbench_are_exported(w):
    magic = {"png": b"\x89PNG", "svg": b"<svg ", "pdf": b"%PDF", "csv": b"container,", "json": b"["}
    for ending, start in magic.items():
        w.run("weft.panels().find((p) => p.view.name === 'space-time').saveAs(arguments[0])", ending)
        path = os.path.join(DOWNLOADS, "space-time." + ending)
        until(lambda: os.path.exists(path) and os.path.getsize(path) > 50)
        equal(open(path, "rb").read(len(start)), start)
    w.find("#export").click()
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === 'Workbench as PNG').click()")
    path = os.path.join(DOWNLOADS, "workbench.png")
    until(lambda: os.path.exists(path) and os.path.getsize(path) > 5000)
    size = open(path, "rb").read(24)
    dock = w.run("const b = document.getElementById('dock').getBoundingClientRect(); return [Math.round(b.width), Math.round(b.height)]")
    equal([int.from_bytes(size[16:20], "big"), int.from_bytes(size[20:24], "big")], dock)


# ---- Without a pointer, and for screen readers ----

@test
def keyboard_alone(w):
    for _ in range(90):  # past the catalogue of views
        w.press(Keys.TAB)
        if w.run("return document.activeElement.tagName === 'CANVAS'"):
            break
    equal(w.run("return document.activeElement.tagName"), "CANVAS")
    w.press(Keys.ARROW_DOWN)
    w.wait("return weft.state.picked")
    first = w.run("return weft.state.picked.row")
    w.press(Keys.ARROW_DOWN)
    w.wait(f"return weft.state.picked.row !== {json.dumps(first)}")
    begin = w.run("return weft.state.picked.begin")
    w.press(Keys.ARROW_RIGHT)
    time.sleep(0.3)
    w.press(Keys.ARROW_LEFT)
    w.wait(f"return weft.state.picked.begin <= {begin}")
    w.press("f")
    w.wait("return weft.state.end - weft.state.begin < 1e10")


@test
def screen_readers_have_words(w):
    label = w.canvas("space-time").get_attribute("aria-label")
    has(label, "Space-time")
    nameless = w.run("return [...document.querySelectorAll('button, input, select')].filter((n) => !n.textContent.trim() && !n.getAttribute('aria-label') && !n.title && !n.closest('label')).map((n) => n.outerHTML)")
    equal(nameless, [])
    equal(w.run("return document.documentElement.lang"), "en")


# ---- Other traces ----

@test
def an_error_is_one_sentence(w):
    w.find(".panel [data-parameter=rows]").send_keys("nobody", Keys.ENTER)
    w.wait("return weft.panels()[0].picture.failed")
    equal(w.run("return weft.panels()[0].picture.failed"), "no container matches rows=nobody")
    # The server is gone: said once, and nothing spins.
    with Workbench(WEFT, [SMALL], browser=w.browser) as v:
        v.wait_frames()
        v.server.process.terminate()
        v.server.process.wait()
        v.run("weft.panels()[0].picture.change()")
        v.wait("return document.getElementById('trouble').textContent.includes('does not answer')")
        assert v.run("return weft.panels()[0].picture.scene !== null"), "the last picture has gone"
        v.server.process.send_signal = lambda _: None
        v.screenshot(os.path.join(SCREENSHOTS, "an_error_is_one_sentence.png"))
    w.open()
    w.wait_frames()


sys.exit(main())
