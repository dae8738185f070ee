#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pointing at things lights what belongs to them, in a real browser.  As features.py."""
import json
import os
import subprocess
import sys

from checks import equal, has
from setting import BUILD, FOLDER, WEFT, test
from small import SECOND, main
from workbench import Workbench
from selenium.webdriver.common.keys import Keys

ACCENT = "#2f6fde"


def related(w):
    """The things that are lit, by their ids, when they are."""
    related = w.wait("return weft.state.related")
    return {thing["id"]: thing for thing in related["things"]}


@test
def a_message_lights_what_both_ends_did(w):
    """alpha sends at 4, when its waiting begins; beta receives at 5, when its running begins."""
    marks_before = w.pixels("space-time").get(ACCENT, 0)
    link = w.run("""
      const picture = weft.panels()[0].picture;
      for (const layer of picture.scene.layers) for (const mark of layer.marks)
        if (mark[0] === 'line' && (mark[mark.length - 1].title || '').includes('→')) {
          const m = picture.move(), p = mark[1];
          return [(p[0] + p[2]) / 2 * m.sx + m.tx, (p[1] + p[3]) / 2 + (layer.moves & 2 ? m.ty : 0)];
        }""")
    w.hover("space-time", *link)
    things = sorted((t["relation"], t["of"], t["name"], t["begin"] // SECOND) for t in related(w).values())
    equal(things, [("from", "alpha", "waiting", 4), ("to", "beta", "running", 5)])
    w.wait("return document.getElementById('tooltip').textContent.includes('to: beta')")
    w.wait_frames()
    assert w.pixels("space-time").get(ACCENT, 0) > marks_before + 100
    # Nothing is lit any more when the pointer is elsewhere; the picture has not moved.
    window = w.window()
    plot = w.plot("space-time")
    w.hover("space-time", plot["x"] - 60, plot["y"] - 4)
    w.wait("return weft.state.related === null")
    w.wait_frames()
    equal(w.pixels("space-time").get(ACCENT, 0), marks_before)
    equal(w.window(), window)


@test
def what_begins_and_ends_no_message_lights_nothing(w):
    at = w.mark("space-time", "io · ")
    w.hover("space-time", at["x"], at["y"])
    equal(related(w), {})


@test
def a_wait_lights_its_lock_and_who_let_it_end(w):
    recording = os.path.join(FOLDER, "inspected.weft")
    subprocess.run([WEFT, "record", "-o", recording, "--", os.path.join(BUILD, "examples", "contended_lock")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Workbench(WEFT, [recording], browser=w.browser) as v:
        v.wait_frames()
        # L: the longest wait, as the command line has it.
        longest = json.loads(subprocess.run(
            [WEFT, "render", "instances", recording, "--set", "where=blocked", "--format", "json"],
            check=True, capture_output=True, text=True).stdout)[0]["duration_ns"]
        v.press("l")
        v.wait("return weft.state.picked")
        equal(v.run("return weft.state.picked.end - weft.state.picked.begin"), longest)
        v.press("/")
        v.find("#query").send_keys("blocked on mutex", Keys.ENTER)
        v.wait("return weft.state.picked?.name === 'blocked on mutex'")
        v.wait("return document.querySelector('#drawer .facts')")
        # The two locks are known; the one that the wait names in its facts is lit.
        lock = v.run("return weft.state.picked.facts.find((f) => f.name === 'object').value").split("/")[-1]
        v.run("document.activeElement.blur(); weft.setWindow(weft.state.picked.begin - 1000, weft.state.picked.end + 1000)")
        v.wait_frames()
        middle = v.run("""
          const p = weft.panels()[0].picture, s = p.scene, id = weft.state.picked.id, row = weft.state.picked.row;
          for (const l of s.layers) for (const m of l.marks) if (m[m.length - 1].row === row)
            return [p.xAt((weft.state.picked.begin + weft.state.picked.end) / 2), m[2] + m[4] / 2 + p.move().ty];""")
        v.hover("space-time", *middle)
        things = related(v)
        equal([t["name"] for t in things.values() if t["relation"] == "object"], [lock])
        for thing in things.values():
            if thing["relation"] == "waits, too":
                equal(thing["name"], "blocked on mutex")
        v.wait("return document.getElementById('tooltip').textContent.includes('object: ')")
        has(v.text("#tooltip"), "object: " + lock)
        # The lock's details: its waits by line and row, the longest; a line leads to its waits.
        v.run("[...document.querySelectorAll('#drawer .facts tr')].find((r) => r.children[0].textContent === 'object').querySelector('button').click()")
        v.wait(f"return weft.state.picked?.kind === 'container' && weft.state.picked.name === '{lock}'")
        v.wait("return document.querySelectorAll('#drawer .question table').length === 4")
        equal(v.texts("#drawer .question h4"), ["waits for it, by line", "by row", "the longest", "holders and wakers"])
        has(v.text("#drawer .question td"), "contended_lock.c:")
        v.find("#drawer .question .can-pick").click()
        v.wait("return document.querySelector('#drawer [role=tab][aria-selected=true]').textContent === 'Instances'")
        v.wait("return document.querySelector('#drawer .face-table tbody tr')")
        equal(v.run("return weft.state.terms.filter((t) => t.startsWith('object = ')).length"), 1)
    w.open()
    w.wait_frames()


sys.exit(main())
