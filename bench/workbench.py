#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How smooth the workbench is: frames shown while the window moves, and how long a move takes
to reach the pixels, in headless Chromium on this machine, server and browser together.

bench/workbench.py WEFT TRACE [SECONDS [DELAY_MS [WIDTHxHEIGHT]]]

Keys are held and wheels turned through the browser's own input, as a person's would come.  A
picture counts as shown when it was painted in an animation frame of its own; a move reaches
the pixels at the end of the animation frame that painted it (there is no display here).  The
true frame is the server's for the window that is shown.  Then the pointer moves over the
picture: the time of each of its events in the page; and the longest instances and the causes
of the longest wait are asked for, as the pane does."""
import json
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "browser"))
from workbench import Workbench, start_browser  # noqa: E402

WATCH = """
  const w = window.bench = { painted: [], moved: [], delays: [], truths: [], pending: null, asked: null };
  weft.on('window', () => { const now = performance.now(); w.moved.push(now); w.pending ??= now; w.asked ??= now; });
  weft.on('painted', (picture) => {
    if (picture.view.name !== 'space-time') return;
    const at = performance.now();
    w.painted.push(at);
    if (w.pending !== null) { w.delays.push(at - w.pending); w.pending = null; }
  });
  weft.on('frame', (picture) => {
    if (picture.view.name !== 'space-time') return;
    w.truths.push(picture.latency);
  });
"""


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else 0.0


def move(bench, seconds):
    """Pan and zoom without a rest: a key to pan is always held, A or D, and meanwhile W or S
    are held too, or the wheel is turned with Ctrl."""
    dice = random.Random(1)
    end = time.time() + seconds
    canvas = bench.canvas("space-time")
    while time.time() < end:
        begin, stop = bench.window()
        span = bench.run("return weft.state.span")
        pan = "d" if begin < span * 0.1 else "a" if stop > span * 0.9 else dice.choice("ad")
        bench.key_down(pan)
        zoom = dice.choice("wws" if stop - begin > span * 0.02 else "ss")
        bench.key_down(zoom)
        time.sleep(0.5)
        bench.key_up(zoom)
        for _ in range(8):
            bench.wheel(canvas, dice.choice((-60, -60, 60)), control=True,
                        x=dice.uniform(-0.3, 0.3))
        bench.key_up(pan)


def hover(bench):
    """How long the page takes for an event of a pointer that moves over the picture."""
    bench.wait_frames()
    return bench.run("""
      const canvas = weft.panels()[0].picture.canvas, box = canvas.getBoundingClientRect(), times = [];
      for (let i = 0; i < 200; i++) {
        const at = { bubbles: true, pointerId: 1, clientX: box.left + box.width * (0.2 + 0.003 * i),
                     clientY: box.top + box.height * (0.2 + 0.002 * i) };
        const from = performance.now();
        canvas.dispatchEvent(new PointerEvent('pointermove', at));
        times.push(performance.now() - from);
      }
      return times;""")


def ask(bench):
    """How long the answers take that the pane asks for, each in five other windows."""
    times = {"instances": [], "why": []}
    for i in range(5):
        for what in times:
            began = time.time()
            bench.browser.execute_async_script("""
              const [what, i, done] = arguments, { state } = weft, ask = (path, more) => {
                const address = new URL(path, location.href);
                for (const [k, v] of Object.entries({ trace: state.trace, ...more })) address.searchParams.set(k, v);
                return fetch(address, { headers: { Authorization: 'Bearer ' + new URL(location.href).searchParams.get('token') } })
                  .then((answer) => answer.text()).then(done, done);
              };
              const begin = Math.floor(state.span * (0.1 + 0.1 * i)), end = Math.floor(begin + state.span / 1000);
              ask(what === 'why' ? 'view/why.rows' : 'view/instances.rows', { begin, end, limit: 200 });""", what, i)
            times[what].append((time.time() - began) * 1000)
    return times


def main():
    weft, trace = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 60
    delay = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    size = tuple(map(int, sys.argv[5].split("x"))) if len(sys.argv) > 5 else (1920, 1080)
    browser = start_browser(size)
    began = time.time()  # the browser is there already, as a person's is
    with Workbench(weft, [trace], delay=delay, browser=browser) as bench:
        bench.wait("return weft.panels()[0].picture.scene && weft.panels()[0].picture.painted")
        first = time.time() - began
        bench.wait_frames()
        # One panel, as large as it gets.
        bench.run("for (const p of weft.panels()) if (p.view.name !== 'space-time') p.close();")
        # 64 rows: one of the 64 nodes of the store's benchmark, if this trace has such.
        bench.run("weft.panels()[0].set('rows', 'node 7,node7')")
        time.sleep(1)
        bench.wait_frames()
        if bench.run("return Boolean(weft.panels()[0].picture.failed)"):
            bench.run("weft.panels()[0].set('rows', '')")
            bench.wait_frames()
        rows = bench.run("""
          const scene = weft.panels()[0].picture.scene, rows = new Set();
          for (const layer of scene.layers) for (const m of layer.marks) if (m[m.length - 1].row) rows.add(m[m.length - 1].row);
          return rows.size;""")
        bench.run(WATCH)
        start = bench.run("return performance.now()")
        move(bench, seconds)
        w = bench.run("return window.bench")
        stop = bench.run("return performance.now()")
        hovers, answers = hover(bench), ask(bench)
        rss = bench.server_memory()
    browser.quit()
    # Frames in those seconds in which something moved: gaps of rest do not count.
    moving, last = 0.0, start
    for at in w["moved"]:
        moving += min(at - last, 50)
        last = at
    shown = len(w["painted"]) / (moving / 1000) if moving else 0
    name = "workbench" + (f"-delay-{delay}" if delay else "") + (f"-{sys.argv[5]}" if len(sys.argv) > 5 else "")
    print(f"{name}-first-picture {first:.2f} s after the command (wanted: 1)")
    print(f"{name}-frames-shown {shown:.1f} /s (wanted: 50; {rows} rows, "
          f"{len(w['painted'])} in {moving / 1000:.1f} s of moving, {(stop - start) / 1000:.1f} s in all)")
    print(f"{name}-input-to-pixels p50 {quantile(w['delays'], .5):.1f} p99 {quantile(w['delays'], .99):.1f} ms (wanted p99: 50)")
    print(f"{name}-true-frame p50 {quantile(w['truths'], .5):.1f} p99 {quantile(w['truths'], .99):.1f} ms, {len(w['truths'])} of them (wanted p99: 150)")
    gaps = [b - a for a, b in zip(w["painted"], w["painted"][1:]) if b - a < 500]  # longer: nothing moved
    print(f"{name}-between-frames p50 {quantile(gaps, .5):.1f} p95 {quantile(gaps, .95):.1f} ms (wanted p95: 33)")
    print(f"{name}-hover p50 {quantile(hovers, .5):.1f} p95 {quantile(hovers, .95):.1f} ms (wanted: 8)")
    for what, times in answers.items():
        print(f"{name}-{what} p50 {quantile(times, .5):.0f} most {max(times):.0f} ms (wanted: 100)")
    print(f"{name}-server-memory {rss:.0f} MB above the file (wanted: 300)")


main()
