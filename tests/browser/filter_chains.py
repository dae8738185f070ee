#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Panels with chains of filters of their own, and the graph of all chains, in a real browser.  As
features.py."""
import json
import os
import sys
import time

import traces
from checks import equal, has
from setting import FOLDER, WEFT, test
from small import DOWNLOADS, SMALL, main
from workbench import Workbench
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ALL = ["proc", "alpha", "beta", "gamma"]
WITHOUT_BETA = ["proc", "alpha", "gamma"]
LINES = "#drawer .filter input[type=text]"


def show_face(w, name):
    next(tab for tab in w.browser.find_elements(By.CSS_SELECTOR, "#drawer [role=tab]") if tab.text == name).click()


def add(w, line):
    w.find(".add-filter").send_keys(line, Keys.ENTER)


def timeline(number):
    return f"weft.panels().filter((p) => p.view.name === 'space-time')[{number}]"


def wait_rows(w, rows, number=0):
    """Until the timeline, of several the one with that number, shows these rows."""
    w.wait(f"""
      const rows = {timeline(number)}.picture.scene.layers.flatMap((l) => l.marks).map((m) => m[m.length - 1])
        .filter((a) => a.row).map((a) => a.title.replace(/ \\(.*/, ''));
      return JSON.stringify(rows) === JSON.stringify({rows!r});""", what=f"rows {rows} of timeline {number}")


def palette(w, command):
    w.press(Keys.F1)
    w.wait("return document.querySelector('dialog input')")
    w.press(command, Keys.ENTER)
    w.wait("return !document.querySelector('dialog input')")


def titles(w):
    return w.run("return weft.panels().map((p) => p.title.label)")


def click_panel(w, number):
    """On the panel's subtitle, which does nothing itself."""
    ActionChains(w.browser).move_to_element(w.run(f"return {timeline(number)}.subtitle")).click().perform()


def menu_of_row(w, name, number=0):
    at = w.run(f"""
      const picture = {timeline(number)}.picture, box = picture.canvas.getBoundingClientRect();
      for (const layer of picture.scene.layers) for (const m of layer.marks)
        if ((m[m.length - 1].title || '').startsWith(arguments[0] + ' (') && m[m.length - 1].row)
          return [box.left + m[1] + m[3] - 12, box.top + m[2] + m[4] / 2];""", name)
    chain = w.chain()
    chain.w3c_actions.pointer_action.move_to_location(int(at[0]), int(at[1]))
    chain.context_click().perform()
    w.wait("return document.querySelector('[role=menuitem]')")


def choose(w, title):
    next(item for item in w.browser.find_elements(By.CSS_SELECTOR, "[role=menuitem]") if item.text == title).click()
    w.wait("return !document.querySelector('[role=menuitem]')")


def own(w, number):
    """The text of the chain of a timeline's own; None: it has none."""
    return w.run(f"return {timeline(number)}.own?.text ?? null")


def two_timelines(w, line="hide row in beta"):
    """Two timelines beside each other, which share a chain of LINE; the first has been used."""
    show_face(w, "Filters")
    add(w, line)
    w.wait(f"return weft.state.filters === {line!r}")
    click_panel(w, 0)
    palette(w, "once more at the right")
    w.wait("return weft.panels().filter((p) => p.view.name === 'space-time').length === 2")
    w.wait_frames()
    click_panel(w, 0)


def boxes(w, selector=".box"):
    return w.browser.find_elements(By.CSS_SELECTOR, f"#drawer .filter-graph {selector}")


def branches(w):
    """The graph: for each row of it its kind, and the texts of its boxes."""
    return w.run("""
      return [...document.querySelectorAll('#drawer .filter-graph .branch:not(.fresh)')].map((row) =>
        [row.classList[1], ...[...row.querySelectorAll('.box')].map((box) => box.textContent)]);""")


@test
def a_panel_with_filters_of_its_own_begins_with_the_shared_ones(w):
    two_timelines(w)
    menu_of_row(w, "alpha", 1)
    choose(w, "Panel: filters of its own")
    w.wait(f"return {timeline(1)}.title.label.endsWith('(own filters)')")
    equal(own(w, 1), "hide row in beta")
    wait_rows(w, WITHOUT_BETA, 0)
    wait_rows(w, WITHOUT_BETA, 1)
    # The face edits the chain of the panel that was used last, and says so.
    has(w.text("#drawer .whose"), "(own filters)")
    add(w, "hide row in gamma")
    wait_rows(w, ["proc", "alpha"], 1)
    wait_rows(w, WITHOUT_BETA, 0)
    equal(w.run("return weft.state.filters"), "hide row in beta")
    click_panel(w, 0)
    w.wait("return !document.querySelector('#drawer .whose')")
    equal([n.get_attribute("value") for n in w.browser.find_elements(By.CSS_SELECTOR, LINES)], ["hide row in beta"])
    add(w, "hide row in alpha")
    wait_rows(w, ["proc", "gamma"], 0)
    equal(own(w, 1), "hide row in beta\nhide row in gamma")


@test
def verbs_of_a_panel_go_into_its_own_filters(w):
    two_timelines(w)
    menu_of_row(w, "alpha", 1)
    choose(w, "Panel: filters of its own")
    menu_of_row(w, "alpha", 1)
    choose(w, "Hide this row")
    wait_rows(w, ["proc", "gamma"], 1)
    wait_rows(w, WITHOUT_BETA, 0)
    entry = next(n for n in w.run(f"return [...{timeline(1)}.legend.children]") if n.text.startswith("compute"))
    ActionChains(w.browser).context_click(entry).perform()
    w.wait("return document.querySelector('[role=menuitem]')")
    choose(w, "Dim all but compute")
    w.wait(f"return {timeline(1)}.own.text.endsWith('dim not value = \"compute\"')")
    equal(w.run("return weft.state.filters"), "hide row in beta")
    # So does a verb of a raw panel: it has filters of its own then.
    menu_of_row(w, "gamma", 1)
    choose(w, "Panel: raw, without filters")
    wait_rows(w, ALL, 1)
    has(titles(w), w.run("return weft.panels()[0].view.title") + " (raw)")
    menu_of_row(w, "gamma", 1)
    choose(w, "Hide this row")
    wait_rows(w, ["proc", "alpha", "beta"], 1)
    equal(w.run("return weft.state.filters"), "hide row in beta")
    menu_of_row(w, "alpha", 1)
    choose(w, "Panel: with the filters that panels share")
    wait_rows(w, WITHOUT_BETA, 1)
    equal(own(w, 1), None)


@test
def the_pane_below_and_what_is_asked_follow_the_panel_that_is_used(w):
    two_timelines(w)
    menu_of_row(w, "alpha", 1)
    choose(w, "Panel: raw, without filters")
    wait_rows(w, ALL, 1)
    show_face(w, "Summary")
    # alpha runs 8 of 10 s, beta 5.
    w.wait("return [...document.querySelectorAll('#drawer .face-table td')].some((c) => c.textContent === '13.0 s')")
    click_panel(w, 0)
    w.wait("return [...document.querySelectorAll('#drawer .face-table td')].some((c) => c.textContent === '8.00 s')")
    asked = w.run("return performance.getEntriesByType('resource').map((r) => r.name)")
    sent = [url.split("filters=")[1].split("&")[0] for url in asked if "view/times.rows" in url and "filters=" in url]
    equal(sent[-1], "hide+row+in+beta")
    # A thing under the pointer is explained through the filters of its panel, used or not.
    w.run("performance.clearResourceTimings()")
    box = w.run(f"const b = {timeline(1)}.picture.canvas.getBoundingClientRect(), p = {timeline(1)}.picture.plot();"
                "return [b.left + p.x + p.width * .3, b.top + p.y + 70]")
    pointer = w.chain()
    pointer.w3c_actions.pointer_action.move_to_location(int(box[0]), int(box[1]))
    pointer.perform()
    w.wait("return performance.getEntriesByType('resource').some((r) => /[/](related|point[/]space-time)[?]/.test(r.name))")
    for url in w.run("return performance.getEntriesByType('resource').map((r) => r.name)"):
        if "/related?" in url or "/point/" in url:
            equal(url.split("filters=")[1].split("&")[0], "")


@test
def the_address_keeps_them_and_back_undoes_a_step(w):
    two_timelines(w)
    menu_of_row(w, "alpha", 1)
    choose(w, "Panel: filters of its own")
    w.wait(f"return {timeline(1)}.own")
    add(w, "hide row in alpha")
    wait_rows(w, ["proc", "gamma"], 1)
    w.run(f"window.before = {timeline(1)}")
    w.press(Keys.TAB)  # out of the field, where Ctrl+Z is the browser's
    w.run("document.activeElement.blur()")
    w.chain().key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    wait_rows(w, WITHOUT_BETA, 1)
    equal(own(w, 1), "hide row in beta")
    # The panels stay those that they were.
    equal(w.run(f"return window.before === {timeline(1)}"), True)
    w.run("history.forward()")
    wait_rows(w, ["proc", "gamma"], 1)
    w.run("location.reload()")
    w.wait("return weft.panels().filter((p) => p.view.name === 'space-time').length === 2")
    w.wait_frames()
    wait_rows(w, ["proc", "gamma"], 1)
    wait_rows(w, WITHOUT_BETA, 0)
    equal(own(w, 0), None)
    # It is still the panel that was used last.
    has(w.text("#drawer .whose"), "(own filters)")


@test
def long_filters_of_a_panel_are_kept_by_the_server(w):
    show_face(w, "Filters")
    add(w, "hide row in beta")
    w.wait("return weft.state.filters")
    click_panel(w, 0)
    palette(w, "this panel: filters of its own")
    w.wait(f"return {timeline(0)}.own")
    text = "\n".join(["hide row in beta"] + [f"off hide duration < {i}ns" for i in range(1, 200)])
    w.run("weft.panels()[0].changeOwn(arguments[0])", text)
    w.wait(f"return /^@[0-9a-f]{{32}}$/.test({timeline(0)}.own.sent)")
    wait_rows(w, WITHOUT_BETA)
    w.wait("return decodeURIComponent(location.hash).includes('duration < 199ns')")
    w.run("location.reload()")
    w.wait(f"return {timeline(0)}.own?.sent.startsWith('@')")
    wait_rows(w, WITHOUT_BETA)


@test
def save_writes_the_chain_that_is_shown(w):
    two_timelines(w)
    menu_of_row(w, "alpha", 1)
    choose(w, "Panel: filters of its own")
    w.wait(f"return {timeline(1)}.own")
    add(w, "hide row in gamma")
    wait_rows(w, ["proc", "alpha"], 1)
    next(b for b in w.browser.find_elements(By.CSS_SELECTOR, ".filters button") if b.text == "Save").click()
    path = os.path.join(DOWNLOADS, "chain.weft-filters")
    end = time.time() + 60
    while not os.path.exists(path) and time.time() < end:
        time.sleep(0.05)
    with open(path, encoding="utf-8") as file:
        equal(file.read(), "hide row in beta\nhide row in gamma\n")


# ---- The graph ----

@test
def the_graph_shows_which_filters_lead_to_which_panels(w):
    show_face(w, "Filters")
    # No filters: no room is taken.
    equal(boxes(w), [])
    two_timelines(w)
    names = w.run("return weft.panels().map((p) => p.view.title)")
    equal(branches(w), [["shared", "hide row in beta", *names]])
    palette(w, "this panel: raw")
    w.wait("return document.querySelector('#drawer .branch.raw')")
    has(" ".join(titles(w)), "(raw)")
    equal(branches(w), [["shared", "hide row in beta", *names[1:]], ["raw", names[0]]])
    click_panel(w, 1)
    palette(w, "this panel: filters of its own")
    w.wait("return document.querySelector('#drawer .branch.own')")
    add(w, "off order gamma")
    w.wait("return document.querySelectorAll('#drawer .branch.own .step').length === 2")
    equal(branches(w)[2], ["own", "hide row in beta", "off order gamma".replace("off ", ""), names[0]])
    equal([b.text for b in boxes(w, ".step.off")], ["order gamma"])
    equal([b.text for b in boxes(w, ".end.active")], [names[0]])


@test
def a_click_in_the_graph_shows_the_line_or_the_panel(w):
    two_timelines(w)
    add(w, "order gamma, alpha")
    w.wait("return document.querySelectorAll('#drawer .branch.shared .step').length === 2")
    palette(w, "this panel: filters of its own")
    w.wait("return document.querySelector('#drawer .whose')")
    boxes(w, ".branch.shared .step")[1].click()
    w.wait("return !document.querySelector('#drawer .whose')")
    equal(w.run("return document.activeElement.getAttribute('aria-label')"), "Filter 2")
    boxes(w, ".branch.own .end")[0].click()
    w.wait("return document.querySelector('#drawer .whose')")
    equal(w.run("return weft.state.active === weft.panels().find((p) => p.own)"), True)
    # A panel that is behind another comes to the front.
    hidden = w.run("return weft.panels().findIndex((p) => !p.isVisible)")
    if hidden >= 0:
        title = w.run("return weft.panels()[arguments[0]].view.title", hidden)
        next(b for b in boxes(w, ".end") if b.text == title).click()
        w.wait(f"return weft.panels()[{hidden}].isVisible")


def drag(w, box, to):
    w.chain().click_and_hold(box).move_to_element(to).release().perform()


@test
def filters_are_dragged_to_another_place(w):
    show_face(w, "Filters")
    for line in ("hide row in beta", "order gamma, alpha", "sort by name"):
        add(w, line)
        w.wait(f"return weft.state.filters.endsWith({line!r})")
    first, _, third = boxes(w, ".step")
    drag(w, first, third)
    w.wait("return weft.state.filters === 'order gamma, alpha\\nsort by name\\nhide row in beta'")
    # By keys, too: Alt and an arrow.
    w.run("document.querySelector('#drawer .box.trace').focus()")
    w.press(Keys.ARROW_RIGHT)
    w.chain().key_down(Keys.ALT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.ALT).perform()
    w.wait("return weft.state.filters === 'sort by name\\norder gamma, alpha\\nhide row in beta'")
    equal(w.run("return document.activeElement.textContent"), "order gamma, alpha")


@test
def a_filter_stays_where_another_place_would_be_wrong(w):
    show_face(w, "Filters")
    for line in ("group team = alpha, beta", "reduce team"):
        add(w, line)
        w.wait(f"return weft.state.filters.endsWith({line!r})")
    group, reduction = boxes(w, ".step")
    drag(w, reduction, group)
    w.wait("return document.querySelector('footer.wrong')")
    has(w.text("footer"), "team")
    equal(w.run("return weft.state.filters"), "group team = alpha, beta\nreduce team")


@test
def panels_are_dragged_behind_other_filters(w):
    two_timelines(w)
    name = w.run(f"return {timeline(0)}.view.title")
    drag(w, boxes(w, ".branch.shared .end.active")[0], boxes(w, ".trace")[0])
    w.wait(f"return {timeline(0)}.title.label.endsWith('(raw)')")
    wait_rows(w, ALL, 0)
    box = boxes(w, ".branch.raw .end")[0]
    chain = w.chain().click_and_hold(box).move_by_offset(8, 0)
    chain.perform()
    w.wait("return document.querySelector('#drawer .branch.fresh').offsetHeight > 0")
    w.chain().move_to_element(w.find("#drawer .branch.fresh")).release().perform()
    w.wait(f"return {timeline(0)}.title.label.endsWith('(own filters)')")
    equal(own(w, 0), "hide row in beta")
    add(w, "hide row in gamma")
    wait_rows(w, ["proc", "alpha"], 0)
    # Behind the filters of another panel: it takes a copy of them.
    other = next(b for b in boxes(w, ".branch.shared .end") if b.text == name)
    drag(w, other, boxes(w, ".branch.own .step")[0])
    wait_rows(w, ["proc", "alpha"], 1)
    equal(own(w, 1), "hide row in beta\nhide row in gamma")
    drag(w, boxes(w, ".branch.own .end")[0], boxes(w, ".branch.shared .step")[0])
    wait_rows(w, WITHOUT_BETA, 0)
    equal(own(w, 0), None)
    # By the menu.
    ActionChains(w.browser).context_click(boxes(w, ".branch.own .end")[0]).perform()
    w.wait("return document.querySelector('[role=menuitem]')")
    choose(w, "Panel: raw, without filters")
    wait_rows(w, ALL, 1)


@test
def a_closed_panel_asks_for_nothing(w):
    w.run("window.shut = weft.panels()[0]; window.shut.close(); performance.clearResourceTimings()")
    view = w.run("return window.shut.view.name")
    equal(w.run("return window.shut.isDisposed"), True)
    w.run("weft.setWindow(1e9, 5e9)")
    w.wait_frames()
    asked = w.run("return performance.getEntriesByType('resource').map((r) => r.name)")
    equal([url for url in asked if f"/{view}.packed" in url], [])


@test
def the_filters_of_the_command_line_are_shown_and_can_be_left(w):
    path = os.path.join(FOLDER, "chain.weft-filters")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# one row less\nhide row in beta\n")
    with Workbench(WEFT, [SMALL, "--filters", path], browser=w.browser) as other:
        other.wait_frames()
        wait_rows(other, WITHOUT_BETA)
        show_face(other, "Filters")
        equal([n.get_attribute("value") for n in other.browser.find_elements(By.CSS_SELECTOR, LINES)], ["hide row in beta"])
        click_panel(other, 0)
        palette(other, "this panel: raw")
        wait_rows(other, ALL)
        palette(other, "this panel: with the filters")
        wait_rows(other, WITHOUT_BETA)
        next(b for b in other.browser.find_elements(By.CSS_SELECTOR, ".filters button") if b.text == "Remove all").click()
        wait_rows(other, ALL)


sys.exit(main())
