#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The moment that panels share, and the bar that plays it.  TAP on standard output; a screenshot
of each test is kept in SCREENSHOTS.  WEFT and BUILD name the binary and the build folder.

What is expected follows from SMALL in traces.py: ten seconds, three threads."""
import json
import os
import subprocess
import sys
import time
import urllib.parse

import traces
from checks import equal, has, near, run_tests, until
from setting import FOLDER, SCREENSHOTS, SIZE, SOURCE, TESTS, WEFT, keep_screenshot, test
from workbench import Workbench, start_browser
from selenium.webdriver.common.keys import Keys

SECOND = 1_000_000_000
ROWS, TREE = "space-time", "reduction-tree"
START, BACK, STEP_BACK, PLAY, STEP, END = range(6)


def moment(w):
    return w.run("return weft.state.time")


def set_moment(w, seconds):
    w.run("weft.setTime(arguments[0])", seconds * SECOND)


def press_button(w, which):
    w.run("document.querySelectorAll('#transport .icon')[arguments[0]].click()", which)


def choose(w, name, value):
    w.run("const s = document.querySelector(`#transport select[aria-label=${arguments[0]}]`); s.value = arguments[1]; s.onchange();", name, value)


def is_open(w):
    return w.run("return !document.getElementById('transport').hidden")


def line(w, view=ROWS):
    """Where the line is drawn over a panel, and the text at its top.  It is drawn with the next
    painting, so that what was just set may not be there yet."""
    w.wait("return weft.panels().every((p) => !p.picture.painting)", what="all lines")
    return w.run("""
      const panel = weft.panels().find((p) => p.view.name === arguments[0]), line = panel.overlay.querySelector('.moment');
      return line && { x: parseFloat(line.style.left), text: line.textContent };""", view)


def address(w, **wanted):
    return "#" + urllib.parse.quote(json.dumps({"trace": 0, "theme": "light", **wanted}))


def layout_of(*views, mode="picture"):
    return {"weft_layout": 1, "main": {"type": "split-area", "orientation": "horizontal", "sizes": [1] * len(views), "children": [
        {"type": "tab-area", "currentIndex": 0, "panels": [{"view": view, "settings": {}, "mode": mode}]} for view in views]}}


def x_of(w, seconds):
    plot, (begin, end) = w.plot(ROWS), w.window()
    return plot["x"] + plot["width"] * (seconds * SECOND - begin) / (end - begin)


# ---- Setting a moment ----

@test
def the_bar_is_folded_until_there_is_a_moment(w):
    assert not is_open(w)
    button = w.find("#transport-open")
    equal(button.get_attribute("aria-expanded"), "false")
    button.click()
    assert is_open(w)
    equal(button.get_attribute("aria-expanded"), "true")
    equal(moment(w), None)
    button.click()
    assert not is_open(w)
    w.open()
    w.wait_frames()
    set_moment(w, 3)
    assert is_open(w)
    # What shows moments has it open from the first.
    with Workbench(WEFT, [TREES], browser=w.browser) as v:
        v.wait_frames()
        assert is_open(v)
        equal(moment(v), None)
    w.open()
    w.wait_frames()


@test
def a_click_in_the_axis_sets_it_and_dragging_moves_it(w):
    w.click(ROWS, x_of(w, 4.5), 9)
    near(moment(w), 4.5 * SECOND, 0.02 * SECOND)
    near(line(w)["x"], x_of(w, moment(w) / SECOND), 1)
    has(line(w)["text"], " s")
    w.drag(ROWS, x_of(w, 4.5), 9, x_of(w, 7), 9)
    near(moment(w), 7 * SECOND, 0.02 * SECOND)
    equal(w.run("return weft.state.selection"), None)
    # No label of the axis stands below that of the moment.
    set_moment(w, 4)
    w.wait_frames()
    w.wait("return !weft.panels()[0].picture.painting")
    taken = w.run("return weft.panels()[0].picture.momentLabel()")
    near((taken["left"] + taken["right"]) / 2, x_of(w, 4), 1)
    # In the overview with Shift.
    box = w.run("const b = document.getElementById('overview').getBoundingClientRect(); return [b.left, b.top, b.width]")
    chain = w.chain().key_down(Keys.SHIFT)
    chain.w3c_actions.pointer_action.move_to_location(int(box[0] + 8 + (box[2] - 16) * 0.25), int(box[1] + 40))
    chain.click().key_up(Keys.SHIFT).perform()
    near(moment(w), 2.5 * SECOND, 0.02 * SECOND)
    equal(w.window(), [0, 10 * SECOND + 1])


@test
def shift_and_click_set_it_at_an_edge_and_pick_nothing(w):
    y = w.mark(ROWS, "waiting")["y"]
    w.move_to(ROWS, x_of(w, 6) - 3, y).key_down(Keys.SHIFT).click().key_up(Keys.SHIFT).perform()
    near(moment(w), 6 * SECOND, 2)
    equal(w.run("return weft.state.picked"), None)
    w.move_to(ROWS, x_of(w, 5.5), y).key_down(Keys.SHIFT).click().key_up(Keys.SHIFT).perform()
    near(moment(w), 5.5 * SECOND, 0.02 * SECOND)


@test
def it_is_typed(w):
    w.find("#transport-open").click()
    field = w.find("#transport input[type=text]")

    def typed(text):
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.NULL, text or Keys.DELETE, Keys.ENTER)

    for text, seconds in (("4.5s", 4.5), ("50%", 5), ("2500ms", 2.5), ("3000000us", 3), ("1000000000ns", 1), ("7", 7)):
        typed(text)
        near(moment(w), seconds * SECOND, 1)
    typed("soon")
    near(moment(w), 7 * SECOND, 1)
    has(w.text("#status"), "'soon' is no time")
    typed("99")
    near(moment(w), 10 * SECOND, 1)
    typed("")
    equal(moment(w), None)
    equal(field.get_attribute("value"), "")


@test
def the_address_holds_it_and_back_undoes_it(w):
    def held():
        return json.loads(urllib.parse.unquote(w.browser.current_url.partition("#")[2]) or "{}").get("time")

    until(lambda: "#" in w.browser.current_url)
    equal(held(), None)
    w.click(ROWS, x_of(w, 2), 9)
    until(held)
    first = moment(w)
    w.click(ROWS, x_of(w, 8), 9)
    until(lambda: held() > 7 * SECOND)
    w.browser.back()
    w.wait(f"return Math.abs(weft.state.time - {first}) < 2", what="the first moment")
    w.browser.back()
    w.wait("return weft.state.time === null", what="no moment")
    w.open(address(w, layout=layout_of(ROWS), begin=2 * SECOND, end=6 * SECOND, time=3 * SECOND))
    w.wait_frames()
    equal(moment(w), 3 * SECOND)
    near(line(w)["x"], x_of(w, 3), 1)


# ---- Playing ----

@test
def space_plays_and_pauses_and_the_window_pages(w):
    w.run("weft.setWindow(2e9, 3e9)")
    set_moment(w, 2.9)
    choose(w, "speed", "10")
    w.run("document.activeElement.blur()")
    w.press(" ")
    w.wait("return weft.state.time > 4.2e9", what="it to play")
    w.press(" ")
    equal(w.run("return weft.state.playing"), 0)
    stopped = moment(w)
    begin, end = w.window()
    near(end - begin, SECOND, 2)
    assert begin <= stopped <= end, (begin, stopped, end)
    assert begin > 2.9 * SECOND, begin
    time.sleep(0.2)
    equal(moment(w), stopped)
    w.chain().key_down(Keys.SHIFT).send_keys(" ").key_up(Keys.SHIFT).perform()
    w.wait(f"return weft.state.time < {stopped} - 1.5e9", what="it to play backwards")
    w.press(Keys.ESCAPE)  # pauses first, then forgets
    equal(w.run("return weft.state.playing"), 0)
    begin, end = w.window()
    assert moment(w) is not None and begin <= moment(w) <= end
    w.press(Keys.ESCAPE)
    equal(moment(w), None)


@test
def smoothly_it_stays_in_the_middle_and_calm_systems_page(w):
    w.run("weft.setWindow(2e9, 3e9)")
    set_moment(w, 2.9)
    choose(w, "follow", "smooth")
    press_button(w, PLAY)
    w.wait("return weft.state.time > 3.2e9")
    press_button(w, PLAY)
    near(moment(w), sum(w.window()) / 2, 3)
    w.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    try:
        w.run("weft.setWindow(4e9, 6e9)")
        set_moment(w, 4.2)
        press_button(w, PLAY)
        w.wait("return weft.state.time > 4.6e9")
        press_button(w, PLAY)
        equal(w.window(), [4 * SECOND, 6 * SECOND])
    finally:
        w.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    choose(w, "follow", "off")
    w.run("weft.setWindow(2e9, 3e9)")
    set_moment(w, 2.9)
    press_button(w, PLAY)
    w.wait("return weft.state.time > 3.1e9")
    press_button(w, PLAY)
    equal(w.window(), [2 * SECOND, 3 * SECOND])


@test
def it_ends_at_the_end_starts_again_and_loops(w):
    set_moment(w, 9.9)
    press_button(w, PLAY)
    w.wait("return !weft.state.playing && weft.state.time === weft.state.span - 1", what="the end")
    press_button(w, PLAY)  # from the beginning
    w.wait("return weft.state.playing && weft.state.time < 5e9")
    press_button(w, PLAY)
    press_button(w, END)
    equal(moment(w), 10 * SECOND)
    press_button(w, START)
    equal(moment(w), 0)
    # Again and again within the selection.
    y = w.mark(ROWS, "waiting")["y"]
    w.drag(ROWS, x_of(w, 3) + 20, y, x_of(w, 5) - 20, y)
    w.wait("return weft.state.selection && !weft.state.selection.live")
    selection = w.run("return [weft.state.selection.begin, weft.state.selection.end]")
    w.find("#transport input[type=checkbox]").click()
    choose(w, "speed", "10")
    w.run("window.moments = []; weft.on('time', () => window.moments.push(weft.state.time))")
    press_button(w, START)
    near(moment(w), selection[0], 1)
    press_button(w, PLAY)
    w.wait("return window.moments.filter((t, i) => i && t < window.moments[i - 1]).length >= 2", what="two rounds")
    press_button(w, PLAY)
    seen = w.run("return window.moments")
    assert all(selection[0] - 1 <= t <= selection[1] + 1 for t in seen), (selection, min(seen), max(seen))


@test
def a_selection_is_its_start_and_stop_and_a_later_stop_resumes(w):
    y = w.mark(ROWS, "waiting")["y"]
    w.drag(ROWS, x_of(w, 3) + 20, y, x_of(w, 5) - 20, y)
    w.wait("return weft.state.selection && !weft.state.selection.live")
    begin, end = w.run("return [weft.state.selection.begin, weft.state.selection.end]")
    choose(w, "speed", "10")
    press_button(w, PLAY)
    w.wait("return !weft.state.playing && weft.state.time > 4e9", what="the stop")
    near(moment(w), end, 1)
    # The edge is dragged on: it plays on from where it is.
    w.run("window.moments = []; weft.on('time', () => window.moments.push(weft.state.time))")
    w.drag(ROWS, x_of(w, end / SECOND), y, x_of(w, 8), y)
    w.wait("return weft.state.selection.end > 7.5e9 && !weft.state.selection.live")
    press_button(w, PLAY)
    w.wait("return !weft.state.playing && weft.state.time > 7e9", what="the later stop")
    near(moment(w), w.run("return weft.state.selection.end"), 1)
    assert min(w.run("return window.moments")) >= end
    # At the stop, it starts again.
    press_button(w, PLAY)
    w.wait("return !weft.state.playing && Math.min(...window.moments) < 4e9")
    near(min(w.run("return window.moments")), begin, 1)
    # Set beside the selection, it plays the run.
    set_moment(w, 9.5)
    press_button(w, PLAY)
    w.wait("return !weft.state.playing && weft.state.time === weft.state.span - 1")


@test
def steps_go_along_the_row_of_what_is_picked(w):
    set_moment(w, 1)
    press_button(w, STEP)  # nothing is picked: the next event, of any row
    w.wait("return Math.abs(weft.state.time - 2e9) < 2", what="compute to begin")
    w.run("document.activeElement.blur()")
    w.press(",")
    w.wait("return Math.abs(weft.state.time) < 2", what="the begin")
    set_moment(w, 1)
    mark = w.mark(ROWS, "waiting")  # of alpha, 4 to 6
    w.click(ROWS, mark["x"], mark["y"])
    w.wait("return weft.state.picked?.begin === 4e9")
    for key, seconds in ((".", 4), (".", 6), (",", 4), (",", 0)):
        w.press(key)
        w.wait(f"return Math.abs(weft.state.time - {seconds}e9) < 2", what=f"{key} to go to {seconds} s")
        equal(w.run("return weft.state.picked.begin"), seconds * SECOND)
    w.press(",")
    w.wait("return document.querySelector('#drawer').textContent.includes('nothing more begins')")
    near(moment(w), 0, 2)
    # From wherever the moment is, not from what was picked.
    set_moment(w, 5)
    w.press(".")
    w.wait("return Math.abs(weft.state.time - 6e9) < 2")


# ---- Steps by events, slow motion, stops ----

def more(w):
    w.find("#transport-open").click()
    w.find("#transport button[aria-controls=transport-more]").click()
    assert w.run("return !document.getElementById('transport-more').hidden")


@test
def steps_go_by_events_of_the_trace(w):
    more(w)
    set_moment(w, 0)
    press = "return Math.abs(weft.state.time - arguments[0] * 1e9) < 2"
    w.run("document.activeElement.blur()")
    # Compute begins at 2, ping is at 3; alpha waits, beta runs and compute ends at 4 and 5, alpha runs at 6.
    for key, seconds in ((".", 2), (".", 3), (".", 4), (".", 5), (".", 6), (",", 5)):
        w.press(key)
        w.wait(press.replace("arguments[0]", str(seconds)), what=f"{key} to go to {seconds} s")
    field = w.find("#transport-more input[type=number]")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.NULL, "2", Keys.ENTER)
    w.run("document.activeElement.blur()")
    set_moment(w, 1)
    w.press(".")
    w.wait(press.replace("arguments[0]", "3"), what="two events")
    w.press(",")
    # Before 3: compute at 2, and what begins at 0.
    w.wait(press.replace("arguments[0]", "0"), what="two events back")
    # Presses that come quickly are steps, all of them.
    w.run("for (let i = 0; i < 3; i++) document.querySelectorAll('#transport .icon')[arguments[0]].click()", STEP)
    # Ping at 3, three events at 4, two at 5.
    w.wait("return weft.state.time === 5e9", what="six events")
    set_moment(w, 9)
    w.run("document.activeElement.blur()")
    w.press(".")
    w.wait("return document.querySelector('#status').textContent.includes('Nothing happens after')")


@test
def slow_motion_is_a_part_of_real_time(w):
    more(w)
    said = lambda: w.text("#transport-more output")
    equal(said(), "1 × real time")  # ten seconds are the window, which is played in ten
    choose(w, "speed", "0.1")
    equal(said(), "1/10 of real time")
    w.run("const s = document.querySelector('#transport-more input[type=range]'); s.value = -2; s.oninput();")
    equal(said(), "1/100 of real time")
    set_moment(w, 1)
    w.run("window.began = performance.now()")
    press_button(w, PLAY)
    w.wait("return weft.state.time > 1.002e9")
    passed, at = w.run("return [performance.now() - window.began, weft.state.time]")
    press_button(w, PLAY)
    # Not quicker than a hundredth of what has passed.
    assert at <= SECOND + passed * 1e6 / 100 + 2, (passed, at)
    choose(w, "speed", "1")
    equal(said(), "1 × real time")


@test
def playing_stops_at_marks_and_faulty_messages(w):
    with Workbench(WEFT, [MESSAGES], browser=w.browser) as v:
        v.wait_frames()
        more(v)
        choose(v, "speed", "10")
        boxes = {name: f"[...document.querySelectorAll('#transport-more label')].find((l) => l.textContent === '{name}').firstChild" for name in ("marks", "messages", "errors")}
        ticks = "Math.round(weft.state.time / weft.state.ticksPerSecond * 1e6)"

        def plays_to(button, microseconds):
            press_button(v, button)
            v.wait(f"return !weft.state.playing && {ticks} === {microseconds}", what=f"a stop at {microseconds} us")

        v.run("weft.setTime(0)")
        v.run(boxes["marks"] + ".click()")
        plays_to(PLAY, 40)  # the mark
        plays_to(PLAY, 100)  # the end
        plays_to(BACK, 40)
        v.run(boxes["marks"] + ".click()")
        v.run(boxes["messages"] + ".click(); weft.setTime(0)")
        plays_to(PLAY, 50)  # the text
        v.run(boxes["errors"] + ".click(); weft.setTime(0)")
        plays_to(PLAY, 20)  # nobody receives what is sent then
        plays_to(PLAY, 50)
        plays_to(PLAY, 100)
    w.open()
    w.wait_frames()


@test
def the_wheel_and_steps_go_along_a_list_of_events(w):
    with Workbench(WEFT, [MESSAGES], browser=w.browser) as v:
        v.open(address(v, layout=layout_of("trace")))
        v.wait_frames()
        now = "return weft.state.time === null ? null : Math.round(weft.state.time / weft.state.ticksPerSecond * 1e6)"
        v.run("weft.setTime(0)")
        v.run("document.activeElement.blur()")
        # A call, its end, a mark, a text, the end: a turn of the wheel is one of them.
        for microseconds in (20, 25, 40):
            v.wait_frames()
            v.wheel(v.canvas("trace"), 40)
            v.wait(f"{now} === {microseconds}", what=f"the wheel at {microseconds} us")
        v.wait_frames()
        v.wheel(v.canvas("trace"), -80)
        v.wait(f"{now} === 20", what="two back")
        v.wheel(v.canvas("trace"), 4000)
        v.wait(f"{now} === 100", what="the end")
        v.wheel(v.canvas("trace"), -4000)
        v.wait(f"{now} === 0", what="the begin")
        # Keys go by the events that the list has: only those of calls.
        v.run("weft.panels()[0].set('kind', 'calls')")
        v.wait_frames()
        for key, microseconds in ((".", 20), (".", 25), (",", 20)):
            v.press(key)
            v.wait(f"{now} === {microseconds}", what=f"{key} to {microseconds} us")
            v.wait_frames()
        # Also where one of them is picked, such as a message, on whose row nothing more begins.
        row = v.mark("trace", "0.0000")
        v.click("trace", row["x"], row["y"])
        v.wait("return weft.state.picked")
        v.press(".")
        v.wait(f"{now} === 25", what="a step with a pick")
    w.open()
    w.wait_frames()


# ---- Panels ----

@test
def a_table_is_of_the_moment(w):
    w.open(address(w, layout=layout_of(ROWS, mode="table")))
    rows = "return [...document.querySelectorAll('.table-host tbody tr')].map((r) => r.children[0].textContent + ' ' + r.children[2].textContent)"
    w.wait("return document.querySelectorAll('.table-host tbody tr').length > 5")
    set_moment(w, 3)
    w.wait("return document.querySelector('.table-host')?.textContent.startsWith('At ')")
    equal(w.run(rows), ["alpha running", "beta waiting", "gamma io", "gamma compute"])
    set_moment(w, 7)
    w.wait("return document.querySelectorAll('.table-host tbody tr').length === 3")
    equal(w.run(rows), ["alpha running", "beta running", "gamma io"])
    w.press(Keys.ESCAPE)
    w.wait("return document.querySelectorAll('.table-host tbody tr').length > 5")


@test
def what_is_saved_has_it_but_summaries_have_none(w):
    set_moment(w, 3)
    queries = w.run("return Object.fromEntries(weft.panels().map((p) => [p.view.name, p.query()]))")
    equal(float(queries[ROWS]["at"]), 3)
    assert "at" not in queries["state-summary"], queries
    # A line moves without a frame; that of the bar, which made the panels lower, comes before.
    count = "return weft.panels().map((p) => p.picture.frames)"
    frames, before = w.run(count), None
    while frames != before:
        time.sleep(0.5)
        w.wait_frames()
        frames, before = w.run(count), frames
    for seconds in (4, 5, 6):
        set_moment(w, seconds)
        w.wait_frames()
    equal(w.run(count), frames)


@test
def a_slow_panel_skips_moments_and_never_queues(w):
    with Workbench(WEFT, [TREES], browser=w.browser, delay=150) as v:
        v.wait_frames()
        v.run("""
          window.most = window.now = window.asked = 0; window.moments = 0;
          weft.on('time', () => window.moments++);
          const fetched = window.fetch;
          window.fetch = async (...all) => {
            if (!String(all[0]).includes('reduction-tree')) return fetched(...all);
            window.asked++;
            window.most = Math.max(window.most, ++window.now);
            try { const answer = await fetched(...all); await new Promise((done) => setTimeout(done, 150)); return answer; } finally { window.now--; }
          };""")
        press_button(v, PLAY)
        v.wait("return window.asked >= 4 && window.moments > 3 * window.asked", what="some frames")
        press_button(v, PLAY)
        v.wait_frames()
        equal(v.run("return window.most"), 1)
        # The last one is that of the moment where it stopped.
        equal(v.run("return Number(weft.panels().find((p) => p.view.name === 'reduction-tree').picture.scene.asked.at).toFixed(9)"),
              v.run("return (Math.round(weft.state.time) / weft.state.ticksPerSecond).toFixed(9)"))
        v.screenshot(os.path.join(SCREENSHOTS, "a_slow_panel_skips_moments_and_never_queues.png"))
    w.open()
    w.wait_frames()


@test
def a_tree_follows_while_the_window_moves(w):
    with Workbench(WEFT, [TREES], browser=w.browser) as v:
        v.wait_frames()
        v.run("weft.setWindow(0, weft.state.span / 4)")
        v.wait_frames()
        choose(v, "follow", "smooth")
        choose(v, "speed", "2")
        v.run("window.trees = 0; weft.on('frame', (p) => { window.trees += p.view.name === 'reduction-tree'; })")
        press_button(v, PLAY)
        v.wait("return window.trees > 5 && weft.state.begin > 0", what="frames of the tree")
        press_button(v, PLAY)
        v.wait_frames()
    w.open()
    w.wait_frames()


@test
def every_part_of_the_bar_can_be_seen_and_has_a_name(w):
    try:
        for size in ((800, 600), (1024, 700), (1440, 900)):
            w.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
            set_moment(w, 3)
            w.wait_frames()
            parts = w.run("""
              const bar = document.getElementById('transport').getBoundingClientRect();
              return [...document.querySelectorAll('#transport button, #transport input, #transport select')].map((n) => {
                const b = n.getBoundingClientRect();
                return { name: n.getAttribute('aria-label') || n.closest('label')?.textContent, width: b.width,
                         inside: b.left >= bar.left && b.right <= bar.right && b.top >= bar.top && b.bottom <= bar.bottom };
              });""")
            assert len(parts) == 13, parts
            for part in parts:
                assert part["inside"] and part["name"] and part["width"] >= 12, (size, part)
            assert w.run("return document.getElementById('transport').offsetHeight") <= 32
            has(w.text("#transport .forget"), "✕")
    finally:
        w.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False})


def main():
    global TREES, MESSAGES
    small = traces.write(FOLDER, "small.paje", traces.SMALL)
    TREES = os.path.join(FOLDER, "queens.weft")
    subprocess.run([WEFT, "fghc", os.path.join(SOURCE, "examples", "fghc", "queens.fghc"), "go(6,C)", "--pes", "2", "-o", TREES],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    MESSAGES = traces.write(FOLDER, "messages.trf", """-3 -901 0.000000 0 0 0
-3 -901 0.000000 1 0 0
-3 -21 0.000020 0 0 3 2 8 1 1
-4 -21 0.000025 0 0 0
-2 1 0.000040 0 0 0
-7 1 0.000050 0 0 5 0 hello
-4 -901 0.000100 0 0 0
-4 -901 0.000100 1 0 0
""")
    browser = start_browser(SIZE)
    w = Workbench(WEFT, [small], browser=browser)

    def run(one):
        try:
            w.open()
            w.wait_frames()
            w.complaints()
            one(w)
            # Nothing more begins on a row: that is an answer.
            equal([c for c in w.complaints() if "favicon" not in c and "status of 404" not in c], [])
        finally:
            keep_screenshot(w, one)

    failed = run_tests(TESTS, sys.argv[1:], run)
    w.close()
    browser.quit()
    return 1 if failed else 0


TREES = MESSAGES = ""
sys.exit(main())
