#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Space-time as a person uses it, in a real browser: zooming, panning, pointing, selecting, rows, and
the search.  As features.py."""
import json
import subprocess
import sys
import time

from checks import equal, has, near
from setting import WEFT, test
from small import RUNNING, SECOND, SMALL, details, main, settings, table_rows, visible_rows, wait_details
from selenium.webdriver.common.keys import Keys


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
    rows = {row[0]: row for row in table_rows(w)}
    # alpha: running 2 to 4, waiting 4 to 4.8; beta: waiting 2 to 4.8.
    equal([h.strip() for h in w.texts("#drawer thead th")], ["state", "total", "share", "intervals"])
    assert rows["running"][1].startswith(("1.99", "2.00")), rows
    assert rows["waiting"][1].startswith(("3.59", "3.60", "3.61")), rows
    equal([rows["running"][3], rows["waiting"][3]], ["1", "2"])
    # Sorted by total at first; by name after a click on its head.
    equal([row[0] for row in table_rows(w)], ["waiting", "running"])
    w.find("#drawer th:nth-child(1) button").click()
    w.wait("return document.querySelector('#drawer tbody td').textContent === 'running'")
    w.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    w.find("#drawer .copy").click()
    w.wait("return document.querySelector('#drawer .copy').textContent === 'Copied'")
    # An edge can be dragged afterwards.
    before = w.run("return weft.state.selection.end")
    w.drag("space-time", x1, a["y"] + 40, x1 + 60, a["y"] + 40)
    w.wait(f"return weft.state.selection.end > {before}")
    w.press("f")
    w.wait("return weft.state.begin > 1.5e9")
    # The breadcrumbs widen it again: first to all rows, then to the window.
    equal(w.texts(".crumb")[1], "2 rows✕")
    w.run("document.querySelectorAll('.crumb > :last-child')[1].click()")
    w.wait("return weft.state.selection.rows.length === 0")
    w.run("document.querySelector('.crumb > :last-child').click()")
    w.wait("return !weft.state.selection")
    equal(w.texts(".crumb"), [])


@test
def no_label_of_the_axis_is_cut(w):
    """Windows whose next tick is just beyond the right edge: its label is not drawn in part."""
    w.run("""
      const real = CanvasRenderingContext2D.prototype.fillText;
      window.labels = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const half = this.measureText(text).width / 2;
        if (this.canvas === weft.panels()[0].picture.canvas && this.textAlign === 'center' && y < 30)
          window.labels.push([text, x - half, x + half, this.canvas.clientWidth]);
        return real.apply(this, arguments);
      };""")
    for end in (5.98e9, 5.94e9, 7.95e9):
        w.run("window.labels = []; weft.setWindow(0, arguments[0])", end)
        w.wait_frames()
        w.wait("return window.labels.length > 2")
        for text, left, right, width in w.run("return window.labels"):
            assert left >= -1 and right <= width + 1, (end, text, left, right, width)


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
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === 'Pin to the top').click()")
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
def pinned_rows_keep_the_place_of_the_others(w):
    """gamma's states are drawn twice, at one x, also while a zoom waits for its frame."""
    at = w.mark("space-time", "gamma")
    w.right_click("space-time", 30, at["y"])
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === 'Pin to the top').click()")
    w.wait_frames()
    places = """
      const picture = weft.panels()[0].picture, m = picture.move(), found = {};
      for (const layer of picture.scene.layers) for (const mark of layer.marks) {
        const about = mark[mark.length - 1], moves = layer.moves & 1;
        if (mark[0] !== 'rect' || !about.id || !(about.title || '').includes('gamma')) continue;
        (found[about.id] ||= []).push(mark[1] * (moves ? m.sx : 1) + (moves ? m.tx : 0));
      }
      return Object.values(found).filter((places) => places.length > 1);"""

    def pairs():
        found = w.run(places)
        assert found, "gamma is drawn twice"
        for first, second in found:
            near(first, second, 0.01)
        return found
    before = pairs()
    w.run("window.realFetch = fetch; window.fetch = () => new Promise(() => {})")
    w.run("weft.setWindow(2e9, 6e9)")
    time.sleep(0.1)
    assert pairs() != before
    w.run("window.fetch = window.realFetch; for (const p of weft.panels()) p.picture.change()")
    w.wait_frames()
    pairs()
    w.run("weft.panels()[0].set('pinned', '')")


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
def search_knows_durations(w):
    """As the selection of the command line counts them."""
    for text in ("> 5s", "2 s"):
        where = "duration > 5s" if text[0] == ">" else "duration >= 1.5s and duration <= 2.5s"
        found = json.loads(subprocess.run(
            [WEFT, "render", "instances", SMALL, "--set", "where=not event and " + where, "--format", "json"],
            check=True, capture_output=True, text=True).stdout)
        assert found, text
        w.press("/")
        w.find("#query").send_keys(Keys.CONTROL + "a" + Keys.NULL, text)
        hits = f"{len(found)} hit" + ("" if len(found) == 1 else "s")
        w.wait(f"return document.getElementById('hits').textContent.startsWith('{hits}')")
        w.find("#query").send_keys(Keys.ENTER)
        first = min(row["begin_ns"] for row in found)
        w.wait(f"return weft.state.picked?.begin === {first}")
        equal(w.text("#hits"), f"1 of {len(found)}")
        w.press(Keys.ESCAPE)


@test
def search_counts_and_steps_through_hits(w):
    w.press("/")
    w.find("#query").send_keys("wait")
    w.wait("return weft.state.hits?.done && document.getElementById('hits').textContent.includes('hit')")
    has(w.text("#hits"), "2 hits")
    assert w.run("return document.querySelectorAll('#overview .ticks .hit').length") == 2
    w.find("#query").send_keys(Keys.ENTER)
    w.wait("return weft.state.picked?.name === 'waiting' && weft.state.picked.begin === 0")
    equal(w.text("#hits"), "1 of 2")
    w.find("#query").send_keys(Keys.ENTER)
    w.wait("return weft.state.picked?.begin === 4e9")
    equal(w.text("#hits"), "2 of 2")
    w.find("#query").send_keys(Keys.SHIFT + Keys.ENTER)
    w.wait("return weft.state.picked?.begin === 0")
    # A container, and a pattern.
    w.find("#query").send_keys(Keys.CONTROL + "a" + Keys.NULL, "alph?")
    w.wait("return document.getElementById('hits').textContent.includes('1 row')")
    w.find("#query").send_keys(Keys.ENTER)
    w.wait("return document.getElementById('hits').textContent === 'row 1 of 1'")
    w.wait("return weft.state.picked?.name === 'alpha'")
    w.find("#query").send_keys(Keys.ESCAPE)
    w.wait("return !weft.state.hits")


@test
def tab_comes_to_the_first_panel_soon(w):
    w.run("document.activeElement.blur()")
    stops = 0
    while not w.run("return Boolean(document.activeElement.closest('#dock'))"):
        w.press(Keys.TAB)
        stops += 1
        assert stops < 20
    assert stops - 1 <= 10, stops - 1


# ---- From a number to what it counts ----

def panel_rows(w, view):
    """The texts of the rows of a panel's table, or of the pane's ("")."""
    return w.run("""
      const host = arguments[0] ? weft.panels().find((p) => p.view.name === arguments[0])?.tableHost : document.getElementById('drawer');
      return [...(host?.querySelectorAll('tbody tr') || [])].map((r) => [...r.children].map((c) => c.textContent))""", view)


def cell(w, view, row, column):
    return w.run("""
      const host = arguments[0] ? weft.panels().find((p) => p.view.name === arguments[0]).tableHost : document.getElementById('drawer');
      return host.querySelectorAll('tbody tr')[arguments[1]].children[arguments[2]]""", view, row, column)


def wait_instances(w, count):
    w.wait(f"""return document.querySelector('#drawer [aria-selected=true]').textContent === 'Instances'
      && document.querySelectorAll('#drawer tbody tr').length === {count}""", what=f"{count} instances")


def where(w):
    return w.run("return weft.state.terms.join(' and ')")


def show_table(w, view):
    w.run("weft.panels().find((p) => p.view.name === arguments[0]).setMode('table')", view)
    w.wait(f"return weft.panels().find((p) => p.view.name === '{view}').tableHost?.querySelector('tbody tr')")


@test
def rows_of_a_table_lead_to_what_they_count(w):
    show_table(w, "state-summary")
    values = [row[1] for row in panel_rows(w, "state-summary")]
    cell(w, "state-summary", values.index("running"), 1).click()
    wait_instances(w, 3)
    equal(where(w), 'type = "State" and value = "running"')
    assert w.run("return weft.panels().find((p) => p.view.name === 'state-summary').isVisible")
    # Beta from 5 s on is the longest; alpha runs twice for 4 s.  The first row has the focus.
    equal([row[:4] for row in panel_rows(w, "")],
          [["beta", "5.00 s", "5.00 s", "10.0 s"], ["alpha", "4.00 s", "0 s", "4.00 s"],
           ["alpha", "4.00 s", "6.00 s", "10.0 s"]])
    w.wait("return document.activeElement.matches('tr') && document.activeElement.children[0].textContent === 'beta'")
    w.run("weft.setWindow(0, 2e9)")
    wait_instances(w, 1)
    w.run("weft.setWindow(0, 1e10 + 1)")
    wait_instances(w, 3)
    # A click picks, and so does an arrow for the next one.
    cell(w, "", 1, 0).click()
    w.wait("return weft.state.picked?.begin === 0 && weft.state.picked.end === 4e9")
    w.press(Keys.ARROW_DOWN)
    w.wait("return weft.state.picked?.begin === 6e9")
    w.wait("return document.querySelector('tr.picked')?.children[2].textContent === '6.00 s'")
    # A double click goes there.
    w.run("weft.setWindow(4.5e9, 5.5e9)")
    wait_instances(w, 1)
    w.chain().double_click(cell(w, "", 0, 0)).perform()
    w.wait("return weft.state.begin < 5e9 && weft.state.end >= 1e10")


@test
def a_histogram_follows_the_selection_and_narrows_it(w):
    show_table(w, "state-summary")
    values = [row[1] for row in panel_rows(w, "state-summary")]
    cell(w, "state-summary", values.index("running"), 1).click()
    wait_instances(w, 3)
    w.find("[data-view=histogram]").click()
    w.wait("return weft.panels().find((p) => p.view.name === 'histogram')?.picture.scene")
    running = 'type = "State" and value = "running"'
    equal(settings(w, "histogram")["where"], running)
    # 4 s twice and 5 s once: two bins of a decade of twenty.
    show_table(w, "histogram")
    counts = [row[2] for row in panel_rows(w, "histogram")]
    equal([count for count in counts if count != "0"], ["2", "1"])
    cell(w, "histogram", counts.index("2"), 2).click()
    wait_instances(w, 2)
    assert where(w).startswith(f"{running} and duration >="), where(w)
    equal(settings(w, "histogram")["where"], running)
    # The bars beside the instances do the same.
    w.run("weft.setTerms(['running'])")
    wait_instances(w, 3)
    w.wait("return document.querySelectorAll('.histogram .bars i').length > 1")
    bar = w.run("return [...document.querySelectorAll('.histogram .bars i')].find((b) => b.title.endsWith(': 2'))")
    w.chain().click(bar).perform()
    wait_instances(w, 2)


@test
def a_histogram_has_a_scale_and_compares_what_is_held(w):
    w.run("weft.setTerms(['running']); [...document.querySelectorAll('#drawer [role=tab]')].find((t) => t.textContent === 'Instances').click()")
    wait_instances(w, 3)
    heights = "return [...document.querySelectorAll('.histogram .bars:not(.held) i')].map((b) => Number(b.title.split(': ').pop()))"
    w.wait("return document.querySelectorAll('.histogram .bars i').length > 1")
    scales = [w.run(heights)]
    w.run("""const s = document.querySelector('.histogram [aria-label="Scale of the bins"]');
      s.value = 'linear'; s.dispatchEvent(new Event('change'))""")
    w.wait(f"return JSON.stringify((() => {{ {heights} }})()) !== '{json.dumps(scales[0], separators=(',', ':'))}'")
    equal(sum(w.run(heights)), 3)
    # Held: of A three, 4 + 4 + 5 s; then of B, the waits, two.
    w.find("#drawer .crumbs .hold").click()
    w.run("weft.setTerms(['waiting'])")
    w.wait("return [...document.querySelectorAll('.histogram .quiet')].map((q) => q.textContent.split(',')[0]).join() === 'A: 3,B: 2'")
    assert w.run("return document.querySelectorAll('.histogram .bars.held i').length > 1")
    has(w.text(".histogram .quiet"), "13.0 s")
    w.run("""const s = document.querySelector('.histogram [aria-label="Scale of the bins"]');
      s.value = 'log'; s.dispatchEvent(new Event('change'))""")
    w.run("[...document.querySelectorAll('.crumb')].find((c) => c.textContent.startsWith('A:')).lastChild.click()")


@test
def bars_of_a_picture_lead_to_what_they_count(w):
    at = w.mark("state-summary", "waiting")
    w.click("state-summary", at["x"], at["y"])
    wait_instances(w, 2)
    equal(where(w), 'type = "State" and value = "waiting"')
    # Within what the panel shows: of two containers the one, and then of its states some.
    w.run("const p = weft.panels().find((p) => p.view.name === 'state-summary'); p.set('containers', 'alpha'); p.set('where', 'begin > 5s')")
    w.wait("return weft.panels().find((p) => p.view.name === 'state-summary').picture.scene?.layers.every((l) => l.marks.every((m) => !m[m.length - 1].title?.startsWith('waiting')))")
    w.wait_frames()
    at = w.mark("state-summary", "running")
    w.click("state-summary", at["x"], at["y"])
    wait_instances(w, 1)
    equal(panel_rows(w, "")[0][0], "alpha")


@test
def keys_alone_lead_from_a_row_to_a_thing(w):
    show_table(w, "state-summary")
    w.run("""weft.panels().find((p) => p.view.name === 'state-summary')
      .tableHost.querySelector('tr[tabindex="0"]').focus()""")
    values = [row[1] for row in panel_rows(w, "state-summary")]
    w.press(*[Keys.ARROW_DOWN] * values.index("waiting"), Keys.ENTER)
    wait_instances(w, 2)
    w.wait("return document.activeElement.dataset.id")
    w.press(Keys.ARROW_DOWN)  # alpha's, from 4 to 6 s
    w.wait("return weft.state.picked?.begin === 4e9 && weft.state.picked.end === 6e9")
    w.run("weft.setWindow(4.5e9, 5e9)")
    w.wait("return document.activeElement.dataset.id === weft.state.picked.id", what="the focus stays")
    w.press(Keys.ENTER)
    w.wait("return weft.state.begin <= 4e9 && weft.state.end >= 6e9")


@test
def a_selection_is_held_and_compared(w):
    """alpha runs 0 to 4 and 6 to 10, beta waits to 5 and then runs; typed, without padding."""
    def narrow(text):
        w.find(".narrow").send_keys(text, Keys.ENTER)

    def rows():
        return {row[0]: row[1:] for row in panel_rows(w, "")}

    narrow("row = alpha or row = beta")
    narrow("0s+4s")
    w.wait("return weft.state.selection?.begin === 0 && weft.state.selection.end === 4e9")
    w.wait("return document.querySelectorAll('#drawer tbody tr').length === 2")
    assert rows()["running"][0].startswith("4.00 s"), rows()
    w.find(".hold").click()
    narrow("6s:10s")
    w.wait("return [...document.querySelectorAll('#drawer th')].some((h) => h.textContent.trim() === 'B − A')")
    w.wait("return document.querySelectorAll('#drawer tbody tr').length === 2")
    equal(rows()["running"][:3], ["4.00 s", "8.00 s", "4.00 s"])
    equal(rows()["waiting"][:3], ["4.00 s", "0 s", "-4.00 s"])
    # The address holds it, and Ctrl+Z undoes one step after the other.
    w.wait("return decodeURIComponent(location.hash).includes('held')")
    w.run("document.activeElement.blur()")
    w.chain().key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    w.wait("return weft.state.selection?.end === 4e9", what="the area before")
    w.run("weft.setTerms([]); [...document.querySelectorAll('.crumb')].find((c) => c.textContent.startsWith('A:')).lastChild.click()")
    w.wait("return !weft.state.held")


@test
def a_length_is_of_the_picked_thing(w):
    """beta waits from 0 to 5: +2s is its first two seconds, on its row alone; the next keys are commands."""
    at = w.mark("space-time", "waiting")
    w.click("space-time", at["x"], at["y"])
    w.wait("return weft.state.picked?.name === 'waiting'")
    row = w.run("return weft.state.picked.row")
    w.press("n")
    w.press("+2s", Keys.ENTER)
    w.wait("return weft.state.selection?.rows.length === 1")
    begin = w.run("return weft.state.picked.begin")
    equal(w.run("return [weft.state.selection.begin, weft.state.selection.end, weft.state.selection.rows[0]]"),
          [begin, begin + 2 * 10**9, row])
    w.wait("return document.activeElement.matches('#drawer tbody tr')", what="the table has the focus")
    w.press(Keys.ESCAPE)


@test
def the_longest_of_what_no_wait_is(w):
    """L goes to the longest of a selection without waits: alpha's compute lasts 2 s."""
    w.press("n")
    w.press("compute", Keys.ENTER)
    w.wait("return document.activeElement.matches('#drawer tbody tr')")
    w.press("l")
    w.wait("return weft.state.picked?.name === 'compute'")
    w.press(Keys.ESCAPE)


@test
def a_wrong_selection_says_where(w):
    w.find("[data-view=instances]").click()
    w.wait("return weft.panels().find((p) => p.view.name === 'instances')?.picture.scene")
    shown = "weft.panels().find((p) => p.view.name === 'instances')"
    field = w.run(f"return {shown}.node.querySelector('[data-parameter=where]')")
    field.send_keys("value = runing", Keys.ENTER)
    w.wait(f"return {shown}.picture.failed?.includes(\"character 9, 'runing'\")")
    field = w.run(f"return {shown}.node.querySelector('[data-parameter=where]')")
    field.send_keys(Keys.CONTROL + "a" + Keys.NULL, "value = running and duration > 4s", Keys.ENTER)
    w.wait(f"return {shown}.subtitle.textContent.startsWith('1 selected')")
    w.wait_frames()
    at = w.mark("instances", "running")
    w.click("instances", at["x"], at["y"])
    wait_details(w, "running")
    equal(w.run("return weft.state.picked.begin"), 5 * SECOND)


# ---- Panels and layouts ----


sys.exit(main())
