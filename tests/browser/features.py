#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench, feature by feature, in a real browser.  TAP on standard output; a screenshot
of each test is kept in SCREENSHOTS.  WEFT and BUILD name the binary and the build folder.

What is expected follows from the traces in traces.py by reasoning."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import traces
from checks import equal, has, near, run_tests, until
from setting import (
    BUILD, FOLDER, SCREENSHOTS, SIZE, TESTS, WEFT, keep_screenshot, test)
from workbench import Workbench, start_browser
from selenium.webdriver.common.keys import Keys

SECOND = 1_000_000_000  # ticks: Paje starts at 1 ns
RUNNING, WAITING = "#3f9f68", None

downloads = tempfile.mkdtemp(prefix="weft-downloads-")


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

@test
def catalogue_and_first_picture(w):
    equal(w.texts("#catalogue h2"), list(dict.fromkeys(w.texts("#catalogue h2"))))
    has(w.texts("#catalogue h2"), "Timeline")
    # No locks in this trace: grey, with what it would need and how to record that.
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
def keys_zoom_and_pan(w):
    plot = w.plot("space-time")
    w.hover("space-time", plot["x"] + plot["width"] / 4, plot["y"] + 60)
    w.hold("w", "return weft.state.end - weft.state.begin < 7e9")
    begin, end = w.window()
    assert end - begin < 7 * SECOND, (begin, end)
    near(begin + (end - begin) / 4, 2.5 * SECOND, 0.1 * SECOND)  # what was under the pointer stays
    w.hold("d", f"return weft.state.begin > {begin}")
    at = w.window()[0]
    w.hold("a", f"return weft.state.begin < {at}")
    w.hold("s", "return weft.state.begin === 0 && weft.state.end === 1e10 + 1")
    w.wait_frames()


@test
def wheel_zooms_with_control_and_pans_with_shift(w):
    canvas = w.canvas("space-time")
    w.wheel(canvas, -240, control=True)
    w.wait("return weft.state.end - weft.state.begin < 6e9")
    before = w.window()
    time.sleep(0.2)
    w.wheel(canvas, 200, shift=True)
    w.wait(f"return weft.state.begin > {before[0]}")
    near(w.window()[1] - w.window()[0], before[1] - before[0], 10)
    # Two fingers: a pan that began as one zooms nothing, even when the keys say so.  In one go,
    # for after a moment it would be another gesture.
    time.sleep(0.2)
    width = w.window()[1] - w.window()[0]
    w.run("""
      const box = arguments[0].getBoundingClientRect();
      const at = { bubbles: true, cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
      arguments[0].dispatchEvent(new WheelEvent('wheel', { ...at, deltaX: -80 }));
      arguments[0].dispatchEvent(new WheelEvent('wheel', { ...at, deltaY: -80, ctrlKey: true }));""", canvas)
    near(w.window()[1] - w.window()[0], width, 10)


@test
def shift_drag_and_touch_pan(w):
    w.run("weft.setWindow(2e9, 6e9)")
    w.wait_frames()
    plot = w.plot("space-time")
    x = plot["x"] + plot["width"] / 2
    w.drag("space-time", x, plot["y"] + 30, x + plot["width"] / 4, plot["y"] + 30, key=Keys.SHIFT)
    near(w.window()[0], 1 * SECOND, 0.05 * SECOND)  # a quarter of 4 s to the right


@test
def a_frame_is_moved_until_the_next_comes(w):
    w.run("weft.setWindow(2e9, 6e9)")
    w.wait_frames()
    # Hold the network back, pan, and see that green moved with the window.
    before = w.mark("space-time", "running")
    w.run("window.realFetch = fetch; window.fetch = () => new Promise(() => {})")
    w.run("weft.setWindow(2.4e9, 6.4e9)")
    time.sleep(0.1)
    after = w.mark("space-time", "running")
    plot = w.plot("space-time")
    near(before["right"] - after["right"], plot["width"] / 10, 2)
    equal(w.pixel("space-time", int(after["right"]) - 6, int(after["y"])), RUNNING)
    # Any panel may have asked meanwhile, and would wait for its answer for ever.
    w.run("window.fetch = window.realFetch; for (const p of weft.panels()) p.picture.change()")
    w.wait_frames()


@test
def overview_shows_and_moves_the_window(w):
    box = w.run("const b = document.getElementById('overview').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    chain = w.chain()
    pointer = chain.w3c_actions.pointer_action
    pointer.move_to_location(int(box[0] + box[2] * 0.25), int(box[1] + 40))
    pointer.pointer_down()
    pointer.move_to_location(int(box[0] + box[2] * 0.4), int(box[1] + 40))
    pointer.move_to_location(int(box[0] + box[2] * 0.5), int(box[1] + 40))
    pointer.pointer_up()
    chain.perform()
    near(w.window()[0], 2.5 * SECOND, 0.15 * SECOND)
    near(w.window()[1], 5 * SECOND, 0.15 * SECOND)
    frame = w.run("const f = document.querySelector('#overview .window'); return [f.offsetLeft / f.parentNode.offsetWidth, f.offsetWidth / f.parentNode.offsetWidth]")
    near(frame[0], 0.25, 0.02)
    near(frame[1], 0.25, 0.02)
    # Its right edge.
    chain = w.chain()
    pointer = chain.w3c_actions.pointer_action
    pointer.move_to_location(int(box[0] + box[2] * 0.5), int(box[1] + 40))
    pointer.pointer_down()
    pointer.move_to_location(int(box[0] + box[2] * 0.75), int(box[1] + 40))
    pointer.pointer_up()
    chain.perform()
    near(w.window()[1], 7.5 * SECOND, 0.2 * SECOND)
    near(w.window()[0], 2.5 * SECOND, 0.15 * SECOND)


# ---- Looking closer ----

@test
def tooltip_says_what_is_under_the_pointer(w):
    at = w.mark("space-time", "waiting · 2.00 s · alpha")
    w.hover("space-time", at["x"], at["y"])
    w.wait("return !document.getElementById('tooltip').hidden")
    text = w.text("#tooltip")
    for part in ("waiting", "2.00 s", "alpha", "begins 4.00 s"):
        has(text, part)
    has(w.text("#status"), "cursor ")
    assert w.run("return document.querySelectorAll('.overlay .cursor').length") >= 1


@test
def tooltip_where_states_are_denser_than_pixels(w):
    # On the curve of the load, which has no marks with titles: asked of the server.
    row = w.run("const s = weft.panels()[0].picture.scene; for (const l of s.layers) for (const m of l.marks) if ((m[m.length-1].title || '').startsWith('proc')) return m[2] + m[4] / 2")
    plot = w.plot("space-time")
    w.hover("space-time", plot["x"] + plot["width"] * 0.75, row)
    w.wait("return document.getElementById('tooltip').textContent.includes('Load: 2')")


@test
def click_pins_details_with_neighbours_and_links(w):
    at = w.mark("space-time", "waiting · 2.00 s · alpha")
    w.click("space-time", at["x"], at["y"])
    wait_details(w, "waiting")
    facts = details(w)
    equal(facts["begins"], "4 s")
    equal(facts["lasts"], "2.00 s")
    equal(facts["Thread"], "proc/alpha")
    equal(facts["Message to"], "beta")
    # What is picked is outlined in the accent colour.
    w.wait_frames()
    assert w.pixels("space-time").get("#2f6fde", 0) > 40
    w.press(".")
    w.wait("return weft.state.picked?.begin === 6e9")
    w.press(",", ",")
    w.wait("return weft.state.picked?.begin === 0")
    w.run("document.querySelector('#drawer .facts').scrollTop = 0")


@test
def brackets_follow_a_message(w):
    at = w.mark("space-time", "waiting · 2.00 s · alpha")
    w.click("space-time", at["x"], at["y"])
    wait_details(w, "waiting")
    w.press("]")
    w.wait("return weft.state.picked?.name === 'running' && weft.state.picked.begin === 5e9")
    w.press("[")
    w.wait("return weft.state.picked?.begin === 4e9")
    # The link itself: both ends.
    w.run("[...document.querySelectorAll('#drawer .facts button.link')].find((b) => b.textContent === 'beta').click()")
    w.wait("return weft.state.picked?.kind === 'link'")
    w.wait("return document.querySelector('#drawer h3').textContent.includes('wake')")
    facts = details(w)
    equal((facts["from"], facts["to"]), ("proc/alpha", "proc/beta"))
    equal((facts["leaves"], facts["arrives"], facts["lasts"]), ("4 s", "5 s", "1.00 s"))


@test
def double_click_zooms_and_f_frames(w):
    at = w.mark("space-time", "compute · 2.00 s")
    w.double_click("space-time", at["left"] + 15, at["y"])
    w.wait("return weft.state.begin > 1.5e9 && weft.state.end < 4.5e9")
    near(w.window()[0], 1.8 * SECOND, 1e6)  # 2 s and a tenth on both sides
    near(w.window()[1], 4.2 * SECOND, 1e6)
    w.press("f")
    w.wait("return weft.state.begin === 0 && weft.state.end === 1e10 + 1", what="everything")
    w.press("f")
    w.wait("return weft.state.begin > 1.5e9")


@test
def area_selection_gives_a_table(w):
    plot = w.plot("space-time")
    a = w.mark("space-time", "running · 4.00 s · alpha")
    b = w.mark("space-time", "waiting · 5.00 s · beta")
    # 2 s to 4.8 s, over alpha and beta (away from the edges of states, so nothing snaps).
    x0, x1 = plot["x"] + plot["width"] * 0.2, plot["x"] + plot["width"] * 0.48
    w.drag("space-time", x0, a["y"], x1, b["y"])
    w.wait("return document.querySelectorAll('#drawer tbody tr').length === 2")
    rows = {row[1]: row for row in table_rows(w)}
    # alpha: running 2 to 4, waiting 4 to 4.8; beta: waiting 2 to 4.8.
    equal(rows["running"][2], "1")
    equal(rows["waiting"][2], "2")
    assert rows["running"][3].startswith(("1.99", "2.00")), rows
    assert rows["waiting"][3].startswith(("3.59", "3.60", "3.61")), rows
    equal([h.strip() for h in w.texts("#drawer thead th")],
          ["type", "value", "count", "total", "self", "mean", "p50", "p95", "p99", "max", "share"])
    equal(rows["waiting"][9], "5.00 s")  # whole, not cut to the area
    # Sorted by total at first; by name after a click on its head.
    w.find("#drawer th:nth-child(2) button").click()
    equal([row[1] for row in table_rows(w)], ["running", "waiting"])
    w.find("#drawer th:nth-child(2) button").click()
    equal([row[1] for row in table_rows(w)], ["waiting", "running"])
    w.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    w.find("#drawer .copy").click()
    w.wait("return document.querySelector('#drawer .copy').textContent === 'Copied'")
    # An edge can be dragged afterwards.
    before = w.run("return weft.state.selection.end")
    w.drag("space-time", x1, a["y"] + 40, x1 + 60, a["y"] + 40)
    w.wait(f"return weft.state.selection.end > {before}")
    w.press("f")
    w.wait("return weft.state.begin > 1.5e9")
    w.press(Keys.ESCAPE)
    w.wait("return !weft.state.selection")


# ---- Rows ----

@test
def rows_close_open_pin_and_filter(w):
    equal([r for r in visible_rows(w) if r in ("alpha", "beta", "gamma")], ["alpha", "beta", "gamma"])
    at = w.mark("space-time", "close proc")
    w.click("space-time", at["x"], at["y"])
    w.wait_frames()
    w.wait("return weft.panels()[0].settings.closed")
    w.wait_frames()
    assert "alpha" not in visible_rows(w), visible_rows(w)
    assert settings(w)["closed"].startswith("#"), settings(w)
    at = w.mark("space-time", "open proc")
    w.click("space-time", at["x"], at["y"])
    w.wait("return weft.panels()[0].settings.closed === undefined")
    w.wait_frames()
    has(visible_rows(w), "alpha")
    # Pinned: gamma on top and in its place.
    at = w.mark("space-time", "gamma")
    w.right_click("space-time", 30, at["y"])
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.includes('pinned')).click()")
    w.wait_frames()
    equal(visible_rows(w).count("gamma"), 2)
    equal(visible_rows(w)[0], "gamma")
    w.run("weft.panels()[0].set('pinned', '')")
    field = w.find(".panel [data-parameter=rows]")
    field.send_keys("be*", Keys.ENTER)
    w.wait_frames()
    w.wait("return weft.panels()[0].settings.rows === 'be*'")
    w.wait_frames()
    rows = visible_rows(w)
    assert "beta" in rows and "alpha" not in rows, rows


@test
def rows_move_by_dragging(w):
    gamma, alpha = w.mark("space-time", "gamma"), w.mark("space-time", "alpha")
    w.drag("space-time", 60, gamma["y"], 60, alpha["y"])
    w.wait("return weft.panels()[0].settings.order")
    w.wait_frames()
    equal([r for r in visible_rows(w) if r in ("alpha", "beta", "gamma")], ["gamma", "alpha", "beta"])


@test
def row_height_by_control_and_wheel(w):
    w.find(".panel .more").click()
    w.find(".panel [data-parameter=row_height]").send_keys(Keys.CONTROL + "a" + Keys.NULL, "40", Keys.ENTER)
    w.wait("return weft.panels()[0].settings.row_height === '40'")
    w.wait_frames()
    first = w.mark("space-time", "running · 4.00 s · alpha")
    second = w.mark("space-time", "waiting · 5.00 s · beta")
    near(second["y"] - first["y"], 40, 0.6)
    w.wheel(w.canvas("space-time"), -100, alt=True)
    w.wait("return weft.panels()[0].settings.row_height === '50'")


# ---- Search ----

@test
def search_counts_and_steps_through_hits(w):
    w.press("/")
    w.find("#query").send_keys("wait")
    w.wait("return weft.state.hits?.done && document.getElementById('hits').textContent.includes('hit')")
    has(w.text("#hits"), "2 hits")
    assert w.run("return document.querySelectorAll('#overview .ticks .hit').length") == 2
    w.find("#query").send_keys(Keys.ENTER)
    w.wait("return weft.state.picked?.name === 'waiting' && weft.state.picked.begin === 0")
    w.find("#query").send_keys(Keys.ENTER)
    w.wait("return weft.state.picked?.begin === 4e9")
    w.find("#query").send_keys(Keys.SHIFT + Keys.ENTER)
    w.wait("return weft.state.picked?.begin === 0")
    # A container, and a pattern.
    w.find("#query").send_keys(Keys.CONTROL + "a" + Keys.NULL, "alph?")
    w.wait("return document.getElementById('hits').textContent.includes('1 row')")
    w.find("#query").send_keys(Keys.ESCAPE)
    w.wait("return !weft.state.hits")


# ---- Panels and layouts ----

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
    rows = {row[1]: row for row in table_rows(w, ".table-host")}
    equal(rows["running"][3], "13.0 s")
    equal(rows["waiting"][3], "7.00 s")
    equal((rows["io"][3], rows["io"][4]), ("10.0 s", "8.00 s"))  # total, and without compute in it
    equal(rows["running"][10], "43.33 %")


@test
def layout_is_saved_and_named_on_the_command_line(w):
    w.find("[data-view=overview]").click()
    w.wait("return weft.panels().some((p) => p.view.name === 'overview')")
    w.press(">")
    w.press("save the layout")
    w.press(Keys.ENTER)
    path = os.path.join(downloads, "workbench.weft-layout")
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
    equal(open(path, encoding="utf-8").read(), "")


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
        path = os.path.join(downloads, "space-time." + ending)
        until(lambda: os.path.exists(path) and os.path.getsize(path) > 50)
        equal(open(path, "rb").read(len(start)), start)
    w.find("#export").click()
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === 'Workbench as PNG').click()")
    path = os.path.join(downloads, "workbench.png")
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
def source_line_of_a_contended_lock(w):
    recording = os.path.join(FOLDER, "contended.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "examples", "contended_lock")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    source = os.environ.get("SOURCE", os.getcwd())
    with Workbench(WEFT, [recording, "--source-root", source], browser=w.browser) as v:
        v.wait_frames()
        v.press("/")
        v.find("#query").send_keys("blocked on mutex", Keys.ENTER)
        v.wait("return weft.state.picked?.name === 'blocked on mutex'")
        v.wait("return document.querySelector('#drawer .line.lit')")
        lit = v.text("#drawer .line.lit")
        has(lit, "pthread_mutex_lock(")
        has(v.text("#drawer .file"), "contended_lock.c:")
        v.screenshot(os.path.join(SCREENSHOTS, "source_line_of_a_contended_lock.png"))
    # Outside of the folders that may be read, nothing is shown.
    with Workbench(WEFT, [recording, "--source-root", FOLDER], browser=w.browser) as v:
        v.wait_frames()
        v.press("/")
        v.find("#query").send_keys("blocked on mutex", Keys.ENTER)
        v.wait("return document.querySelector('#drawer .source')?.textContent.includes('--source-root')")
    w.open()
    w.wait_frames()


@test
def a_folder_of_traces(w):
    folder = os.path.join(FOLDER, "runs")
    os.makedirs(folder)
    traces.write(folder, "run01.paje", traces.SMALL)
    traces.write(folder, "run02.paje", traces.ONE_EVENT)
    traces.write(folder, "other.trf", traces.SMALL)
    traces.write(folder, "readme.txt", "no trace\n")
    with Workbench(WEFT, [folder], browser=w.browser) as v:
        v.wait("return document.querySelector('dialog.traces')")
        equal(v.texts("dialog.traces tbody td:first-child"), ["other.trf", "run01.paje", "run02.paje"])
        field = v.find("dialog.traces input")
        field.send_keys("run??.paje")
        equal(v.texts("dialog.traces tbody td:first-child"), ["run01.paje", "run02.paje"])
        field.send_keys(Keys.CONTROL + "a" + Keys.NULL, "*.trf")
        equal(v.texts("dialog.traces tbody td:first-child"), ["other.trf"])
        equal(v.texts("dialog.traces tbody td:nth-child(2)"), ["paje"])
        v.screenshot(os.path.join(SCREENSHOTS, "a_folder_of_traces.png"))
        v.press(Keys.ESCAPE)
        v.wait_frames()
        v.run("weft.panels()[0].set('color', 'duration')")
        v.press("o")
        v.find("dialog.traces input").send_keys("run01", Keys.ENTER)
        v.wait("return weft.state.facts?.name === 'run01.paje'")
        v.wait_frames()
        equal(settings(v).get("color"), "duration")  # the layout is kept
        # For a picture: as high as it, whatever the window; no dialog, no empty drawer.
        v.browser.get("about:blank")
        v.browser.get(v.server.url + "&shot=500")
        v.wait_frames()
        equal(v.run("return document.body.getBoundingClientRect().height"), 500)
        equal(v.run("return document.getElementById('status').getBoundingClientRect().bottom"), 500)
        equal(v.run("return document.querySelectorAll('dialog').length"), 0)
        equal(v.run("return document.getElementById('drawer').offsetHeight"), 0)
    w.open()
    w.wait_frames()


@test
def thousands_of_rows_scroll(w):
    path = traces.write(FOLDER, "many.paje", traces.many(3000))
    with Workbench(WEFT, [path], browser=w.browser) as v:
        v.wait_frames()
        assert v.pixels("space-time").get(RUNNING, 0) > 1000
        v.run("weft.panels()[0].set('row_height', '18')")
        v.wait_frames()
        v.run("const p = weft.panels()[0].picture; window.scrolled = []; weft.on('painted', (q) => { if (q === p) window.scrolled.push(q.scroll); })")
        for _ in range(20):
            v.wheel(v.canvas("space-time"), 400)
        v.wait("return weft.panels()[0].picture.scroll === 8000")
        v.wait_frames()
        # Row (8000 - plot's top) / 18 from the process's own row on: thread 443 or so.
        rows = v.run("""
          const p = weft.panels()[0].picture, names = [], plot = p.plot(), move = p.move();
          for (const l of p.scene.layers) for (const m of l.marks) { const a = m[m.length - 1];
            if (a.row && m[2] + move.ty + m[4] > plot.y && m[2] + move.ty < plot.y + plot.height) names.push(a.title.replace(/ .*/, '')); }
          return names;""")
        numbers = [int(r.split("-")[1]) for r in rows if r.startswith("thread-")]
        near(min(numbers), 8000 / 18 - 1, 2)
        assert len(v.run("return window.scrolled")) >= 5
        assert not v.run("return weft.panels()[0].bar.hidden")
        v.screenshot(os.path.join(SCREENSHOTS, "thousands_of_rows_scroll.png"))
    w.open()
    w.wait_frames()


@test
def rows_that_would_lose_their_names_scroll(w):
    path = traces.write(FOLDER, "dozens.paje", traces.many(60))
    with Workbench(WEFT, [path], browser=w.browser) as v:
        v.wait_frames()
        height, visible = v.run("""
          const p = weft.panels()[0].picture; return [p.scene.frame.scroll_height, p.plot().height]""")
        assert height > visible, (height, visible)
        assert height >= 61 * 11  # the process and its threads, each with a name
        assert not v.run("return weft.panels()[0].bar.hidden")
        v.wheel(v.canvas("space-time"), 100)
        v.wait("return weft.panels()[0].picture.scroll === 100")
        v.wait_frames()
        # It asked for more than is seen, and still scrolls as far.
        equal(v.run("return weft.panels()[0].picture.scene.frame.scroll_height"), height)
        for _ in range(20):
            v.wheel(v.canvas("space-time"), 400)
        v.wait_frames()
        assert v.run("return !!weft.panels()[0].picture.scroll")
        assert "thread-59" in visible_rows(v)
    w.open()
    w.wait_frames()


@test
def problems_are_a_badge_that_opens_the_list(w):
    path = traces.write(FOLDER, "faulty.paje", traces.FAULTY)
    with Workbench(WEFT, [path], browser=w.browser) as v:
        v.wait_frames()
        badge = v.find("#problems")
        equal(badge.text, "2 problems")
        badge.click()
        v.wait("return document.querySelectorAll('#drawer tbody tr').length === 2")
        lines = sorted(int(row[2]) for row in table_rows(v))
        head = traces.HEAD.count("\n")
        equal(lines, [head + 5, head + 6])
        v.screenshot(os.path.join(SCREENSHOTS, "problems_are_a_badge_that_opens_the_list.png"))
    w.open()
    w.wait_frames()


@test
def names_that_hold_markup_are_shown_as_text(w):
    path = traces.write(FOLDER, "markup.paje", traces.MARKUP)
    with Workbench(WEFT, [path], browser=w.browser) as v:
        v.wait_frames()
        has(v.text(".legend"), traces.EVIL)
        at = v.mark("space-time", traces.EVIL + " · 2.00 s")
        v.hover("space-time", at["x"], at["y"])
        v.wait("return !document.getElementById('tooltip').hidden")
        has(v.text("#tooltip"), traces.EVIL)
        v.click("space-time", at["x"], at["y"])
        wait_details(v, traces.EVIL)
        v.press("/")
        v.find("#query").send_keys("<svg", Keys.ENTER)
        v.wait("return weft.state.picked?.name.startsWith('<svg')")
        v.find("#query").send_keys(Keys.ESCAPE)
        v.press(Keys.F1)
        v.press("script")
        v.wait("return [...document.querySelectorAll('.palette li')].some((l) => l.textContent.includes('</script>'))")
        v.press(Keys.ESCAPE)
        v.run("weft.panels().find((p) => p.view.name === 'state-summary').setMode('table')")
        v.wait("return document.querySelector('.table-host tbody tr')")
        equal(v.run("return window.hacked"), None)
        equal(v.run("return document.querySelectorAll('main img, dialog img, main svg').length"), 0)
        v.screenshot(os.path.join(SCREENSHOTS, "names_that_hold_markup_are_shown_as_text.png"))
    w.open()
    w.wait_frames()


@test
def empty_and_single_event_traces(w):
    for name, text in (("empty.paje", traces.EMPTY), ("one.paje", traces.ONE_EVENT)):
        path = traces.write(FOLDER, name, text)
        with Workbench(WEFT, [path], browser=w.browser) as v:
            v.wait("return weft.state.facts && weft.panels().length")
            v.wait_frames()
            equal(v.complaints(), [])
            if name == "one.paje":
                at = v.mark("space-time", "only")
                v.click("space-time", at["x"], at["y"])
                wait_details(v, "only")
            v.screenshot(os.path.join(SCREENSHOTS, f"trace_{name}.png"))
    w.open()
    w.wait_frames()


@test
def loading_shows_progress_and_can_be_cancelled(w):
    path = os.path.join(FOLDER, "slow.paje.gz")
    traces.slow(path)
    with Workbench(WEFT, [path], browser=w.browser) as v:
        v.wait("return document.querySelector('#loading progress')?.value > 0", what="a progress bar that moves")
        has(v.text("#loading p"), "Reading slow.paje.gz")
        v.screenshot(os.path.join(SCREENSHOTS, "loading_shows_progress_and_can_be_cancelled.png"))
        v.find("#loading button").click()
        v.wait("return document.querySelector('#loading')?.textContent.includes('cancelled')")
        v.find("#loading button").click()  # try again
        v.wait("return document.querySelector('#loading progress')?.value > 0")
    w.open()
    w.wait_frames()


@test
def nodes_are_dragged(w):
    path = os.path.join(os.environ["SOURCE"], "tests/reference/traces/blocking.trf")
    with Workbench(WEFT, [path], browser=w.browser) as v:
        v.wait_frames()
        v.find("[data-view=animation]").click()
        v.wait("return weft.panels().some((p) => p.view.name === 'animation' && p.picture.scene)")
        v.wait_frames()
        at = """const [x, y, w, h] = weft.panels().find((p) => p.view.name === 'animation').picture.scene.frame.plot;
            return [x + w / 4, y + h / 4]"""
        x, y = v.run(at)
        node = v.mark("animation", "processor 1 ")
        v.drag("animation", node["x"], node["y"], x, y)
        v.wait("return weft.panels().find((p) => p.view.name === 'animation').settings.layout")
        number, at_x, at_y = settings(v, "animation")["layout"].split()
        equal(number, "1")
        near(float(at_x), 0.25, 0.01)
        near(float(at_y), 0.25, 0.01)
        v.wait_frames()
        moved = v.mark("animation", "processor 1 ")
        x, y = v.run(at)  # the panel may have got another row of controls
        near(moved["x"], x, 3)
        near(moved["y"], y, 3)
        # It can be saved, as a line of a file.
        link = v.find(".panel a[download=pganim]").get_attribute("href")
        has(link, "1%20" + at_x + "%20" + at_y + "%0A")
        # A click is no move: it shows the processor.
        v.click("animation", moved["x"], moved["y"])
        v.wait("return document.querySelector('#drawer h3')?.textContent.includes('1')")
        equal(settings(v, "animation")["layout"], f"1 {at_x} {at_y}")
        v.screenshot(os.path.join(SCREENSHOTS, "nodes_are_dragged.png"))
    w.open()
    w.wait_frames()


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


def main():
    global SMALL
    SMALL = traces.write(FOLDER, "small.paje", traces.SMALL)
    browser = start_browser(SIZE, downloads)
    w = Workbench(WEFT, [SMALL], browser=browser)

    def run(one):
        for left in glob.glob(os.path.join(downloads, "*")):
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
    shutil.rmtree(downloads, ignore_errors=True)
    return 1 if failed else 0


SMALL = ""
sys.exit(main())
