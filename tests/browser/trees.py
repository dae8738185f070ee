#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench's trees, as a person uses them, in a real browser: what is there at first, zooming,
pointing, subtrees, and other traces.  TAP on standard output."""
import json
import math
import os
import sys
import time
import urllib.parse

import traces
from checks import equal, has, near, until
from setting import FOLDER, SCREENSHOTS, SIZE, WEFT, test
from tree_page import (
    ACCENT, SORT, TREE, choose, choose_menu, click_picks, colors_around, details, frame,
    layer_texts, legend, nearest, open_beside, open_view, place_of, places, resize, run_trees,
    settings, status, tooltip)
from workbench import Workbench
from selenium.webdriver.common.keys import Keys


# ---- What is there at first ----

@test
def opens_from_the_catalogue(w):
    run = w.sort
    equal(w.find(f"[data-view={TREE}]").get_attribute("aria-disabled"), "false")
    w.find(f"[data-view={TREE}]").click()
    w.wait("return weft.panels().some((p) => p.view.name === 'reduction-tree' && p.picture.scene)")
    open_view(w)
    n = len(run.nodes)
    has(status(w), f"all {n} nodes drawn · {run.nodes[0].levels()} levels · ")
    has(status(w), " · 4 PEs · by PE")
    shares = legend(w)
    seen = w.pixels(TREE)
    for pe in range(run.n_pes):
        near(shares[f"PE {pe}"][3], run.on_pe(pe) / n, 1e-4)
        assert seen.get(shares[f"PE {pe}"][1], 0) > 50, (pe, seen.get(shares[f"PE {pe}"][1]))
    # The root's dot stands where the picture says that the root is.
    x, y = frame(w)["anchor"]
    has(colors_around(w, x, y, 1), legend(w)["PE 0"][1])


@test
def every_control_is_there_once_and_can_be_reached(w):
    for size in ((1280, 800), (900, 640), None):
        if size:
            resize(w, *size)
            open_view(w)
        else:  # in half of the width
            resize(w, *SIZE)
            open_beside(w, TREE, "space-time")
        names = w.run("return [...weft.panels()[0].tools.querySelectorAll('[data-parameter]')].map((n) => n.dataset.parameter)")
        equal(sorted(names), sorted(set(names)))
        for name in ("layout", "color", "root", "node", "edges", "edge-kind"):
            has(names, name)
        # A narrow panel has those of every day, and all of them when asked.
        w.run("const more = weft.panels()[0].tools.querySelector('.more'); if (more.offsetParent) more.click();")
        hidden = w.run("""
          const panel = weft.panels()[0].node.getBoundingClientRect();
          const of = (n) => n.getBoundingClientRect();
          return [...weft.panels()[0].head.querySelectorAll('[data-parameter], button:not(.more)')].filter((n) => {
            const b = of(n), tools = of(n.closest('.tools'));
            return b.left < panel.left || b.right > panel.right + 0.5 || b.top < tools.top - 0.5 || b.bottom > tools.bottom + 0.5;
          }).map((n) => n.dataset.parameter || n.textContent);""")
        equal(hidden, [])


# ---- Zooming and moving ----

@test
def the_wheel_zooms_around_the_pointer(w):
    open_view(w)
    node = w.sort.nodes[98]  # away from the root
    at = place_of(places(w), node)
    w.hover(TREE, at["x"], at["y"])
    box = w.run("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", w.canvas(TREE))
    for _ in range(6):
        w.wheel(w.canvas(TREE), -120, x=at["x"] / box[0] - 0.5, y=at["y"] / box[1] - 0.5)
    w.wait("return Number(weft.panels()[0].settings.zoom) > 5")
    near(float(settings(w)["zoom"]), math.exp(6 * 120 * 0.0025), 0.01)
    now = place_of(places(w), node)
    # What the pointer misses the node by is enlarged, too.
    x, y = w.run("const p = weft.panels()[0].picture.pointer; return [p.x, p.y]")
    near(x, at["x"], 1)
    factor = float(settings(w)["zoom"])
    near(now["x"], x + (at["x"] - x) * factor, 1.5)
    near(now["y"], y + (at["y"] - y) * factor, 1.5)
    assert "nodes drawn" not in status(w), status(w)  # some are beyond the edge
    has(layer_texts(w, "names") or layer_texts(w, "labels"), "qsort")
    w.press(Keys.HOME)
    w.wait("return !weft.panels()[0].settings.zoom")
    has(status(w), f"all {len(w.sort.nodes)} nodes drawn")


@test
def a_picture_is_enlarged_until_the_next_comes(w):
    open_view(w)
    x, y = frame(w)["anchor"]
    plot = w.plot(TREE)
    color = legend(w)["PE 0"][1]
    px, py = int(plot["x"] + plot["width"] * 0.75), int(plot["y"] + 40)
    w.hover(TREE, px, py)
    w.run("window.realFetch = fetch; window.fetch = () => new Promise(() => {})")
    box = w.run("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", w.canvas(TREE))
    w.wheel(w.canvas(TREE), 120, x=px / box[0] - 0.5, y=py / box[1] - 0.5)
    w.wait("return Number(weft.panels()[0].settings.zoom) < 1")
    time.sleep(0.1)
    factor = math.exp(-120 * 0.0025)
    has(colors_around(w, px + (x - px) * factor, py + (y - py) * factor, 2), color)
    w.run("window.fetch = window.realFetch; weft.panels()[0].picture.change()")
    w.wait_frames()
    has(colors_around(w, px + (x - px) * factor, py + (y - py) * factor, 2), color)


@test
def dragging_moves_the_root(w):
    open_view(w)
    x, y = frame(w)["anchor"]
    w.drag(TREE, 200, 60, 120, 110)
    w.wait("return weft.panels()[0].settings.x")
    w.wait_frames()
    near(frame(w)["anchor"][0], x - 80, 1.5)
    near(frame(w)["anchor"][1], y + 50, 1.5)
    has(colors_around(w, x - 80, y + 50, 2), legend(w)["PE 0"][1])
    equal(w.run("return weft.state.picked"), None)  # a drag is no click
    # Two fingers move it, too.
    before = float(settings(w)["x"])
    w.wheel(w.canvas(TREE), 30, dx=60)
    w.wait(f"return Number(weft.panels()[0].settings.x) < {before - 0.01}")
    w.wait_frames()
    near(frame(w)["anchor"][0], x - 140, 1.5)
    near(frame(w)["anchor"][1], y + 20, 1.5)
    near(float(settings(w).get("zoom", 1)), 1, 1e-6)


@test
def keys_zoom_and_move_the_tree(w):
    open_view(w)
    x, y = frame(w)["anchor"]
    w.click(TREE, x, y)
    w.wait("return weft.state.picked")
    window = w.window()
    w.hover(TREE, x, y)
    w.hold("w", "return Number(weft.panels()[0].settings.zoom) > 1.3")
    near(float(settings(w)["x"]), 0.5, 0.01)  # the root is under the pointer
    w.hold("d", "return Number(weft.panels()[0].settings.x) < 0.45")
    equal(w.window(), window)  # the time has not moved
    w.press("-")
    w.press(Keys.HOME)
    w.wait("return !weft.panels()[0].settings.x")
    # Beside a timeline, keys zoom what the pointer is over.
    open_beside(w, TREE, "space-time", orientation="vertical")
    w.hover("space-time", 400, 60)
    w.hold("w", "return weft.state.end - weft.state.begin < 40000")
    equal(settings(w).get("zoom"), None)
    window = w.window()
    w.hover(TREE, 400, 60)
    w.hold("w", "return Number(weft.panels()[0].settings.zoom) > 1.3")
    equal(w.window(), window)


# ---- One node ----

@test
def pointing_tells_of_the_nearest_node(w):
    run = w.sort
    open_view(w)
    rows = places(w)
    x, y = frame(w)["anchor"]
    for dx, dy in ((20, -30), (-70, 12), (0, 0), (300, 100), (-400, -150)):
        row = nearest(rows, int(x + dx), int(y + dy))
        node = run.nodes[row["record"] - 1]
        facts = tooltip(w, int(x + dx), int(y + dy))
        equal(facts["record"], str(node.record))
        equal(facts["procedure"], run.procedure(node))
        has(facts["source"], f"quick_sort.fghc:{run.line(node)}")
        equal((facts["PE"], facts["index"]), (f"PE {node.pe}", str(node.index)))
        equal(facts["level"], str(node.level))
        equal(facts["children"], str(len(node.children)))
        equal(facts["nodes of its subtree"], str(len(node.subtree())))
        has(facts["in the run"], f"{100 * node.time / (run.span + 1):.1f} %")
        if node.parent:
            equal(facts["parent"], f"{run.procedure(node.parent)} (PE {node.parent.pe}, {node.parent.index})")
        if len(node.children) > 1:
            shares = facts["its PEs"]
            for pe in range(run.n_pes):
                if run.on_pe(pe, node):
                    has(shares, f"PE {pe} {100 * run.on_pe(pe, node) / len(node.subtree()):.1f} %")


@test
def a_click_picks_and_marks_and_shows_the_source(w):
    run = w.sort
    open_view(w)
    x, y = frame(w)["anchor"]
    before = w.pixels(TREE).get(ACCENT, 0)
    node = run.nodes[nearest(places(w), int(x + 20), int(y - 30))["record"] - 1]
    click_picks(w, x + 20, y - 30, node.record)
    at = place_of(places(w), node)
    assert colors_around(w, at["x"], at["y"], 9).get(ACCENT, 0) > 20, colors_around(w, at["x"], at["y"], 9)
    assert w.pixels(TREE).get(ACCENT, 0) > before
    facts = details(w)
    has(w.text("#drawer h3"), run.procedure(node))
    equal((facts["PE"], facts["index"], facts["clause"]), (f"PE {node.pe}", str(node.index), str(node.clause)))
    near(float(facts["begins"].split(" ")[0]), node.time / 1e6, 1e-6)
    has(facts["site"], f"quick_sort.fghc:{run.line(node)}")
    equal(w.text("#drawer .line.lit .number"), str(run.line(node)))
    has(w.text("#drawer .line.lit code"), run.procedure(node) + "(")
    # Another one; then it is that which is marked.
    other = run.nodes[nearest(places(w), int(x - 100), int(y + 20))["record"] - 1]
    assert other.record != node.record
    spot = place_of(places(w), other)
    click_picks(w, spot["x"] + 1, spot["y"] + 1, other.record)
    now = place_of(places(w), other)
    assert colors_around(w, now["x"], now["y"], 9).get(ACCENT, 0) > 20
    equal(colors_around(w, at["x"], at["y"], 9).get(ACCENT, 0), 0)
    w.press(Keys.ESCAPE)
    w.wait("return !weft.state.picked")
    w.wait_frames()
    equal(colors_around(w, now["x"], now["y"], 9).get(ACCENT, 0), 0)


@test
def a_click_picks_the_nearest_where_one_has_zoomed_to(w):
    open_view(w, zoom="7.5", x="0.31", y="0.8")
    rows = places(w)
    plot = w.plot(TREE)
    for part in ((0.3, 0.5), (0.7, 0.3), (0.55, 0.85)):
        x, y = int(plot["x"] + plot["width"] * part[0]), int(plot["y"] + plot["height"] * part[1])
        row = nearest(rows, x, y)
        click_picks(w, x, y, row["record"])
        equal(w.text("#drawer .line.lit .number"), str(w.sort.line(w.sort.nodes[row["record"] - 1])))


# ---- Subtrees ----

@test
def into_a_subtree_and_one_within_it_and_back(w):
    run = w.sort
    open_view(w)
    whole = status(w)

    def enter(node):
        at = place_of(places(w), node)
        w.double_click(TREE, at["x"], at["y"])
        w.wait("return weft.panels()[0].picture.scene && document.querySelector('.subtitle').textContent"
               f".includes('(PE {node.pe}, {node.index})')", what="the subtree")
        n = len(node.subtree())
        has(status(w), f"all {n} nodes drawn · subtree of {node.levels()} levels")
        has(w.text(".subtitle"), f"subtree of {run.procedure(node)} (PE {node.pe}, {node.index})")
        assert w.run("return document.getElementById('tooltip').hidden")  # it was of the last picture
        equal(sorted(row["record"] for row in places(w)), sorted(each.record for each in node.subtree()))
        for pe in range(run.n_pes):
            if run.on_pe(pe, node):
                near(legend(w)[f"PE {pe}"][3], run.on_pe(pe, node) / n, 1e-4)

    outer = max((n for n in run.nodes if 3 <= n.level <= 4), key=lambda n: len(n.subtree()))
    inner = max((n for n in outer.subtree() if n.level == outer.level + 2), key=lambda n: len(n.subtree()))
    assert len(run.nodes) > len(outer.subtree()) > len(inner.subtree()) > 5
    w.wheel(w.canvas(TREE), -200)
    w.wait("return weft.panels()[0].settings.zoom")
    enter(outer)
    equal(settings(w).get("zoom"), None)  # the subtree is shown whole, wherever one was
    first = status(w)
    enter(inner)
    w.press(Keys.BACK_SPACE)
    until(lambda: status(w) == first)
    w.press(Keys.BACK_SPACE)
    until(lambda: status(w) == whole)
    w.press(Keys.BACK_SPACE)
    time.sleep(0.05)
    equal(status(w), whole)


@test
def subtrees_by_the_menu(w):
    run = w.sort
    open_view(w)
    whole = status(w)
    for node in (run.nodes[4], run.nodes[12]):
        node = node if len(node.subtree()) > 3 else node.parent
        open_view(w)
        at = place_of(places(w), node)
        w.right_click(TREE, at["x"], at["y"])
        choose_menu(w, "Show the subtree of this node")
        has(status(w), f"subtree of {node.levels()} levels")
    first = status(w)
    child = max(node.children, key=lambda n: len(n.subtree()))
    at = place_of(places(w), child)
    w.right_click(TREE, at["x"], at["y"])
    choose_menu(w, "Show the subtree of this node")
    has(status(w), f"subtree of {child.levels()} level")
    w.right_click(TREE, 200, 60)
    choose_menu(w, "Back to the subtree before")
    equal(status(w), first)
    w.right_click(TREE, 200, 60)
    assert "Back to the subtree before" not in w.texts("dialog.menu button")
    choose_menu(w, "Show the whole tree again")
    equal(status(w), whole)


# ---- Keeping, other numbers, other traces ----

@test
def the_address_keeps_the_picture(w):
    open_view(w)
    choose(w, "color", "procedure")
    choose(w, "layout", "top-down")
    at = place_of(places(w), w.sort.nodes[4])
    click_picks(w, at["x"], at["y"], 5)
    w.wheel(w.canvas(TREE), -120)
    w.wait("return weft.panels()[0].settings.zoom")
    w.wait("return decodeURIComponent(location.hash).includes('\"zoom\"')", what="the address to settle")
    before, line = settings(w), status(w)
    w.browser.refresh()
    w.wait_frames()
    equal(settings(w), before)
    equal(status(w), line)
    w.wait("return weft.state.picked?.name === 'qsort'")


@test
def numbers_behind_the_tree(w):
    run = w.sort
    open_view(w)
    w.press("t")
    w.wait("return document.querySelector('.table-host tbody tr')")
    equal(w.run("return document.querySelectorAll('.table-host tbody tr').length"), len(run.nodes))
    open_view(w, "tree-pes")
    marks = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[0] === 'text').map((m) => m[5])")
    for pe in range(run.n_pes):
        came = sum(n.pe == pe for n in run.migrations())
        left = sum(n.parent.pe == pe for n in run.migrations())
        line = next(m for m in marks if m.startswith(f"{run.on_pe(pe)} reductions") and f"{came} in, {left} out" in m)
        has(line, "busy ")
    open_view(w, "tree-parallelism")
    texts = w.run("return weft.panels()[0].picture.scene.layers.flatMap((l) => l.marks).filter((m) => m[0] === 'text').map((m) => m[5])")
    assert any(t.startswith("PEs running: parallelism used, up to 4") for t in texts), texts


@test
def calls_of_a_nested_trace(w):
    path = traces.write(FOLDER, "nested.paje", traces.NESTED)
    with Workbench(WEFT, [path], browser=w.browser) as v:
        open_view(v)
        # The root, a node for each row, and 7 calls: five levels.
        has(status(v), "all 10 nodes drawn · 5 levels")
        rows = {(row["procedure"], row["time_ns"]): row for row in places(v)}
        equal({name: row["level"] for (name, _), row in rows.items()},
              {"all": 0, "alpha": 1, "beta": 1, "main": 2, "serve": 2, "load": 3, "solve": 3, "reply": 3, "step": 4})
        reply = rows["reply", 6500000000]
        facts = tooltip(v, reply["x"], reply["y"])
        equal((facts["name"], facts["thread"], facts["time"]), ("reply", "beta", "6.50 s"))
        has(facts["parent"], "serve")
        v.click(TREE, reply["x"], reply["y"])
        v.wait("return weft.state.picked?.name === 'reply'")
        v.wait("return document.querySelector('#drawer h3')?.textContent.includes('reply')")
        equal((details(v)["begins"], details(v)["lasts"]), ("6.5 s", "1.00 s"))
        v.wait_frames()
        assert colors_around(v, reply["x"], reply["y"], 9).get(ACCENT, 0) > 20
        step = rows["step", 7000000000]
        v.double_click(TREE, rows["solve", 4000000000]["x"], rows["solve", 4000000000]["y"])
        v.wait("return weft.panels()[0].settings.root")
        has(status(v), "all 3 nodes drawn · subtree of 2 levels")
        equal({row["procedure"] for row in places(v)}, {"solve", "step"})
        assert place_of(places(v), type("", (), {"record": step["record"]}))["level"] == 1
        v.screenshot(os.path.join(SCREENSHOTS, "calls_of_a_nested_trace.png"))
        equal(v.complaints(), [])
    # States that do not nest are no tree: the catalogue says what it takes.
    flat = traces.write(FOLDER, "flat.paje", traces.ONE_EVENT)
    with Workbench(WEFT, [flat], browser=w.browser) as v:
        v.wait("return weft.state.facts && document.querySelector('.more-views')").click()
        equal(v.find(f"[data-view={TREE}]").get_attribute("aria-disabled"), "true")
        has(v.find(f"[data-view={TREE}]").text, "threads that create others")


@test
def hatches_tell_pes_apart_in_black_and_white(w):
    run = w.sort
    layout = {"weft_layout": 1, "main": {"type": "tab-area", "currentIndex": 0, "panels": [
        {"view": TREE, "settings": {"zoom": "5"}, "mode": "picture"}]}}
    w.open("#" + urllib.parse.quote(json.dumps({"trace": 0, "theme": "mono", "layout": layout})))
    w.wait_frames()
    looks = w.run("return [...document.querySelectorAll('.legend .swatch')].map((s) => { const c = getComputedStyle(s);"
                  " return c.backgroundColor + c.backgroundImage; })")
    equal(len(set(looks)), run.n_pes)
    rows, seen = places(w), 0
    shown = {row["record"]: row for row in rows}
    plot = w.plot(TREE)
    for node in run.nodes:
        corners = [node] + node.children
        hatched = legend(w)[f"PE {node.pe}"][2]
        if not hatched or len(corners) < 4 or not all(c.record in shown for c in corners):
            continue
        # The middle of the parent and two neighbouring children: within the family.
        a, b, c = (shown[n.record] for n in corners[:3])
        x, y = (a["x"] + b["x"] + c["x"]) / 3, (a["y"] + b["y"] + c["y"]) / 3
        area = abs((b["x"] - a["x"]) * (c["y"] - a["y"]) - (c["x"] - a["x"]) * (b["y"] - a["y"])) / 2
        if area > 900 and plot["x"] + 8 < x < plot["x"] + plot["width"] - 8 and plot["y"] + 8 < y < frame(w)["plot"][3] - 8:
            assert len(colors_around(w, x, y, 4)) > 1, node.record
            seen += 1
    assert seen >= 2, seen


def sort_on_one_pe(run):
    """The same goals at the same times, all of them on PE 0."""
    lines = ["1"]
    for node in run.nodes:
        parent = run.nodes.index(node.parent) + 1 if node.parent else 0
        lines.append(f"{node.time + 166}\t{node.clause}\t0\t{node.record}\t0\t{parent}")
    return traces.write(FOLDER, "sort1.vista", "\n".join(lines) + "\n")


@test
def one_pe_beside_four(w):
    run = w.sort
    w.wait("return document.querySelector('.more-views')").click()
    equal(w.find("[data-view=tree-compare]").get_attribute("aria-disabled"), "true")
    view = "tree-compare"
    paths = [sort_on_one_pe(run), SORT + ".vista"]
    with Workbench(WEFT, [*paths, "--set", f"source={SORT}.fghc"], browser=w.browser) as v:
        v.wait("return document.querySelector('dialog.traces')")
        open_view(v, view)
        equal(v.find("[data-view=tree-compare]").get_attribute("aria-disabled"), "false")
        equal(v.texts(".panel [data-parameter=with] option"), ["sort1.vista", "quick_sort.vista"])
        n, elsewhere = len(run.nodes), sum(node.pe != 0 for node in run.nodes)
        has(status(v), f"{n} of {n} nodes are in both runs (the second has {n}) · {elsewhere} on another PE")
        titles = layer_texts(v, "title")
        has(titles, "First run, 1 PE, 55.6 ms")
        assert any(t.startswith("Second run, 4 PEs, 55.6 ms: order") for t in titles), titles
        half, height = frame(v)["again"][0], frame(v)["plot"][3]

        def halves():
            v.wait_frames()
            colors = [legend(v)[f"PE {pe}"][1] for pe in range(4)]
            left, right = (colors_around(v, x, 16 + height / 2, int(min(half, height) / 2) - 2)
                           for x in (8 + half / 2, 8 + half * 1.5))
            return [left.get(c, 0) for c in colors], [right.get(c, 0) for c in colors]

        # The order is that of the first: no colour says that anything differs.
        left, right = halves()
        assert left[0] > 300 and not any(left[1:]) and not any(right), (left, right)
        choose(v, "difference", "pe")
        left, right = halves()
        assert left[0] > 300 and not any(left[1:]), left
        assert not right[0] and all(count > 50 for count in right[1:]), right
        choose(v, "difference", "none")
        assert all(count > 50 for count in halves()[1]), halves()
        # Zoomed in the second, the same happens in the first.
        leaf = max((n for n in run.nodes if not n.children), key=lambda n: n.level)

        def dots():
            v.wait_frames()
            return v.run("""
              return weft.panels()[0].picture.scene.layers.filter((l) => l.name === 'nodes').map((l) => {
                const m = l.marks.find((m) => m[m.length - 1].id === arguments[0]);
                return m && (m[0] === 'glyph' ? [m[2], m[3]] : [m[1] + m[3] / 2, m[2] + m[4] / 2]); });""",
                         str(leaf.record - 1))
        first, second = dots()
        near(second[0] - first[0], half, 0.1)
        v.hover(view, *second)
        v.wait("return document.getElementById('tooltip').textContent.includes('second run')")
        lines = v.texts("#tooltip div")
        has(lines, f"PE 0, {leaf.record}")
        has(lines[-1], f"second run: PE {leaf.pe} at ")
        box = v.run("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", v.canvas(view))
        for _ in range(3):
            v.wheel(v.canvas(view), -120, x=second[0] / box[0] - 0.5, y=second[1] / box[1] - 0.5)
        v.wait("return Number(weft.panels()[0].settings.zoom) > 2.4")
        px, py = v.run("const p = weft.panels()[0].picture.pointer; return [p.x, p.y]")
        factor = float(settings(v)["zoom"])
        now = dots()
        near(now[1][0], px + (second[0] - px) * factor, 1.5)
        near(now[1][1], py + (second[1] - py) * factor, 1.5)
        near(now[1][0] - now[0][0], half, 0.1)
        v.screenshot(os.path.join(SCREENSHOTS, "one_pe_beside_four.png"))
        # The other way round.
        choose(v, "with", "0 sort1.vista")
        v.find("#trace").click()
        v.find("dialog.traces input").send_keys("quick", Keys.ENTER)
        v.wait("return weft.state.facts?.name === 'quick_sort.vista'")
        v.wait("return weft.panels()[0].picture.scene?.layers.some((l) => l.marks.some((m) => m[5] === 'First run, 4 PEs, 55.6 ms'))")
        has(status(v), f"{elsewhere} on another PE")
        equal(v.complaints(), [])


@test
def the_dark_theme_and_a_small_panel(w):
    open_view(w)
    w.find("#theme").click()
    w.run("[...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.endsWith('Dark')).click()")
    time.sleep(0.1)
    w.wait_frames()
    background = max(w.pixels(TREE).items(), key=lambda p: p[1])[0]
    assert int(background[1:3], 16) < 0x50, background
    for pe in range(w.sort.n_pes):
        assert w.pixels(TREE).get(legend(w)[f"PE {pe}"][1], 0) > 50
    w.screenshot(os.path.join(SCREENSHOTS, "the_dark_theme_and_a_small_panel.png"))
    # Beside two others, the line below is not wider than the picture.
    open_beside(w, TREE, "tree-levels", "tree-pes")
    w.wait_frames()
    wide = w.run("const c = document.createElement('canvas').getContext('2d'); c.font = \"11px 'Weft Sans'\";"
                 "return Math.max(...arguments[0].map((line) => c.measureText(line).width))", layer_texts(w, "status"))
    assert wide < w.plot(TREE)["width"] + 8, (wide, w.plot(TREE))
    has(status(w), "29 levels")

sys.exit(run_trees())
