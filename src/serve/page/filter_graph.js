// SPDX-License-Identifier: Apache-2.0
// The chains of filters as a graph: from the trace through the shared chain to the panels
// that share it; raw panels hang on the trace, panels with chains of their own behind
// these.  Boxes are chosen, and dragged to other places.
import { openMenu } from './commands.js';
import { element } from './formatting.js';
import { chain, chainItems, giveChain, setChain } from './filters.js';
import { emit, setActive, state } from './state.js';

const FAR = 5; // pixels until a press is a drag

// The filters with the one at FROM put at TO.
export function moved(filters, from, to) {
  const others = filters.filter((_, i) => i !== from);
  others.splice(to, 0, filters[from]);
  return others;
}

const complain = (fault) => fault && emit('error', fault.message);

// Chooses a filter: the face shows the chain that it is in.
function choose({ of, i }, show) {
  const sharing = state.panels().find((p) => !p.own && p.isVisible);
  setActive(of || sharing || null);
  emit('face', 'filters');
  show(i);
}

async function moveFilter({ of, i }, to) {
  const filters = chain(of);
  if (to < 0 || to >= filters.length || to === i) return;
  complain(await setChain(moved(filters, i, to), of));
  emit('face', 'filters');
  boxes().find((box) => box.place.of === of && box.place.i === to)?.focus();
}

// Puts a panel behind the trace, the shared chain, a new chain of its own, or a copy of
// that of another panel.
async function movePanel(panel, { of, kind }) {
  if (of && of !== panel) {
    giveChain(panel, 'own');
    complain(await setChain(chain(of), panel));
  } else if (!of && kind !== panel.chainKind()) giveChain(panel, kind);
}

const graph = () => document.querySelector('.filter-graph');
const boxes = () => [...graph().querySelectorAll('.box')];

// Returns the part of the graph under the pointer on which DRAGGED may be put; or null.
function targetAt(event, dragged) {
  const over = document.elementFromPoint(event.clientX, event.clientY),
    box = over?.closest('.filter-graph .box, .filter-graph .branch');
  if (!box || box.place === dragged) return null;
  return dragged.panel
    ? box
    : box.place.i !== undefined && box.place.of === dragged.of
      ? box
      : null;
}

// Makes a box draggable; a press that does not move is a click, which the box handles.
function draggable(box, place) {
  box.onpointerdown = (press) => {
    if (press.button !== 0) return;
    const done = new AbortController();
    let target = null;
    const aim = (next) => {
      target?.classList.remove('target');
      target = next;
      target?.classList.add('target');
    };
    const move = (e) => {
      const far = Math.hypot(e.clientX - press.clientX, e.clientY - press.clientY) >= FAR;
      box.dragged ||= far;
      if (!box.dragged) return;
      graph()?.classList.toggle('carries', Boolean(place.panel));
      aim(targetAt(e, place));
    };
    const end = (e) => {
      const to = e.type === 'pointerup' && target?.place;
      done.abort();
      aim(null);
      graph()?.classList.remove('carries');
      if (!to) return;
      if (place.panel) movePanel(place.panel, to);
      else moveFilter(place, to.i);
    };
    box.dragged = false;
    for (const [what, run] of [['pointermove', move], ['pointerup', end], ['pointercancel', end]])
      document.addEventListener(what, run, { signal: done.signal });
  };
}

function boxOf(className, text, title, place, act) {
  const box = element(
    'button',
    { type: 'button', className: `box ${className}`, title, tabIndex: -1 },
    text,
  );
  box.place = place;
  if (act) box.onclick = () => (box.dragged ? (box.dragged = false) : act());
  return box;
}

function filterBox(filter, i, of, show) {
  const place = { of, i, kind: of ? 'own' : 'shared' },
    box = boxOf(
      filter.on ? 'step' : 'step off',
      element('span', {}, filter.text),
      `${filter.text}${filter.on ? '' : ' (switched off)'}\nDrag, or Alt and the arrows: another place`,
      place,
      () => choose(place, show),
    );
  box.setAttribute('aria-label', `Filter ${i + 1}: ${filter.text}`);
  draggable(box, place);
  return box;
}

function panelBox(panel) {
  const place = { panel, of: panel.own?.text ? panel : null, kind: panel.chainKind() },
    box = boxOf(
      panel === state.active ? 'end active' : 'end',
      panel.view.title,
      `${panel.title.label}\nDrag it behind the trace, the filters or “own filters”, or choose by a right click`,
      place,
      () => emit('show-panel', panel),
    );
  box.oncontextmenu = (e) => {
    e.preventDefault();
    const { left, bottom } = box.getBoundingClientRect();
    openMenu(left, bottom, chainItems(panel));
  };
  draggable(box, place);
  return box;
}

// A row of the graph: filters, then the panels that they lead to.
function branch(kind, of, panels, show) {
  const filters = kind === 'raw' ? [] : chain(of),
    row = element(
      'div',
      { className: `branch ${kind}` },
      ...filters.map((filter, i) => filterBox(filter, i, of, show)),
      panels.length ? element('span', { className: 'ends' }, ...panels.map(panelBox)) : null,
    );
  row.place = { of, kind };
  return row;
}

// Arrows go from box to box; with Alt they move a filter.
function stepBox(event) {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key],
    box = event.target.closest('.box');
  if (!by || !box) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.altKey) {
    if (box.place.i !== undefined) moveFilter(box.place, box.place.i + by);
    return;
  }
  const all = boxes();
  all[all.indexOf(box) + by]?.focus();
}

// The graph, or null while all panels show the trace itself.  SHOW(i) shows the line of a
// filter of the chain that the face shows.
export function filterGraph(show) {
  const panels = state.panels(),
    own = panels.filter((p) => p.own?.text),
    raw = panels.filter((p) => p.chainKind() === 'raw'),
    shared = panels.filter((p) => !p.own);
  if (!state.filters.trim() && !own.length && !raw.length) return null;
  const empty = element('div', { className: 'branch fresh' }, 'own filters');
  empty.place = { of: null, kind: 'own' };
  const trace = boxOf('trace', state.facts?.name || 'The trace', 'The trace', {
    of: null,
    kind: 'raw',
  });
  const node = element(
    'div',
    { className: 'filter-graph', role: 'group', 'aria-label': 'Filters and panels', onkeydown: stepBox },
    trace,
    element(
      'div',
      { className: 'branches' },
      branch('shared', null, shared, show),
      raw.length ? branch('raw', null, raw, show) : null,
      ...own.map((panel) => branch('own', panel, [panel], show)),
      empty,
    ),
  );
  // One Tab stop: the active panel's box, else the first.
  (node.querySelector('.active') || trace).tabIndex = 0;
  return node;
}
