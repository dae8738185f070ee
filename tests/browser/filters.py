#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The chain of filters in the workbench, in a real browser.  As features.py."""
import os
import sys
import time

from checks import equal, has, near
from setting import test
from small import DOWNLOADS, main, visible_rows
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

ALL = ["proc", "alpha", "beta", "gamma"]
LINES = "#drawer .filter input[type=text]"


def show_filters(w):
    w.run("[...document.querySelectorAll('#drawer [role=tab]')].find((t) => t.textContent === 'Filters').click()")


def add(w, line):
    w.find(".add-filter").send_keys(line, "\ue007")


def wait_rows(w, rows):
    w.wait(f"""
      const scene = weft.panels().find((p) => p.view.name === 'space-time').picture.scene, rows = [];
      for (const layer of scene.layers) for (const m of layer.marks) {{ const a = m[m.length - 1]; if (a.row) rows.push(a.title.replace(/ \\(.*/, '')); }}
      return JSON.stringify(rows) === JSON.stringify({rows!r});""", what=f"rows {rows}")


def lines(w):
    return w.run("return [...document.querySelectorAll(arguments[0])].map((n) => n.value)", LINES)


def menu_of_row(w, name):
    at = w.run("""
      for (const layer of weft.panels()[0].picture.scene.layers) for (const m of layer.marks)
        if ((m[m.length - 1].title || '').startsWith(arguments[0] + ' (') && m[m.length - 1].row) return [m[1] + m[3] - 12, m[2] + m[4] / 2];""", name)
    w.right_click("space-time", *at)
    w.wait("return document.querySelector('[role=menuitem]')")


def choose(w, title):
    next(item for item in w.browser.find_elements(By.CSS_SELECTOR, "[role=menuitem]") if item.text == title).click()


@test
def a_row_is_hidden_by_its_menu_and_shown_again(w):
    equal(visible_rows(w), ALL)
    menu_of_row(w, "beta")
    choose(w, "Hide this row")
    wait_rows(w, ["proc", "alpha", "gamma"])
    # Everything is of what is left: 10 s of alpha, of which 8 running; and gamma's 2 of compute.
    w.run("[...document.querySelectorAll('#drawer [role=tab]')].find((t) => t.textContent === 'Summary').click()")
    w.wait("return [...document.querySelectorAll('#drawer .face-table td')].some((c) => c.textContent === '8.00 s')")
    menu_of_row(w, "gamma")
    choose(w, "Show all again")
    wait_rows(w, ALL)
    equal(w.run("return weft.state.filters"), "")


@test
def lines_are_added_switched_moved_and_removed(w):
    show_filters(w)
    add(w, 'hide row in beta')
    wait_rows(w, ["proc", "alpha", "gamma"])
    add(w, "order gamma, alpha")
    wait_rows(w, ["proc", "gamma", "alpha"])
    equal(lines(w), ["hide row in beta", "order gamma, alpha"])
    w.find("#drawer .filter input[type=checkbox]").click()
    wait_rows(w, ["proc", "gamma", "alpha", "beta"])
    equal(w.run("return weft.state.filters"), "off hide row in beta\norder gamma, alpha")
    w.find("#drawer .filter button[aria-label^=Later]").click()
    w.wait("return weft.state.filters === 'order gamma, alpha\\noff hide row in beta'")
    w.find("#drawer .filter button[aria-label=Remove]").click()
    wait_rows(w, ALL)


@test
def a_wrong_line_says_so_and_changes_nothing(w):
    show_filters(w)
    add(w, "sort by name")
    w.wait("return weft.state.filters === 'sort by name'")
    add(w, "hide row in nobody")
    w.wait("return document.querySelector('#drawer .filter.wrong')")
    equal(w.run("return [...document.querySelectorAll('#drawer .filter')].map((n) => n.classList.contains('wrong'))"), [False, True])
    has(w.text("#drawer .fault"), "nobody")
    equal(w.run("return weft.state.filters"), "sort by name")


@test
def the_address_keeps_the_chain(w):
    show_filters(w)
    w.wait("return decodeURIComponent(location.hash).includes('\"face\":\"filters\"')")
    add(w, "hide row in beta")
    wait_rows(w, ["proc", "alpha", "gamma"])
    w.wait("return decodeURIComponent(location.hash).includes('hide row in beta')")
    w.run("location.reload()")
    w.wait("return weft.state.filters === 'hide row in beta'")
    w.wait_frames()
    wait_rows(w, ["proc", "alpha", "gamma"])
    # A step of the history: Back shows the trace itself.
    w.run("history.back()")
    wait_rows(w, ALL)


@test
def a_raw_panel_shows_the_trace_itself(w):
    show_filters(w)
    add(w, "hide row in beta")
    wait_rows(w, ["proc", "alpha", "gamma"])
    menu_of_row(w, "alpha")
    choose(w, "Panel: raw, without filters")
    wait_rows(w, ALL)
    has(w.run("return weft.panels()[0].title.label"), "(raw)")


def fills(w, row):
    """The colours of the bars whose titles name ROW, sorted."""
    return sorted(set(w.run("""
      const fills = [];
      for (const layer of weft.panels()[0].picture.scene.layers) for (const m of layer.marks) {
        const a = m[m.length - 1];
        if (m[0] === 'rect' && (a.title || '').includes(` · ${arguments[0]} · `)) fills.push(a.fill);
      }
      return fills;""", row)))


@test
def all_but_one_row_is_dimmed_and_lit_again(w):
    alpha, beta = fills(w, "alpha"), fills(w, "beta")
    menu_of_row(w, "alpha")
    choose(w, "Dim all other rows")
    w.wait("return weft.state.filters === 'dim not row in \"#2\"'")
    w.wait_frames()
    equal(fills(w, "alpha"), alpha)
    equal(len(fills(w, "beta")), len(beta))
    equal([fill for fill in fills(w, "beta") if fill in beta], [])
    equal(visible_rows(w), ALL)
    menu_of_row(w, "beta")
    choose(w, "Dim nothing")
    w.wait("return weft.state.filters === ''")
    w.wait_frames()
    equal(fills(w, "beta"), beta)


@test
def a_row_is_reduced_to_shades_and_shown_whole_again(w):
    menu_of_row(w, "proc")
    choose(w, "Reduce to one row, as shades")
    w.wait("return weft.state.filters === 'reduce \"#1\" as shades'")
    w.wait_frames()
    equal(set(visible_rows(w)), {"proc"})
    texts = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[0] === 'text').map((m) => m[m.length - 1].text ?? m.find((x) => typeof x === 'string' && x.startsWith('proc')))")
    has(" ".join(text or "" for text in texts), "proc (3)")
    menu_of_row(w, "proc")
    choose(w, "Show all its rows again")
    w.wait("return weft.state.filters === ''")
    wait_rows(w, ALL)


@test
def the_numbers_of_a_reduction_are_a_view(w):
    show_filters(w)
    add(w, "reduce proc")
    w.wait("return weft.state.filters")
    w.press("\ue031")
    w.wait("return document.querySelector('dialog input')")
    w.press("open groups\ue007")
    w.wait("return weft.panels().some((p) => p.view.name === 'groups')")
    w.wait_frames()
    title = w.run("return weft.panels().find((p) => p.view.name === 'groups').picture.scene.layers.flatMap((l) => l.marks).map((m) => m[m.length - 1].title || '').find((t) => t.startsWith('proc · '))")
    has(title, "of 3 ")


def menu_of_value(w, name):
    w.wait("return [...document.querySelectorAll('.legend .entry')].some((n) => n.textContent.startsWith(%r))" % name)
    entry = next(n for n in w.browser.find_elements(By.CSS_SELECTOR, ".legend .entry") if n.text.startswith(name))
    ActionChains(w.browser).context_click(entry).perform()
    w.wait("return document.querySelector('[role=menuitem]')")


@test
def a_value_of_the_legend_is_lit_alone_and_coloured(w):
    menu_of_value(w, "running")
    choose(w, "Dim all but running")
    w.wait("return weft.state.filters === 'dim not value = \"running\"'")
    w.wait_frames()
    menu_of_value(w, "running")
    choose(w, "Choose its colour")
    w.wait("return document.querySelector('.choose-color')")
    w.run("const n = document.querySelector('.choose-color'); n.value = '#112233'; n.dispatchEvent(new Event('change'))")
    w.wait("return weft.state.filters.endsWith('color \"running\" = #112233')")
    w.wait_frames()
    has(" ".join(fills(w, "alpha")), "#112233")


@test
def a_row_is_made_taller(w):
    for height in ("40", "80"):
        menu_of_row(w, "alpha")
        choose(w, "Make this row taller")
        w.wait(f"return weft.state.filters === 'height \"#2\" = {height}'")
        w.wait_frames()
    heights = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => (m[m.length - 1].title || '').startsWith('alpha (') && m[m.length - 1].row).map((m) => m[4])")
    near(heights[0], 80, 1)
    menu_of_row(w, "alpha")
    choose(w, "Give it its usual height")
    w.wait("return weft.state.filters === ''")


@test
def looks_are_kept_for_traces_that_are_opened_later(w):
    show_filters(w)
    add(w, "color running = #123456")
    w.wait("return weft.state.filters")
    add(w, "hide row in beta")
    wait_rows(w, ["proc", "alpha", "gamma"])
    w.run("[...document.querySelectorAll('.filters button')].find((b) => b.textContent === 'Keep looks').click()")
    w.open()
    w.wait("return weft.state.filters === 'color running = #123456'")
    w.wait_frames()
    has(" ".join(fills(w, "alpha")), "#123456")
    show_filters(w)
    w.run("[...document.querySelectorAll('.filters button')].find((b) => b.textContent === 'Remove all').click()")
    w.wait("return weft.state.filters === ''")
    w.run("[...document.querySelectorAll('.filters button')].find((b) => b.textContent === 'Forget looks').click()")
    w.open()
    w.wait_frames()
    equal(w.run("return weft.state.filters"), "")


def middle_of_row(w, name):
    return w.run("""
      for (const layer of weft.panels()[0].picture.scene.layers) for (const m of layer.marks)
        if ((m[m.length - 1].title || '').startsWith(arguments[0] + ' (') && m[m.length - 1].row) return m[2] + m[4] / 2;""", name)


@test
def a_drag_takes_all_rows_that_it_crosses(w):
    plot = w.plot("space-time")
    x, width = plot["x"], plot["width"]
    w.drag("space-time", x + width * 0.2, middle_of_row(w, "alpha"), x + width * 0.5, middle_of_row(w, "beta"))
    equal(len(w.run("return weft.state.selection.rows")), 2)
    # A second drag that begins beside the edge begins another selection; on the edge it moves that.
    end = w.run("return weft.panels()[0].picture.xAt(weft.state.selection.end)")
    w.drag("space-time", end + 8, middle_of_row(w, "gamma"), end + 108, middle_of_row(w, "gamma"))
    equal(len(w.run("return weft.state.selection.rows")), 1)
    near(w.run("return weft.panels()[0].picture.xAt(weft.state.selection.begin)"), end + 8, 7)
    begin = w.run("return weft.state.selection.begin")
    end = w.run("return weft.panels()[0].picture.xAt(weft.state.selection.end)")
    w.drag("space-time", end + 2, middle_of_row(w, "gamma"), end + 52, middle_of_row(w, "gamma"))
    equal(w.run("return weft.state.selection.begin"), begin)
    near(w.run("return weft.panels()[0].picture.xAt(weft.state.selection.end)"), end + 52, 7)


@test
def keys_answer_what_is_asked_most(w):
    w.press("n")
    w.press("1s+2s\ue007")
    w.wait("return weft.state.selection?.begin === 1e9 && weft.state.selection.end === 3e9")
    w.run("document.activeElement.blur()")
    w.press("h")
    w.wait("return weft.state.held?.begin === 1e9")
    w.press("i")
    w.wait("return document.activeElement.closest('.face-table')")
    equal(w.run("return document.activeElement.children[0].textContent"), "gamma")  # io, 10 s


@test
def keys_are_for_the_panel_that_the_palette_has_opened(w):
    w.press("\ue031")
    w.wait("return document.querySelector('dialog input')")
    w.press("open state summ\ue007")
    w.press("t")
    w.wait("return weft.panels().find((p) => p.view.name === 'state-summary').mode === 'table'")
    equal(w.run("return weft.panels()[0].mode"), "picture")


@test
def dragged_rows_are_grouped(w):
    plot = w.plot("space-time")
    x, width = plot["x"], plot["width"]
    w.drag("space-time", x + width * 0.2, middle_of_row(w, "alpha"), x + width * 0.5, middle_of_row(w, "beta"))
    menu_of_row(w, "gamma")
    choose(w, "Group the 2 selected rows")
    w.wait("return weft.state.filters === 'group group 1 = #2, #3'")
    w.wait_frames()
    equal(sorted(visible_rows(w)), ["alpha", "beta", "gamma", "group 1", "proc"])
    menu_of_row(w, "gamma")
    choose(w, "Sort rows by share waiting")
    # alpha waits 2 of 10 s, beta 5, within their group.
    w.wait("return weft.state.filters.endsWith('sort by share waiting')")
    w.wait_frames()
    rows = visible_rows(w)
    equal(rows[rows.index("group 1"):][:3], ["group 1", "beta", "alpha"])


@test
def a_chain_is_saved_as_a_file(w):
    show_filters(w)
    add(w, "hide row in beta")
    w.wait("return weft.state.filters")
    w.run("[...document.querySelectorAll('.filters button')].find((b) => b.textContent === 'Save').click()")
    path = os.path.join(DOWNLOADS, "chain.weft-filters")
    end = time.time() + 60
    while not os.path.exists(path) and time.time() < end:
        time.sleep(0.05)
    with open(path, encoding="utf-8") as file:
        equal(file.read(), "hide row in beta\n")


sys.exit(main())
