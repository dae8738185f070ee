#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the workbench makes of traces of many kinds, in a real browser: of a program with source, of a
folder, of thousands of rows, with problems, with markup, empty, long to load.  As features.py."""
import json
import os
import subprocess
import sys

import traces
from checks import equal, has, near
from setting import BUILD, FOLDER, SCREENSHOTS, WEFT, test
from small import RUNNING, main, settings, table_rows, visible_rows, wait_details
from workbench import Workbench
from selenium.webdriver.common.keys import Keys


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
        # With a selection held, the places have its time, that of now, and the change.
        v.find(".hold").click()
        v.run("[...document.querySelectorAll('#drawer [role=tab]')].find((t) => t.textContent === 'Source').click()")
        v.wait("return ['A', 'B', 'B − A'].every((t) => [...document.querySelectorAll('#drawer th')].some((h) => h.textContent.trim() === t))")
    # Outside of the folders that may be read, nothing is shown.
    with Workbench(WEFT, [recording, "--source-root", FOLDER], browser=w.browser) as v:
        v.wait_frames()
        v.press("/")
        v.find("#query").send_keys("blocked on mutex", Keys.ENTER)
        v.wait("return document.querySelector('#drawer .source')?.textContent.includes('--source-root')")
    w.open()
    w.wait_frames()


@test
def why_a_picked_wait_took_so_long(w):
    """By key and by button: the panel's wait is the picked one, and its bars lead on."""
    recording = os.path.join(FOLDER, "chain.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "tests", "live", "live_chain")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asked = "return weft.panels().find((p) => p.view.name === 'why')?.settings.wait"
    with Workbench(WEFT, [recording], browser=w.browser) as v:
        v.wait_frames()
        v.press("y")  # nothing is picked
        v.wait("return document.querySelector('.wrong')?.textContent.includes('Pick a wait first')")
        v.press("/")
        v.find("#query").send_keys("blocked on condition", Keys.ENTER)
        v.wait("return weft.state.picked?.waits")
        v.find("#query").send_keys(Keys.ESCAPE)
        condition = v.run("return weft.state.picked.id")
        v.press("y")
        v.wait(f"{asked} === '{condition}'")
        v.wait_frames()
        v.screenshot(os.path.join(SCREENSHOTS, "why_a_picked_wait_took_so_long.png"))
        # A step of the chain is picked by a click: the next question.
        at = v.mark("why", "holder: sleeping")
        v.click("why", at["x"], at["y"])
        v.wait("return weft.state.picked?.name === 'sleeping'")
        v.find("#drawer .steps button[title^='Why']").click()
        v.wait(f"{asked} === weft.state.picked.id && weft.state.picked.id !== '{condition}'")
    w.open()
    w.wait_frames()


def drag_over_a_heading(w):
    y = w.run("""
      for (const layer of weft.panels().find((p) => p.view.name === 'space-time').picture.scene.layers) for (const m of layer.marks)
        if (m[m.length - 1].heading) return m[2] + m[4] / 2;""")
    plot = w.plot("space-time")
    w.drag("space-time", plot["x"] + plot["width"] * 0.2, y, plot["x"] + plot["width"] * 0.6, y)
    w.wait("return weft.state.selection && !weft.state.selection.live")
    assert w.run("return weft.state.selection.rows.length === 1 && weft.state.selection.rows[0].endsWith('+')")
    w.wait("return document.querySelectorAll('#drawer .face-table tbody tr').length > 1")


@test
def a_heading_stands_for_the_rows_below_it(w):
    """Dragging over the row of a process's name selects its threads."""
    recording = os.path.join(FOLDER, "headed.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "examples", "contended_lock")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Workbench(WEFT, [recording], browser=w.browser) as v:
        v.wait_frames()
        drag_over_a_heading(v)
    w.open()
    w.wait_frames()


def causes(trace, window):
    """Of the waits of a range, as the command line has them: by what, and where, how long."""
    rows = json.loads(subprocess.run([WEFT, "render", "causes", trace, "--range", window, "--format", "json"],
                                     check=True, capture_output=True, text=True).stdout)
    sums = {}
    for row in rows:
        key = tuple(row[name] or "" for name in ("class", "state", "object", "site", "function"))
        sums[key] = sums.get(key, 0) + row["waited_ns"]
    return sums


@test
def the_causes_of_two_windows_are_compared(w):
    """Why of A and B: each row is what both command lines have, the largest change first."""
    recording = os.path.join(FOLDER, "compared.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "examples", "contended_lock")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Workbench(WEFT, [recording], browser=w.browser) as v:
        v.wait_frames()
        end = v.run("return weft.state.span")
        half = end // 2
        v.run("[...document.querySelectorAll('#drawer [role=tab]')].find((t) => t.textContent === 'Why').click()")
        v.wait("return document.querySelector('#drawer .face-table tbody tr')")
        v.run("weft.setSelection({ begin: 0, end: arguments[0], rows: [], live: false })", half)
        v.press("h")
        v.run("weft.setSelection({ begin: arguments[0], end: arguments[1], rows: [], live: false })", half, end)
        v.wait("return document.querySelector('#drawer .face-table th[data-name=change_ns]')?.textContent === 'B − A'")
        a, b = causes(recording, f"0:{half}ns"), causes(recording, f"{half}ns:{end}ns")
        rows = v.wait("const why = weft.faces.why.answer; return why?.length && why[0].change_ns !== undefined && why")
        for row in rows:
            key = tuple(row[name] for name in ("class", "state", "object", "site", "function"))
            equal((row["waited_ns"], row["other_waited_ns"]), (a.pop(key, 0), b.pop(key, 0)))
            equal(row["change_ns"], row["other_waited_ns"] - row["waited_ns"])
        equal((a, b), ({}, {}))
        changes = [abs(row["change_ns"]) for row in rows]
        equal(changes, sorted(changes, reverse=True))
        # Terms narrow both: A was held without any, and its waits are the same as before.
        held = sum(row["waited_ns"] for row in rows)
        v.run("weft.setTerms(['duration < 0ns'])")
        v.wait("const why = weft.faces.why.answer; return why?.length && why.every((row) => row.other_waited_ns === 0)")
        equal(v.run("return weft.faces.why.answer.reduce((sum, row) => sum + row.waited_ns, 0)"), held)
    w.open()
    w.wait_frames()


@test
def settings_of_messages_are_offered_where_there_are_some(w):
    """The small trace has messages between its rows; threads that only lock have none."""
    names = "return [...document.querySelectorAll('.panel [data-parameter]')].map((n) => n.dataset.parameter)"
    of_messages = {"distance", "aspect", "numbering", "collectives", "messages"}
    assert of_messages <= set(w.run(names)), w.run(names)
    recording = os.path.join(FOLDER, "silent.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "examples", "contended_lock")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Workbench(WEFT, [recording], browser=w.browser) as v:
        v.wait_frames()
        v.wait(names.replace("return", "return !(") + ").includes('distance')")
        assert not of_messages & set(v.run(names)), v.run(names)
        has(v.run(names), "events")
    w.open()
    w.wait_frames()


@test
def states_without_a_name_are_no_blank_row(w):
    trace = traces.write(FOLDER, "unnamed.paje", traces.SMALL.replace(" waiting\n", ' ""\n'))
    with Workbench(WEFT, [trace], browser=w.browser) as v:
        v.wait_frames()
        v.wait("return [...document.querySelectorAll('#drawer .face-table tbody tr')].some((r) => r.children[0].textContent === '(without one)')")
        v.wait("return [...document.querySelectorAll('#drawer .face-table tbody tr')].every((r) => r.children[0].textContent)")
    w.open()
    w.wait_frames()


@test
def cells_of_a_lock_lead_to_its_waits(w):
    """All that is about the lock by its name, and only the waits by their number."""
    recording = os.path.join(FOLDER, "leads.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "examples", "contended_lock")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    panel = "weft.panels().find((p) => p.view.name === '%s')"
    locks = panel % "lock-summary"
    where = "return weft.state.terms.join('; ')"
    cell = f"""const host = {locks}.tableHost, names = [...host.querySelectorAll('th')].map((th) => th.dataset.name);
      return host.querySelector('tbody tr').children[names.indexOf(arguments[0])]"""
    with Workbench(WEFT, [recording], browser=w.browser) as v:
        v.wait_frames()
        v.find("[data-view=lock-summary]").click()
        v.wait(f"return {locks}?.isVisible")
        v.run(f"{locks}.setMode('table')")
        v.wait(f"return {locks}.tableHost?.querySelector('tbody tr')")
        v.run(cell, "lock").click()
        v.wait(where + """ === 'object = "table_lock" or row = "table_lock"; state'""")
        v.run(cell, "contended").click()
        v.wait(where + """ === 'object = "table_lock" or row = "table_lock"; state; blocked'""")
        waits = int("".join(c for c in v.run(cell, "contended").text if c.isdigit()))
        v.wait(f"return document.querySelectorAll('#drawer tbody tr').length === {min(waits, 200)}")
        v.screenshot(os.path.join(SCREENSHOTS, "cells_of_a_lock_lead_to_its_waits.png"))
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
    path = os.path.join(os.environ["SOURCE"], "tests/domains/messages/reference/traces/blocking.trf")
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


sys.exit(main())
