#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench and its server: tabs beside each other, a server that ends and comes back, a
trace that changes, tables and sets that are large.  TAP on standard output."""
import json
import os
import shutil
import subprocess
import sys
import urllib.parse

import traces
from checks import equal, has, near, run_tests, until
from setting import FOLDER, TESTS, WEFT, keep_screenshot, test
from workbench import Server, Workbench, start_browser
from selenium.webdriver.common.keys import Keys

os.makedirs(os.path.join(FOLDER, "runs"))
MANY = 6000     # states, more than a table's page has
LONGEST = 4321  # the number of the one that is longest


def write_many(name):
    """States of a thread that wait one to nine microseconds, and one that waits a second."""
    lines, now = [traces.HEAD, "5 0 p P 0 proc\n5 0 a T p alpha\n"], 0
    for i in range(MANY - 1):
        lines.append(f"6 {now / 1e6:.6f} S a v{i}\n")
        now += 1_000_000 if i == LONGEST else 1 + i * 7 % 9
    return traces.write(os.path.join(FOLDER, "runs"), name, "".join(lines + [f"6 {now / 1e6:.6f} S a v{MANY - 1}\n"]))


def rows(w):
    return w.run("return [...document.querySelectorAll('.table-host tbody tr')].map((r) => [...r.children].map((c) => c.textContent))")


def sort_by(w, name, order):
    w.find(f".table-host th[data-name={name}] button").click()
    w.wait(f"return document.querySelector('.table-host th[data-name={name}]').getAttribute('aria-sort') === '{order}'")


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


@test
def the_longest_wait_of_a_long_table_is_the_first_row(browser):
    with Workbench(WEFT, [write_many("many.paje")], browser=browser) as w:
        w.wait_frames()
        w.run("weft.panels().find((p) => p.view.name === 'space-time').setMode('table')")
        w.wait("return document.querySelectorAll('.table-host tbody tr').length === 1000")
        has(w.text(".table-host .pages"), f"Rows 1 to 1\u202f000 of 6\u202f000")
        sort_by(w, "duration_ns", "descending")
        equal(rows(w)[0][2], f"v{LONGEST}")
        equal(rows(w)[0][5], "1.00 s")
        sort_by(w, "duration_ns", "ascending")
        assert f"v{LONGEST}" not in [row[2] for row in rows(w)]
        sort_by(w, "value", "ascending")
        equal([row[2] for row in rows(w)][:3], ["v0", "v1", "v2"])
        after = "[...document.querySelectorAll('.table-host .pages button')].find((b) => b.textContent.startsWith('after'))"
        for page in range(1, 6):
            w.run(after + ".click()")
            w.wait(f"return document.querySelector('.table-host tbody td:nth-child(3)').textContent === 'v{page * 1000}'")
        assert w.run(f"return {after}.disabled")
        has(w.text(".table-host .pages"), "Rows 5\u202f001 to 6\u202f000 of 6\u202f000")


@test
def marks_of_two_tabs_are_all_kept(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "marked.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        first = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(w.server.url)
        w.wait_frames()
        second = browser.current_window_handle
        for tab, note in ((first, "of the first"), (second, "of the second")):
            browser.switch_to.window(tab)
            w.press("m")
            w.wait("return document.querySelector('dialog.ask')")
            w.press(note, Keys.ENTER)
            w.wait(f"return weft.state.marks.some((m) => m.note === '{note}')")
        until(lambda: sorted(marks_of(path)) == ["of the first", "of the second"])
        w.wait("return weft.state.marks.length === 2")
        browser.close()
        browser.switch_to.window(first)


@test
def a_note_is_typed_while_the_marks_change(browser):
    path = os.path.join(folder_of("typed"), "typed.paje")
    traces.write(os.path.dirname(path), "typed.paje", traces.SMALL)
    mine, other = "5000\t0\tfirst\n900000\t0\tsecond", "6000\t0\tof another tab\n"

    def write(text):
        with open(path + ".marks", "w", encoding="utf-8") as file:
            file.write(text)

    write(mine + "\n")
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.wait("return weft.state.marks.length === 2")
        w.run("[...document.querySelectorAll('#drawer .tabs button')].find((b) => b.textContent === 'Marks').click()")
        w.run("document.querySelectorAll('#drawer table.marks input')[1].focus()")
        w.press(Keys.END, " typed")
        write(other + mine + "\n")
        w.run("window.dispatchEvent(new Event('focus'))")
        w.wait("return weft.state.marks.length === 3")
        w.press(" more", Keys.ENTER)
        until(lambda: marks_of(path) == ["of another tab", "first", "second typed more"])
        w.press(" and more", Keys.ENTER)
        until(lambda: marks_of(path) == ["of another tab", "first", "second typed more and more"])
        # When it is done, the list is that of now.
        w.run("document.activeElement.blur()")
        notes = "return [...document.querySelectorAll('#drawer table.marks input')].map((n) => n.value)"
        w.wait(notes + ".length === 3")
        equal(w.run(notes), ["first", "of another tab", "second typed more and more"])
        w.run("document.querySelectorAll('#drawer table.marks [aria-label=\"Remove this mark\"]')[1].click()")
        until(lambda: marks_of(path) == ["first", "second typed more and more"])
        w.wait(notes + ".length === 2")


@test
def a_mark_that_cannot_be_written_is_said_and_kept(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "locked.paje", traces.SMALL)
    os.mkdir(path + ".marks")  # nothing can take its place
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        for note in ("one", "two"):
            w.press("m")
            w.wait("return document.querySelector('dialog.ask')")
            w.press(note, Keys.ENTER)
            w.wait("return document.getElementById('status').textContent.includes('A mark is not saved')")
            w.wait(f"return weft.state.marks.some((m) => m.note === '{note}')")
            if note == "one":
                os.rmdir(path + ".marks")
                w.wait("return !document.querySelector('dialog.ask')")
                break
        w.press("m")
        w.wait("return document.querySelector('dialog.ask')")
        w.press("two", Keys.ENTER)
        until(lambda: os.path.isfile(path + ".marks"))
        with open(path + ".marks", encoding="utf-8") as file:
            text = file.read()
        has(text, "one")  # it is sent with the next
        has(text, "two")


@test
def of_marks_that_wait_only_the_refused_one_is_lost(browser):
    folder = folder_of("waiting", "waiting.paje")
    path = os.path.join(folder, "waiting.paje")
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.run("""
          window.fetched = window.fetch;
          window.fetch = (url, how) => (how?.method === 'POST' && String(url).includes('/marks')
            ? Promise.resolve(new Response('{"error":"not now"}', { status: 503 })) : window.fetched(url, how));""")
        for i, note in enumerate(("one", "long", "three")):
            add_mark(w, note)
            w.wait(f"return weft.state.marks.length === {i + 1}")
        # What the dialog would not take, as from a page that knows another limit.
        w.run("window.fetch = (url, how) => window.fetched(url, how?.body ? { ...how, body: how.body.replace('long', 'l'.repeat(5000)) } : how)")
        add_mark(w, "four")
        until(lambda: marks_of(path) == ["one", "three", "four"])
        w.wait("return weft.state.marks.length === 3")
        has(w.text("#status"), "A mark is not saved")


@test
def marks_that_cannot_be_read_are_said_and_those_before_stay(browser):
    folder = folder_of("unread", "unread.paje")
    path = os.path.join(folder, "unread.paje")
    with open(path + ".marks", "w", encoding="utf-8") as file:
        file.write("5000\t0\tgood\n")
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.wait("return weft.state.marks.length === 1")
        with open(path + ".marks", "a", encoding="utf-8") as file:
            file.write("x" * 70000 + "\n")
        w.run("window.dispatchEvent(new Event('focus'))")
        w.wait("return document.getElementById('status').textContent.includes('a line of more than 64 KiB')")
        equal(w.run("return weft.state.marks.length"), 1)


@test
def a_mark_that_cannot_be_removed_is_said(browser):
    folder = folder_of("stays", "stays.paje")
    path = os.path.join(folder, "stays.paje")
    with open(path + ".marks", "w", encoding="utf-8") as file:
        file.write("9007199254740993\t0\tby hand\n")  # of more digits than the page can say
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.wait("return weft.state.marks.length === 1")
        w.run("[...document.querySelectorAll('#drawer .tabs button')].find((b) => b.textContent === 'Marks').click()")
        w.find("#drawer [aria-label='Remove this mark']").click()
        w.wait("return document.getElementById('status').textContent.includes('A mark is not')")
        w.wait("return weft.state.marks.length === 1")
        equal(marks_of(path), ["by hand"])


@test
def marks_that_come_late_are_not_those_of_another_trace(browser):
    folder = folder_of("late", "a.paje", "b.paje")
    with open(os.path.join(folder, "a.paje.marks"), "w", encoding="utf-8") as file:
        file.write("5000\t0\tof a\n")
    with Workbench(WEFT, [folder], browser=browser) as w:
        open_trace(w, "a.paje")
        w.wait("return weft.state.marks.length === 1")
        w.run("""
          window.fetched = window.fetch;
          window.fetch = async (url, how) => {
            const answer = await window.fetched(url, how), late = String(url).endsWith("marks?trace=0");
            if (late) await new Promise((done) => { window.go = done; });
            if (late) setTimeout(() => { window.gone = true; }, 100);
            return answer;
          };
          window.dispatchEvent(new Event('focus'));""")
        w.press("o")
        open_trace(w, "b.paje")
        w.wait("return Boolean(window.go)")
        equal(w.run("return weft.state.marks.length"), 0)
        w.run("window.go()")
        w.wait("return window.gone")
        equal(w.run("return weft.state.marks.length"), 0)


@test
def a_note_that_is_too_long_is_said_before_it_is_sent(browser):
    folder = folder_of("notes", "notes.paje")
    path = os.path.join(folder, "notes.paje")
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.press("m")
        w.wait("return document.querySelector('dialog.ask')")
        # 4098 bytes in 2049 characters.
        w.run("const i = document.querySelector('dialog.ask input'); i.value = 'ä'.repeat(2049); i.dispatchEvent(new Event('input'))")
        w.press(Keys.ENTER)
        equal(w.run("return document.querySelector('dialog.ask input').validationMessage"), "A note has at most 4096 bytes.")
        w.press(Keys.BACKSPACE, Keys.ENTER)
        until(lambda: marks_of(path) == ["ä" * 2048])


@test
def a_server_that_comes_back_is_found_again(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        seen = w.pixels("space-time")
        w.server.close()
        w.wait("return document.body.classList.contains('lost')")
        has(w.text("#trouble"), "does not answer")
        equal(w.pixels("space-time"), seen)
        equal(w.run("return getComputedStyle(weft.panels()[0].picture.canvas).filter"), "grayscale(1)")
        url = w.server.url
        w.server = Server(WEFT, [path])
        equal(w.server.url, url)
        w.wait("return !document.body.classList.contains('lost') && !document.getElementById('trouble')")
        w.wait_frames()
        running = "#3f9f68"
        near(w.pixels("space-time")[running], seen[running], seen[running] * 0.02)


@test
def a_table_says_what_is_damaged(browser):
    trace = write_many("hurt.paje")
    store = trace + ".weft"
    subprocess.run([WEFT, "convert", trace, "-o", store], check=True)
    with open(store, "r+b") as file:  # in the first block, which begins behind the header page
        file.seek(4096 + 9)
        file.write(b"\xff")
    with Workbench(WEFT, [store], browser=browser) as w:
        w.wait_frames()
        w.run("weft.panels().find((p) => p.view.name === 'space-time').setMode('table')")
        w.wait("return document.querySelector('.table-host .damaged')")
        equal(w.text(".table-host .damaged"), "1 damaged part of the trace left out")
        # So does the table of a selection, and the page when a file is saved.
        w.run("weft.panels().find((p) => p.view.name === 'space-time').setMode('picture')")
        w.wait_frames()
        plot = w.plot("space-time")
        y = w.mark("space-time", "alpha")["y"]
        w.drag("space-time", plot["x"] + 10, y, plot["x"] + plot["width"] - 10, y)
        w.wait("return document.querySelector('#drawer .damaged')")
        equal(w.text("#drawer .damaged"), "1 damaged part of the trace left out")
        w.run("weft.panels().find((p) => p.view.name === 'space-time').saveAs('csv')")
        w.wait("return document.getElementById('status').textContent.includes('space-time.csv is not of the whole trace: 1 damaged part of the trace left out')")


@test
def a_server_with_another_secret_is_told_apart(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.server.close()
        w.wait("return document.body.classList.contains('lost')")
        old = w.server.token
        w.server = Server(WEFT, [path, "--new-token"])
        assert w.server.token != old
        w.wait("return document.getElementById('trouble').textContent.includes('another secret')")


@test
def a_trace_is_found_by_its_name_when_others_have_come(browser):
    folder = folder_of("growing", "b.paje", "c.paje")
    with Workbench(WEFT, [folder], browser=browser) as w:
        open_trace(w, "c.paje")
        w.find("[data-view=tree-compare]").click()
        choice = "document.querySelector('.panel select[data-parameter=with]')"
        w.run(f"const s = {choice}; s.value = '0 b.paje'; s.dispatchEvent(new Event('change'))")
        w.wait("return decodeURIComponent(location.hash).includes('0 b.paje')")
        address = browser.current_url
        w.server.close()
        w.wait("return document.body.classList.contains('lost')")
        add_mark(w, "on c")
        w.wait("return weft.state.marks.length === 1")
        traces.write(folder, "a.paje", traces.SMALL)
        w.server = Server(WEFT, [folder])
        until(lambda: marks_of(os.path.join(folder, "c.paje")) == ["on c"])
        w.wait("return weft.state.facts?.name === 'c.paje'")
        equal(w.text("#trace"), "c.paje")
        equal(w.run(f"return {choice}.selectedOptions[0].textContent"), "b.paje")
        equal(marks_of(os.path.join(folder, "b.paje")), [])
        # A kept address does the same.
        browser.get("about:blank")
        browser.get(address)
        w.wait("return weft.state.facts")
        equal(w.text("#trace"), "c.paje")
        equal(w.run(f"return {choice}.selectedOptions[0].textContent"), "b.paje")
        # Of one that has gone, no other takes the place.
        w.server.close()
        w.wait("return document.body.classList.contains('lost')")
        for name in ("b.paje", "c.paje"):
            os.remove(os.path.join(folder, name))
        w.server = Server(WEFT, [folder])
        w.wait("return document.getElementById('loading')?.textContent.includes('c.paje is not there any more')")
        equal(w.run("return weft.state.facts"), None)
        browser.get("about:blank")
        browser.get(address)
        w.wait("return document.getElementById('loading')?.textContent.includes('c.paje is not there any more')")
        w.find("#loading button").click()
        open_trace(w, "a.paje")
        w.run("location.hash = arguments[0]", address.partition("#")[2].replace("c.paje", "a.paje"))
        w.wait(f"return {choice}")
        equal(w.run(f"return {choice}.selectedOptions[0].textContent"), "b.paje (not there)")


@test
def a_server_that_was_away_for_a_blink_is_seen_to_have_other_traces(browser):
    folder = folder_of("blinking", "b.paje")
    with Workbench(WEFT, [folder], browser=browser) as w:
        w.wait_frames()
        w.server.close()
        traces.write(folder, "a.paje", traces.SMALL)
        w.server = Server(WEFT, [folder])
        add_mark(w, "on b")
        until(lambda: marks_of(os.path.join(folder, "b.paje")) == ["on b"])
        equal(marks_of(os.path.join(folder, "a.paje")), [])
        w.wait("return weft.state.trace === 1 && weft.state.facts?.name === 'b.paje'")


@test
def a_trace_that_changes_is_said_and_reloaded(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "changing.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        traces.write(os.path.join(FOLDER, "runs"), "changing.paje", traces.SMALL.replace("alpha", "omega"))
        w.wait("return document.getElementById('trouble')?.textContent.includes('changed while it was open')")
        assert w.text("#trouble").startswith("changing.paje changed"), w.text("#trouble")
        # The last pictures stay, greyed.
        equal(w.run("return getComputedStyle(weft.panels()[0].picture.canvas).filter"), "grayscale(1)")
        w.run("window.views = 0; window.fetched = window.fetch; window.fetch = async (url, how) => { const answer = await window.fetched(url, how); window.views += /view.space-time/.test(url) && answer.status === 410; return answer; }")
        w.run("weft.setWindow(1e9, 2e9)")
        w.wait("return window.views && !weft.panels().some((p) => p.picture.busy || p.picture.painting)")
        equal(w.run("return weft.panels().map((p) => p.picture.failed).filter(Boolean)"), [])
        assert len(w.pixels("space-time")) > 10
        w.find("#trouble button").click()
        w.wait_frames()
        w.wait("return !document.getElementById('trouble')")
        w.wait("return weft.panels().find((p) => p.view.name === 'space-time').picture.scene.layers.some((l) => l.marks.some((m) => m.includes('omega')))")


@test
def a_trace_that_became_shorter_is_shown_whole(browser):
    folder = folder_of("shorter", "shorter.paje")
    with Workbench(WEFT, [os.path.join(folder, "shorter.paje")], browser=browser) as w:
        w.wait_frames()
        w.run("weft.setWindow(8e9, 9e9)")
        w.wait_frames()
        traces.write(folder, "shorter.paje", traces.HEAD + "5 0 p P 0 proc\n5 0 a T p alpha\n6 0 S a running\n6 2 S a waiting\n6 4 S a running\n")
        w.wait("return document.querySelector('#trouble button')")
        w.find("#trouble button").click()
        w.wait("return weft.state.facts && weft.state.span < 5e9")
        w.wait_frames()
        equal(w.window(), [0, w.run("return weft.state.span")])
        equal(w.run("return weft.panels().map((p) => p.picture.failed).filter(Boolean)"), [])


def answer_views(w, status, error):
    """What is asked of views is answered so, until let_through."""
    w.run("""
      window.fetched ??= window.fetch;
      const [status, error] = arguments;
      window.views = 0;
      window.fetch = async (url, how) => (/\\/view\\//.test(url) && ++window.views
        ? new Response(JSON.stringify({ error }), { status }) : window.fetched(url, how));""", status, error)


def let_through(w):
    w.run("window.fetch = window.fetched")


@test
def a_panel_is_not_blank_after_one_frame_that_failed(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        answer_views(w, 500, "once")
        w.run("weft.setWindow(1e9, 2e9)")
        failed = "return weft.panels().find((p) => p.view.name === 'space-time').picture.failed"
        w.wait(failed + " === 'once'")
        let_through(w)
        w.run("weft.setWindow(0, weft.state.span)")  # the picture of which is there
        w.wait(failed + " === null")
        w.wait_frames()
        assert w.pixels("space-time").get("#3f9f68", 0) > 1000


@test
def an_answer_that_breaks_off_is_asked_for_again(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.run("""
          window.fetched = window.fetch;
          window.broken = 0;
          window.fetch = async (url, how) => {
            const answer = await window.fetched(url, how);
            if (!/\\/view\\/space-time.packed/.test(url) || window.broken++) return answer;
            const start = (await answer.arrayBuffer()).slice(0, 100);
            return new Response(new ReadableStream({ start(to) { to.enqueue(new Uint8Array(start)); to.error(new TypeError('network error')); } }));
          };
          new MutationObserver(() => { window.said ||= document.getElementById('trouble')?.textContent; }).observe(document.body, { childList: true, subtree: true });
          weft.setWindow(1e9, 2e9);""")
        w.wait("return window.broken >= 2 && !document.getElementById('trouble')")
        has(w.run("return window.said"), "does not answer")
        w.wait_frames()
        equal(w.run("return weft.panels().map((p) => p.picture.failed).filter(Boolean)"), [])
        equal(w.window(), [1_000_000_000, 2_000_000_000])


@test
def a_layout_that_is_not_whole_is_said_and_the_panels_stay(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)

    def hash_of(*shown):
        return "#" + urllib.parse.quote(json.dumps({"trace": 0, "layout": {"weft_layout": 1, "main": {
            "type": "tab-area", "currentIndex": 0, "panels": shown}}}))

    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        before = w.run("return weft.panels().length")
        w.run("location.hash = arguments[0]", hash_of(None))
        w.wait("return document.getElementById('status').textContent.includes('This layout is damaged.')")
        equal(w.run("return weft.panels().length"), before)
        # What is changed from then on gets into the address.
        w.run("weft.panels()[0].set('color', 'duration')")
        w.wait("return decodeURIComponent(location.hash).includes('duration')")
        # A setting that is no text is left out, as is a view that this weft does not have.
        w.run("location.hash = arguments[0]", hash_of(
            {"view": "space-time", "settings": {"rows": {"a": 1}, "color": "duration"}}, {"view": "star-chart"}))
        w.wait("return document.getElementById('status').textContent.includes('no view called star-chart')")
        equal(w.run("return weft.panels().map((p) => [p.view.name, p.settings])"), [["space-time", {"color": "duration"}]])
        w.wait_frames()
        equal(w.run("return weft.panels()[0].picture.failed"), None)


@test
def what_somebody_else_cancels_is_asked_for_again_in_a_while(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        visible = w.run("return weft.panels().filter((p) => p.isVisible).length")
        answer_views(w, 409, "cancelled")
        w.run("window.began = performance.now(); weft.setWindow(1e9, 2e9)")
        w.wait(f"return window.views > {visible}")
        # Each panel asks once, and again after a second at the earliest.
        asked, seconds = w.run("return [window.views, (performance.now() - window.began) / 1000]")
        assert asked <= visible * (seconds + 1), (asked, seconds)
        let_through(w)
        w.wait_frames()
        equal(w.run("return weft.panels().map((p) => p.picture.failed).filter(Boolean)"), [])
        # So are the rows of a table; what takes too long is said.
        answer_views(w, 409, "cancelled")
        w.run("weft.panels().find((p) => p.view.name === 'space-time').setMode('table')")
        w.wait("return window.views")
        let_through(w)
        w.wait("return document.querySelector('.table-host tbody tr')")
        w.run("weft.panels().find((p) => p.view.name === 'space-time').setMode('picture')")
        w.wait_frames()
        answer_views(w, 504, "it takes longer than 300 s")
        w.run("weft.setWindow(2e9, 3e9)")
        w.wait("return weft.panels().find((p) => p.view.name === 'space-time').picture.failed === 'it takes longer than 300 s'")


@test
def a_strip_and_a_selection_are_of_one_page_alone(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.run("""
          window.fetched = window.fetch; window.names = new Set(); window.strips = 0;
          window.fetch = (url, how) => {
            const { pathname, searchParams } = new URL(url);
            if (/overview.packed|state-summary.json/.test(pathname)) window.names.add(searchParams.get('panel'));
            return /overview.packed/.test(pathname) && !window.strips++ ? Promise.resolve(new Response('{"error":"cancelled"}', { status: 409 })) : window.fetched(url, how);
          };""")
        colours = """const c = document.querySelector('#overview canvas'), seen = new Set();
          const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
          return seen.size """
        w.run("const c = document.querySelector('#overview canvas'); c.width = c.width")
        equal(w.run(colours), 1)
        # What somebody else has cancelled is asked for again.
        w.run("document.getElementById('theme').click()")
        w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent === 'Dark').click()")
        w.wait(colours + "> 10")
        assert w.run("return window.strips") >= 2
        plot, y = w.plot("space-time"), w.mark("space-time", "alpha")["y"]
        w.drag("space-time", plot["x"] + 10, y, plot["x"] + plot["width"] - 10, y)
        w.wait("return window.names.size === 2")
        names = w.run("return [...window.names]")
        assert all(len(name) > len("selection") for name in names), names
        w.run("const s = document.getElementById('theme'); s.click(); [...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.endsWith('Light')).click()")


@test
def enter_in_the_list_opens_a_trace_once(browser):
    folder = os.path.join(FOLDER, "two")
    os.makedirs(folder, exist_ok=True)
    for name in ("a.paje", "b.paje"):
        traces.write(folder, name, traces.SMALL)
    with Workbench(WEFT, [folder], browser=browser) as w:
        w.wait("return document.querySelector('dialog.traces')")
        w.run("window.opened = 0; weft.on('trace', () => window.opened++)")
        w.press("b.paje", Keys.ENTER)
        w.wait("return weft.state.facts?.name === 'b.paje'")
        w.wait_frames()
        equal(w.run("return [window.opened, document.querySelector('dialog') === null]"), [1, True])


@test
def panels_that_another_trace_cannot_fill_give_way(browser):
    folder = os.path.join(FOLDER, "kinds")
    os.makedirs(folder, exist_ok=True)
    traces.write(folder, "threads.paje", traces.SMALL)
    shutil.copy(os.path.join(os.environ["SOURCE"], "tests", "cli", "small.vista"), folder)
    with Workbench(WEFT, [folder], browser=browser) as w:
        for name in ("threads.paje", "small.vista", "threads.paje"):
            w.wait("return document.querySelector('dialog.traces')")
            w.press(name, Keys.ENTER)
            w.wait(f"return weft.state.facts?.name === '{name}'")
            w.wait_frames()
            w.wait("return weft.panels().length && weft.panels().every((p) => weft.state.facts.fills.includes(p.view.name))")
            equal(w.run("return weft.panels().filter((p) => p.picture.failed).length"), 0)
            w.press("o")


@test
def a_hundred_thousand_ids_are_a_short_address(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        # Containers of which there are few, each named very often: a text of a million characters.
        w.run("weft.panels().find((p) => p.view.name === 'space-time').set('pinned', '#2,'.repeat(400000) + '#3')")
        w.wait("return (weft.panels().find((p) => p.view.name === 'space-time').settings.pinned || '')[0] === '@'")
        w.wait_frames()
        equal(w.run("return weft.panels().find((p) => p.view.name === 'space-time').picture.failed"), None)
        assert w.run("return weft.panels().find((p) => p.view.name === 'space-time').picture.scene.frame.pinned > 0")
        w.wait("return location.hash.includes('%40')")
        assert w.run("return location.hash.length") < 3000
        address = browser.current_url
        browser.get("about:blank")
        browser.get(address)
        w.wait_frames()
        assert w.run("return weft.panels().find((p) => p.view.name === 'space-time').picture.scene.frame.pinned > 0")
        # The page knows what is in it: one is taken out.
        w.wait("const p = weft.panels().find((q) => q.view.name === 'space-time'); const of = p.view.parameters.find((q) => q.name === 'pinned'); return p.holds(of, String((BigInt(0xffffff) << 40n) + 3n))")


# A set of 1,999 containers, which is too long for an address.
LONG_SET = ",".join(f"#{7 * i}" for i in range(1, 2000))
PANEL = "const p = weft.panels().find((q) => q.view.name === 'space-time'), pinned = p.view.parameters.find((q) => q.name === 'pinned'), id = (n) => String((BigInt(0xffffff) << 40n) + BigInt(n));"
SIZE_OF_SET = PANEL + "return [1, 2, 3, 7, 13993].map((n) => p.holds(pinned, id(n)))"


def pin_many(w):
    w.wait_frames()
    w.run(PANEL + "p.set('pinned', arguments[0])", LONG_SET)
    w.wait(PANEL + "return (p.settings.pinned || '')[0] === '@'")


@test
def what_is_changed_while_a_long_set_is_on_its_way_is_not_lost(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        pin_many(w)
        equal(w.run(SIZE_OF_SET), [False, False, False, True, True])
        before = w.run(PANEL + "return p.settings.pinned")
        w.run(PANEL + "for (const n of [1, 2, 3]) p.toggle(pinned, id(n))")
        w.wait(PANEL + f"return p.settings.pinned !== '{before}'")
        equal(w.run(SIZE_OF_SET), [True] * 5)
        # What cannot be sent is said, and nothing has changed.
        before = w.run(PANEL + "return p.settings.pinned")
        w.run("window.fetched = window.fetch; window.fetch = (url, how) => (String(url).includes('/settings') ? Promise.resolve(new Response('{\"error\":\"not now\"}', { status: 503 })) : window.fetched(url, how))")
        w.run(PANEL + "p.toggle(pinned, id(1))")
        w.wait("return document.getElementById('status').textContent.includes('pinned is not changed: not now')")
        equal(w.run(PANEL + "return p.settings.pinned"), before)
        equal(w.run(SIZE_OF_SET), [True] * 5)


@test
def a_long_set_is_changed_only_when_it_is_known(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        pin_many(w)
        w.wait("return location.hash.includes('%40')")
        address, key = browser.current_url, w.run(PANEL + "return p.settings.pinned")
        browser.get("about:blank")
        script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
          const fetched = window.fetch;
          window.held = [];
          window.fetch = async (url, how) => {
            if (String(url).includes('/settings?key') && !window.free) await new Promise((done) => window.held.push(done));
            return window.refuse && String(url).includes('/settings?key') ? new Response('{"error":"it is gone"}', { status: 404 }) : fetched(url, how);
          };"""})["identifier"]
        try:
            browser.get(address)
            w.wait_frames()
            w.wait("return window.held.length")
            w.run(PANEL + "p.toggle(pinned, id(1))")
            equal(w.run(PANEL + "return p.settings.pinned"), key)
            w.run("window.refuse = true; window.held.splice(0).forEach((go) => go())")
            w.wait("return document.getElementById('status').textContent.includes('pinned is not changed: it is gone')")
            equal(w.run(PANEL + "return p.settings.pinned"), key)
            w.run("window.refuse = false; window.free = true")
            w.run(PANEL + "p.toggle(pinned, id(1)); p.toggle(pinned, id(2))")
            w.wait(PANEL + f"return p.settings.pinned !== '{key}'")
            equal(w.run(SIZE_OF_SET), [True, True, False, True, True])
        finally:
            browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})


@test
def details_that_come_late_are_not_shown(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        # Those of the second thing that is asked for come first.
        w.run("""
          window.fetched = window.fetch; window.held = [];
          window.fetch = async (url, how) => {
            const answer = await window.fetched(url, how);
            if (String(url).includes('/detail')) await new Promise((done) => window.held.push(done));
            return answer;
          };""")
        marks = [w.mark("space-time", title) for title in ("running", "waiting")]
        for n, mark in enumerate(marks, 1):
            w.click("space-time", mark["x"], mark["y"])
            w.wait(f"return window.held.length === {n}")
        w.run("window.held[1]()")
        w.wait("return weft.state.picked?.name === 'waiting'")
        w.run("window.held[0](); window.told = false; setTimeout(() => { window.told = true; }, 100)")
        w.wait("return window.told")
        equal(w.run("return weft.state.picked.name"), "waiting")
        # Nor are those that come when nothing is picked any more.
        w.click("space-time", marks[0]["x"], marks[0]["y"])
        w.wait("return window.held.length === 3")
        w.press(Keys.ESCAPE)
        w.run("window.held[2](); window.told = false; setTimeout(() => { window.told = true; }, 100)")
        w.wait("return window.told")
        equal(w.run("return weft.state.picked"), None)


@test
def what_is_typed_into_a_control_stays_until_it_is_taken(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        panel = "weft.panels().find((q) => q.view.name === 'space-time')"
        control = "document.querySelector('.panel [data-parameter=rows]')"
        w.run(control + ".focus()")
        w.press("al")
        w.run(panel + ".set('color', 'duration')")  # as from anywhere else
        equal(w.run(f"return [{control}.value, document.activeElement === {control}, {panel}.settings.rows ?? null]"), ["al", True, None])
        equal(w.run(f"return {panel}.node.querySelector('[data-parameter=color]').value"), "value")
        w.press("pha", Keys.ENTER)
        w.wait(f"return {panel}.settings.rows === 'alpha'")
        equal(w.run(f"return {panel}.node.querySelector('[data-parameter=color]').value"), "duration")
        # A number that is out of range is refused with the reason, and does not stay.
        height = "document.querySelector('.panel [data-parameter=row_height]')"
        before = w.run(f"return {height}.value")
        w.find(".panel .more").click()
        w.run(f"{height}.focus(); {height}.select()")
        w.press("100000", Keys.ENTER)
        w.wait("return document.getElementById('status').textContent.includes('row_height: ')")
        equal(w.run(f"return {panel}.settings.row_height ?? null"), None)
        w.run("document.activeElement.blur()")
        w.wait(f"return {height}.value === '{before}'")


@test
def a_run_of_three_hundred_years_is_shown(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "far.paje", traces.HEAD + "5 -4600000000 p P 0 proc\n"
                        "5 -4600000000 a T p alpha\n6 -4600000000 S a running\n6 0 S a waiting\n6 4600000000 S a running\n")
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        equal(w.run("return weft.panels().map((p) => p.picture.failed).filter(Boolean)"), [])
        assert w.run("return weft.state.span") > 2 ** 62
        assert w.pixels("space-time").get("#3f9f68", 0) > 1000
        w.press("s")
        w.wait_frames()
        w.run("weft.setWindow(0, weft.state.span / 4)")
        w.wait_frames()
        equal(w.run("return weft.panels().map((p) => p.picture.failed).filter(Boolean)"), [])


HOLD = """
  window.fetched ??= window.fetch;
  window.held = [];
  const [path, status] = arguments;
  window.fetch = async (url, how) => {
    const answer = await window.fetched(url, how), { pathname, searchParams } = new URL(url);
    if (pathname.endsWith(path) && searchParams.get('trace') === '0') {
      await new Promise((done) => window.held.push(done));
      setTimeout(() => { window.told = true; }, 100);
      if (status) return new Response('{"error":"too late"}', { status });
    }
    return answer;
  };"""


@test
def what_comes_late_is_not_of_the_trace_that_is_open(browser):
    folder = folder_of("later", "a.paje", "b.paje")
    traces.write(folder, "b.paje", traces.ONE_EVENT)
    with Workbench(WEFT, [folder], browser=browser) as w:
        # The failure of the one that was left.
        w.wait("return document.querySelector('dialog.traces')")
        w.run(HOLD, "/trace", 500)
        w.press("a.paje", Keys.ENTER)
        w.wait("return window.held.length")
        w.press("o")
        open_trace(w, "b.paje")
        w.run("window.told = false; window.held.forEach((go) => go())")
        w.wait("return window.told")
        equal(w.run("return document.getElementById('loading')"), None)
        equal(w.text("#trace"), "b.paje")
        # Its hits, of which the other has none.
        w.run("window.fetch = window.fetched")
        w.press("o")
        open_trace(w, "a.paje")
        w.run(HOLD, "/search", None)
        w.press("/")
        w.find("#query").send_keys("running")
        w.wait("return window.held.length")
        w.run("document.activeElement.blur()")
        w.press("o")
        open_trace(w, "b.paje")
        w.wait("return document.getElementById('hits').textContent.startsWith('0 hits')")
        w.run("window.told = false; window.held.forEach((go) => go())")
        w.wait("return window.told")
        equal(w.text("#hits"), "0 hits")


def main():
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


sys.exit(main())
