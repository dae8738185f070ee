#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench and its server: a server that ends and comes back, a trace that changes or has
gone, tables and sets that are large.  TAP on standard output."""
import json
import os
import shutil
import subprocess
import sys
import urllib.parse

import traces
from checks import equal, has, near, until
from own import add_mark, folder_of, main, marks_of, open_trace
from setting import FOLDER, WEFT, test
from workbench import Server, Workbench
from selenium.webdriver.common.keys import Keys

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
def a_trace_that_was_replaced_is_new_when_the_page_is_loaded_again(browser):
    folder = folder_of("replaced", "replaced.paje")
    with Workbench(WEFT, [os.path.join(folder, "replaced.paje")], browser=browser) as w:
        w.wait_frames()
        traces.write(folder, "replaced.paje", traces.SMALL.replace("alpha", "omega"))
        w.browser.refresh()
        w.wait("return window.weft && weft.state.facts")
        w.wait_frames()
        equal(w.run("return document.getElementById('trouble')"), None)
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


sys.exit(main())
