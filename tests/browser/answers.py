#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the workbench makes of answers that are errors, break off, or come late or in another order.
TAP on standard output."""
import os
import sys

import traces
from checks import equal, has
from own import folder_of, main, open_trace
from setting import FOLDER, WEFT, test
from workbench import Workbench
from selenium.webdriver.common.keys import Keys


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
def what_somebody_else_cancels_is_asked_for_again_in_a_while(browser):
    path = traces.write(os.path.join(FOLDER, "runs"), "small.paje", traces.SMALL)
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        visible = 1 + w.run("return weft.panels().filter((p) => p.isVisible).length")  # and the pane
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
            if (/overview.packed|times.rows/.test(pathname)) window.names.add(searchParams.get('panel'));
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
        assert all(len(name) > len("summary") for name in names), names
        w.run("const s = document.getElementById('theme'); s.click(); [...document.querySelectorAll('dialog.menu button')].find((b) => b.textContent.endsWith('Light')).click()")


@test
def what_the_worker_draws_is_what_the_page_draws(browser):
    rows = "".join(f"5 0 r{i} T 0 row{i}\n" for i in range(40))
    changes = "".join(f"6 {i / 100} S r{i * 7 % 40} {'run wait read'.split()[i % 3]}\n" for i in range(6000))
    path = traces.write(os.path.join(FOLDER, "runs"), "many-marks.paje",
                        traces.HEAD + "0 T 0 Thread\n1 S T State\n" + rows + changes)
    panel = "const p = weft.panels().find((p) => p.view.name === 'space-time').picture;"
    pixels = """const canvas = p.canvas, all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let sum = 0;
      for (let i = 0; i < all.length; i++) sum = (Math.imul(sum, 31) + all[i]) | 0;
      return sum"""
    made = "return [...new Set(p.scene.groups.map((g) => g.canvas?.constructor.name).filter(Boolean))]"
    with Workbench(WEFT, [path], browser=browser) as w:
        w.wait_frames()
        # States as columns, as rectangles with names, and both.
        for begin, end in ((0, 60), (10, 12), (20, 31)):
            w.run(f"weft.setWindow({begin}e9, {end}e9)")
            w.wait_frames()
            equal(w.run(panel + made), ["ImageBitmap"])
            drawn = w.run(panel + pixels)
            w.run(panel + "for (const g of p.scene.groups) g.canvas = null; p.paint()")
            equal(w.run(panel + made), ["OffscreenCanvas"])
            equal(w.run(panel + pixels), drawn)


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


sys.exit(main())
