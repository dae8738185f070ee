#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Marks with notes, which the server keeps beside the trace: of two tabs, while they change, and when they
cannot be read or written.  TAP on standard output."""
import os
import sys

import traces
from checks import equal, has, until
from own import add_mark, folder_of, main, marks_of, open_trace
from setting import FOLDER, WEFT, test
from workbench import Workbench
from selenium.webdriver.common.keys import Keys


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
def a_mark_that_the_page_cannot_say_exactly_is_removed(browser):
    folder = folder_of("exact", "exact.paje")
    path = os.path.join(folder, "exact.paje")
    with open(path + ".marks", "w", encoding="utf-8") as file:
        file.write("9007199254740993\t0\tby hand\n5000\t0\tstays\n")  # the first has more digits than a double
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        w.wait("return weft.state.marks.length === 2")
        w.run("[...document.querySelectorAll('#drawer .tabs button')].find((b) => b.textContent === 'Marks').click()")
        w.find("#drawer .marks tr:last-child [aria-label='Remove this mark']").click()
        until(lambda: marks_of(path) == ["stays"])
        w.wait("return weft.state.marks.map((m) => m.note).join() === 'stays'")


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


sys.exit(main())
