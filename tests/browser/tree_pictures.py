#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The workbench's trees in a real browser: their colours and layouts, what the line below says,
playing, and edges.  TAP on standard output."""
import math
import os
import re
import subprocess
import sys
import time

from checks import equal, has, near
from setting import FOLDER, SCREENSHOTS, SOURCE, WEFT, test
from tree_page import (
    QUEENS, TREE, choose, click_picks, colors_around, drawn, frame, layer_texts, legend,
    open_view, place_of, places, run_trees, settings, status, tooltip)
from workbench import Workbench
from selenium.webdriver.common.keys import Keys


# ---- Colours and layouts ----

@test
def colours_say_pe_time_both_or_procedure(w):
    run = w.sort
    open_view(w, zoom="2")
    pe_colors = [legend(w)[f"PE {pe}"][1] for pe in range(run.n_pes)]
    rows = places(w)
    root = place_of(rows, run.nodes[0])
    late = max((n for n in run.nodes if not n.children), key=lambda n: n.time)

    def count(colors):
        seen = w.pixels(TREE)
        return sum(seen.get(color, 0) for color in colors)

    assert count(pe_colors) > 500
    choose(w, "color", "time")
    has(status(w), "by time")
    equal(legend(w), {})
    assert count(pe_colors) < 20, count(pe_colors)
    has(layer_texts(w, "status"), "0 s")
    has(layer_texts(w, "status"), "55.6 ms")

    rows = places(w)  # the panel has no legend now, and more room

    def darkness(node):  # of the strongest colour at its dot
        at = place_of(rows, node)
        seen = colors_around(w, at["x"], at["y"], 2)
        return max(765 - sum(int(color[i:i + 2], 16) for i in (1, 3, 5)) for color in seen)

    assert darkness(run.nodes[0]) > darkness(late) + 100, (darkness(late), darkness(run.nodes[0]))
    even = w.pixels(TREE)
    w.run("weft.panels()[0].set('spectrum', 'vista')")  # a setting that is seldom wanted
    w.wait_frames()
    spectrum = w.pixels(TREE)
    assert len(set(spectrum) - set(even)) > 50
    assert any(int(c[1:3], 16) > 200 and int(c[3:5], 16) < 60 and int(c[5:7], 16) < 120 for c in spectrum)  # red
    w.run("weft.panels()[0].set('spectrum', 'even')")
    w.wait_frames()
    choose(w, "color", "pe-time")
    has(status(w), "by PE and time")
    root = place_of(places(w), run.nodes[0])
    assert count(pe_colors) > 100  # corners
    assert sum(n for c, n in w.pixels(TREE).items() if c in even and c not in pe_colors) > 500  # polygons
    has(colors_around(w, root["x"], root["y"], 1), pe_colors[run.nodes[0].pe])
    choose(w, "color", "procedure")
    has(status(w), "by procedure")
    root = place_of(places(w), run.nodes[0])
    equal(sorted(legend(w)), sorted({run.procedure(n) for n in run.nodes}))
    for name, entry in legend(w).items():
        near(entry[3], sum(run.procedure(n) == name for n in run.nodes) / len(run.nodes), 1e-4)
        if name != "sort":
            assert count([entry[1]]) > 100, name
    has(colors_around(w, root["x"], root["y"], 1), legend(w)["sort"][1])


@test
def layouts_radial_icicle_and_top_down(w):
    run = w.sort
    open_view(w)
    x, y = frame(w)["anchor"]
    rows = places(w)
    step = max(math.hypot(r["x"] - x, r["y"] - y) for r in rows) / max(r["ring"] for r in rows)
    for row in rows:
        near(math.hypot(row["x"] - x, row["y"] - y), row["ring"] * step, 0.05)
    w.wheel(w.canvas(TREE), -200)
    w.wait("return weft.panels()[0].settings.zoom")
    choose(w, "layout", "icicle")
    equal(settings(w).get("zoom"), None)
    rows = places(w)
    width, colors = frame(w)["plot"][2], legend(w)
    equal(len(rows), len(run.nodes))
    bars = {m["id"]: m for m in w.run("""
      return weft.panels()[0].picture.scene.layers.filter((l) => l.name === 'nodes').flatMap((l) => l.marks)
        .map((m) => ({ id: m[5].id, x: m[1], y: m[2], width: m[3], height: m[4] }))""")}
    equal(len(bars), len(run.nodes))
    of = {}
    for row in rows:
        node = run.nodes[row["record"] - 1]
        of[node] = next(b for b in bars.values() if abs(b["x"] - row["x"]) < 0.02 and abs(b["y"] - row["y"]) < 0.02)
    near(of[run.nodes[0]]["width"], width, 1.5)
    for node, bar in of.items():
        if node.parent:
            above = of[node.parent]
            assert bar["y"] >= above["y"] + above["height"] - 0.1, (node.record, bar, above)
            assert bar["x"] >= above["x"] - 0.1 and bar["x"] + bar["width"] <= above["x"] + above["width"] + 1.1
        if bar["width"] > 4 and bar["height"] > 4:
            has(colors_around(w, bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2, 1), colors[f"PE {node.pe}"][1])
    # A bar is picked by a click in it, far from where its node "is".
    bar = of[run.nodes[1]]
    click_picks(w, bar["x"] + bar["width"] * 0.9, bar["y"] + bar["height"] / 2, 2)
    choose(w, "layout", "top-down")
    rows = places(w)
    lines = {}
    for row in rows:
        lines.setdefault(row["ring"], set()).add(row["y"])
    assert all(max(ys) - min(ys) < 0.05 for ys in lines.values())
    heights = [min(lines[ring]) for ring in sorted(lines)]
    assert all(b - a > 4 for a, b in zip(heights, heights[1:])), heights
    assert len([row for row in rows if 0 <= row["x"] <= 1102]) == len(run.nodes)


# ---- What the line below says ----

@test
def levels_are_condensed_when_there_is_no_room(w):
    run = w.sort
    open_view(w)
    w.run("weft.panels()[0].set('distance', '20')")
    w.wait("return weft.panels()[0].settings.distance === '20'")
    text = status(w)
    rows = places(w)
    rings = max(row["ring"] for row in rows) + 1
    levels = run.nodes[0].levels()
    assert rings < levels
    has(text, f"{levels} levels on {rings} rings (")
    equal(drawn(text), len(rows))
    shown = {row["level"] for row in rows}
    equal(len(shown), rings)
    hidden = sum(row["condensed"] for row in rows)
    has(text, f"{len(run.nodes) - len(rows) - hidden} folded")
    x, y = frame(w)["anchor"]
    outer = max(math.hypot(r["x"] - x, r["y"] - y) for r in rows if r["ring"] == rings - 1)
    assert outer / (rings - 1) >= 15, outer / (rings - 1)


@test
def what_is_below_a_pixel_is_counted(w):
    run = w.queens
    with Workbench(WEFT, [w.queens_path, "--set", "source=" + QUEENS], browser=w.browser) as v:
        open_view(v)
        text, rows, n = status(v), places(v), len(run.nodes)
        assert 1000 < len(rows) < n, len(rows)
        has(text, f"{n:,} nodes: {len(rows):,} drawn, {n - len(rows):,} below a pixel (shades)")
        equal(sum(row["condensed"] for row in rows), n - len(rows))
        has(text, f"{run.n_pes} PEs")
        # So are the migrations between nodes that are too small to see.
        open_view(v, edges="bundles", **{"edge-kind": "migration"})
        if run.migrations():
            assert re.search(rf"[0-9]+ of {len(run.migrations())} edges", status(v)), status(v)
        # Enlarged, what is in the picture is drawn to the last.
        open_view(v, zoom="60")
        assert "below a pixel" not in status(v), status(v)
        v.screenshot(os.path.join(SCREENSHOTS, "what_is_below_a_pixel_is_counted.png"))


# ---- Playing ----

def part_now(w):
    """How much of the run there is."""
    return w.run("return (weft.state.time ?? weft.state.span - 1) / (weft.state.span - 1)")


def play(w, direction="forwards"):
    """The button that plays in this direction, or pauses."""
    w.run("document.querySelectorAll('#transport .icon')[arguments[0]].click()", 3 if direction == "forwards" else 1)


def check_played(w):
    """As many nodes as there were by then."""
    # The end of the span is a tick after the last record.
    by_then = sum(n.time <= part_now(w) * (w.sort.span + 1) for n in w.sort.nodes)
    near(drawn(status(w)), by_then, 1)
    return by_then


@test
def the_run_is_played_forwards_and_backwards(w):
    open_view(w)
    w.run("window.drawn = []; weft.on('painted', (p) => { const l = p.scene.layers.find((l) => l.name === 'status');"
          " const m = l.marks.find((m) => m[0] === 'text')[5].match(/all ([0-9]+) nodes|nodes: ([0-9]+) drawn/);"
          " window.drawn.push(Number(m[1] || m[2])); })")
    play(w)
    w.wait("return window.drawn.length > 12 && weft.state.time > 0.12 * weft.state.span", what="it to play")
    # It plays on while one zooms.
    w.wheel(w.canvas(TREE), -20)
    now = part_now(w)
    w.wait(f"return weft.state.time > ({now} + 0.08) * weft.state.span", what="it to play on")
    play(w)
    time.sleep(0.1)
    stopped = part_now(w)
    grown = w.run("return window.drawn")
    assert len(set(grown)) > 5 and grown[0] < 15 and grown == sorted(grown), grown
    time.sleep(0.3)
    equal(part_now(w), stopped)
    w.run("weft.panels()[0].showAll()")
    many = check_played(w)
    assert 10 < many < len(w.sort.nodes)
    has(w.text(".subtitle"), ", at ")
    play(w, "backwards")
    w.wait(f"return weft.state.time < ({stopped} - 0.08) * weft.state.span", what="it to play backwards")
    play(w, "backwards")
    time.sleep(0.1)
    assert check_played(w) < many
    # To its end, by the slider; and without a moment it is the whole run, too.
    w.find("#transport input[type=range]").send_keys(Keys.END)
    equal(part_now(w), 1)
    has(status(w), f"all {len(w.sort.nodes)} nodes drawn")
    w.find("#transport .forget").click()
    w.wait("return weft.state.time === null")
    has(status(w), f"all {len(w.sort.nodes)} nodes drawn")
    assert ", at " not in w.text(".subtitle")


@test
def what_is_outside_the_window_is_grey(w):
    run = w.sort
    open_view(w, layout="icicle")
    rows, colors = places(w), legend(w)
    w.run("weft.setWindow(10000, 20000)")
    time.sleep(0.4)
    w.wait_frames()
    width, step = frame(w)["plot"][2], places(w)[1]["y"] - places(w)[0]["y"]
    inside = outside = 0
    for row in rows:
        node = run.nodes[row["record"] - 1]
        if abs(node.time - 10000) < 50 or abs(node.time - 20000) < 50 or width / len(run.nodes) < 3:
            continue
        there = colors_around(w, row["x"] + 2, row["y"] + step / 2, 0)
        color = colors[f"PE {node.pe}"][1]
        if 10000 < node.time < 20000:
            has(there, color)
            inside += 1
        else:
            assert color not in there, (node.record, there)
            outside += 1
    assert inside > 10 and outside > 50, (inside, outside)


# ---- Edges ----

def edge_marks(w):
    return w.run("return weft.panels()[0].picture.scene.layers.filter((l) => l.name === 'edges')"
                 ".flatMap((l) => l.marks).filter((m) => m[0] === 'line').length")


@test
def migrations_on_demand(w):
    run = w.sort
    open_view(w, zoom="1")
    equal(edge_marks(w), 0)
    assert "migration" not in legend(w)
    all_of_them = len(run.migrations())
    assert all_of_them > 50
    choose(w, "edges", "subtree")
    has(status(w), f"{all_of_them} of {all_of_them} edges")
    equal(edge_marks(w), all_of_them)
    color = legend(w)["migration"][1]
    assert "data dependence" not in legend(w)  # this trace knows of none
    # A straight line from a parent to a child: at its middle its colour, mixed with what is below.
    choose(w, "edge-kind", "dependence")
    equal(edge_marks(w), 0)
    choose(w, "edge-kind", "migration")
    equal(edge_marks(w), all_of_them)
    choose(w, "edges", "bundles")
    has(status(w), f"{all_of_them} of {all_of_them} edges")
    # Of one node that is marked: in from its parent, and out to its children.
    choose(w, "edges", "node")
    node = max(run.nodes, key=lambda n: sum(c.pe != n.pe for c in n.children) + bool(n.parent and n.parent.pe != n.pe))
    w.run("weft.panels()[0].set('node', arguments[0])", f"record:{node.record}")
    some = sum(c.pe != node.pe for c in node.children) + bool(node.parent and node.parent.pe != node.pe)
    assert some >= 3, some
    has(status(w), f"{some} of {some} edges")
    equal(edge_marks(w), some)
    # Within its subtree.
    w.run("weft.panels()[0].set('edges', 'subtree')")
    n = len(run.migrations(node))
    has(status(w), f"{n} of {n} edges")
    # And seen: pixels between red and what is below appear.
    w.run("weft.panels()[0].set('node', '')")
    w.wait_frames()
    with_edges = w.pixels(TREE)
    w.run("weft.panels()[0].set('edges', 'none')")
    w.wait_frames()
    without = w.pixels(TREE)
    red = [int(color[i:i + 2], 16) for i in (1, 3, 5)]

    def reddish(seen):
        return sum(n for c, n in seen.items() if sum(abs(int(c[1 + 2 * i:3 + 2 * i], 16) - red[i]) for i in range(3)) < 70)
    assert reddish(with_edges) > reddish(without) + 100, (reddish(with_edges), reddish(without))


@test
def data_dependences_on_demand(w):
    # On one PE: each goal that was suspended was woken by the reduction that bound its variable.
    path = os.path.join(FOLDER, "buffer.weft")
    program = os.path.join(SOURCE, "examples", "fghc", "buffer.fghc")
    told = subprocess.run([WEFT, "fghc", program, "go(20,3,S)", "-o", path], check=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    n = int(re.search(r"([0-9]+) suspensions", told)[1])
    assert n > 5, told
    with Workbench(WEFT, [path, "--source-root", SOURCE], browser=w.browser) as v:
        open_view(v)
        equal(edge_marks(v), 0)
        choose(v, "edges", "subtree")
        has(status(v), f"{n} of {n} edges")
        equal(edge_marks(v), n)
        has(legend(v), "data dependence")
        choose(v, "edge-kind", "migration")
        equal(edge_marks(v), 0)
        choose(v, "edge-kind", "dependence")
        # From the middle of an edge: what it is, and beneath it the node where it ends.
        line, end = v.run("""
          const marks = weft.panels()[0].picture.scene.layers.find((l) => l.name === 'edges').marks;
          const line = marks.find((m) => m[0] === 'line')[1], n = line.length;
          return [line.slice(n - 8, n - 6), line.slice(n - 2)];""")
        v.hover(TREE, *line)
        v.wait("return document.getElementById('tooltip').textContent.includes('procedure: ')")
        equal(v.texts("#tooltip div")[0], "data dependence")
        facts = tooltip(v, *end)
        has(facts, "suspended at")
        has(facts, "woken by")
        has({"produce", "consume"}, facts["woken by"].split(" ")[0])
        # Of the node alone, once it is picked; two at most start or end there.
        v.click(TREE, *end)
        v.wait("return weft.panels()[0].settings.node")
        choose(v, "edges", "node")
        assert 1 <= edge_marks(v) <= 2, edge_marks(v)
        equal(v.complaints(), [])
        v.screenshot(os.path.join(SCREENSHOTS, "data_dependences_on_demand.png"))


@test
def an_edge_is_told_with_the_node(w):
    node = w.sort.migrations()[0]
    open_view(w, edges="subtree", zoom="9")
    rows = places(w)
    seen = {row["record"] for row in rows}
    plot = w.plot(TREE)

    def inside(row):
        return plot["x"] + 20 < row["x"] < plot["x"] + plot["width"] - 20 and plot["y"] + 20 < row["y"] < plot["y"] + plot["height"] - 60
    node = next(n for n in w.sort.migrations() if n.record in seen and n.parent.record in seen
                and inside(place_of(rows, n)) and inside(place_of(rows, n.parent)))
    a, b = place_of(rows, node), place_of(rows, node.parent)
    # A curve beside the straight line from the parent to the child, at seven tenths of it.
    beside = 2 * 0.7 * 0.3 * 0.18
    w.hover(TREE, a["x"] * 0.7 + b["x"] * 0.3 + beside * (a["y"] - b["y"]),
            a["y"] * 0.7 + b["y"] * 0.3 - beside * (a["x"] - b["x"]))
    w.wait("return document.getElementById('tooltip').textContent.includes('record: ')")
    lines = w.texts("#tooltip div")
    equal(lines[0], "migration")
    has(lines, f"record: {node.record}")

sys.exit(run_trees())
