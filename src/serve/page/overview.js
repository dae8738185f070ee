// SPDX-License-Identifier: Apache-2.0
// The strip on top: the whole run, the window in it, marks and hits.  The window and its
// edges can be dragged; dragging beside it chooses another window.
import { askBytes, isForNow, LATER, panelName } from './api.js';
import { decode, still } from './scene.js';
import { draw } from './scene_draw.js';
import { on, setTime, setWindow, state, themeNow, zoomAt, panBy } from './state.js';
import { element, time } from './formatting.js';

const EDGE = 6;
let host,
  canvas,
  frame,
  moment,
  ticks,
  scene,
  wanted = 0;

function plot() {
  const p = scene?.frame.plot || [8, 20, host.clientWidth - 16, 40];
  return { x: p[0], y: p[1], width: p[2], height: p[3] };
}
const xAt = (t) => plot().x + (t / state.span) * plot().width;
const timeAt = (x) => ((x - plot().x) / plot().width) * state.span;

async function load() {
  const mine = ++wanted;
  scene = null;
  if (!state.facts || !host.clientWidth) return;
  if (!state.facts.fills.includes('overview')) return paint();
  try {
    const buffer = await askBytes('view/overview.packed', {
      trace: state.trace,
      filters: state.filtersSent,
      bare: 1,
      theme: themeNow(),
      width: host.clientWidth,
      height: host.clientHeight,
      panel: panelName('overview'),
    });
    if (mine !== wanted) return;
    scene = decode(buffer);
  } catch (error) {
    if (mine !== wanted) return;
    if (isForNow(error))
      return void setTimeout(() => {
        if (mine === wanted) load();
      }, LATER);
  } // a trace without states has no overview; the window still works
  paint();
}

function paint() {
  const ratio = devicePixelRatio || 1,
    context = canvas.getContext('2d', { alpha: false });
  canvas.width = Math.max(1, Math.round(host.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(host.clientHeight * ratio));
  canvas.style.width = host.clientWidth + 'px';
  canvas.style.height = host.clientHeight + 'px';
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = scene?.background || getComputedStyle(host).backgroundColor;
  context.fillRect(0, 0, host.clientWidth, host.clientHeight);
  if (scene) draw(context, scene, still, plot(), ratio);
  place();
  marks();
}

function place() {
  const x0 = xAt(state.begin),
    x1 = xAt(state.end);
  frame.style.left = x0 + 'px';
  frame.style.width = Math.max(3, x1 - x0) + 'px';
  moment.hidden = state.time === null;
  moment.style.left = xAt(state.time ?? 0) + 'px';
  host.setAttribute('aria-valuetext', `${time(state.begin)} to ${time(state.end)}`);
}

function marks() {
  const nodes = [],
    scale = state.ticksPerSecond / 1e9;
  for (const mark of state.marks) {
    const node = element('i', { className: 'mark', title: mark.note });
    node.style.left = xAt(mark.begin_ns * scale) + 'px';
    nodes.push(node);
  }
  const bins = state.hits?.bins || [];
  const most = Math.max(1, ...bins);
  // At most one tick a pixel, however many hits there are.
  let last = -2;
  bins.forEach((n, i) => {
    const x = Math.round(xAt(((i + 0.5) / bins.length) * state.span));
    if (!n || x - last < 2) return;
    last = x;
    const node = element('i', { className: 'hit' });
    node.style.left = x + 'px';
    node.style.opacity = 0.4 + (0.6 * n) / most;
    nodes.push(node);
  });
  ticks.replaceChildren(...nodes);
}

function dragged(event) {
  const box = host.getBoundingClientRect(),
    x = event.clientX - box.left;
  const x0 = xAt(state.begin),
    x1 = xAt(state.end);
  const whole = state.end - state.begin >= state.span * 0.999;
  const kind = event.shiftKey
    ? 'moment'
    : Math.abs(x - x0) <= EDGE
      ? 'begin'
      : Math.abs(x - x1) <= EDGE
        ? 'end'
        : x > x0 && x < x1 && !whole
          ? 'move'
          : 'new';
  const from = timeAt(x),
    { begin, end } = state;
  host.setPointerCapture(event.pointerId);
  if (kind === 'moment') setTime(from);
  host.onpointermove = (e) => {
    const at = Math.max(0, Math.min(state.span, timeAt(e.clientX - box.left)));
    if (kind === 'moment') setTime(at);
    else if (kind === 'begin') setWindow(Math.min(at, end - 1), end);
    else if (kind === 'end') setWindow(begin, Math.max(at, begin + 1));
    else if (kind === 'move') {
      const to = Math.max(0, Math.min(begin + at - from, state.span - (end - begin)));
      setWindow(to, to + end - begin);
    } else if (Math.abs(e.clientX - box.left - x) > 3)
      setWindow(Math.min(from, at), Math.max(from, at));
  };
  host.onpointerup = (e) => {
    host.onpointermove = hover;
    if (kind === 'new' && Math.abs(e.clientX - box.left - x) <= 3) {
      const length = end - begin;
      setWindow(from - length / 2, from + length / 2);
    }
  };
}

function hover(event) {
  const x = event.clientX - host.getBoundingClientRect().left;
  host.style.cursor =
    Math.abs(x - xAt(state.begin)) <= EDGE || Math.abs(x - xAt(state.end)) <= EDGE
      ? 'ew-resize'
      : '';
}

export function startOverview() {
  host = document.getElementById('overview');
  canvas = element('canvas', { role: 'img' });
  frame = element('div', { className: 'window' });
  ticks = element('div', { className: 'ticks' });
  moment = element('div', { className: 'moment', hidden: true });
  host.append(canvas, frame, ticks, moment);
  host.addEventListener('pointerdown', dragged);
  host.onpointermove = hover;
  host.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      if (e.ctrlKey || !e.shiftKey)
        zoomAt((state.begin + state.end) / 2, Math.exp(e.deltaY * 0.0025));
    },
    { passive: false },
  );
  host.addEventListener('keydown', (e) => {
    const length = state.end - state.begin;
    if (e.key === 'ArrowLeft') panBy(-length / 10);
    else if (e.key === 'ArrowRight') panBy(length / 10);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  new ResizeObserver(load).observe(host);
  on('window', place);
  on('time', place);
  on('marks', marks);
  on('hits', marks);
  on('theme', load);
  on('trace', load);
  on('filters', (of) => of || load());
}
