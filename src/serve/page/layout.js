// SPDX-License-Identifier: Apache-2.0
// The places of panels: docking by Lumino, the default arrangement, and layouts as JSON,
// for the address, for a file and for --layout.
import { toArray } from '@lumino/algorithm';
import { DockPanel, Widget } from '@lumino/widgets';
import { saveBlob } from './api.js';
import { Panel } from './panel.js';
import { emit, on, setActive, state } from './state.js';

let dock;
let quiet = false; // while a layout is being restored
let beforeMaximising = null; // the layout to go back to

export const panels = () => toArray(dock.widgets());

function viewOf(name) {
  return state.catalogue.views.find((view) => view.name === name);
}

// The part of a layout about the filters of a panel that does not share them.
const chainOf = (panel) => ({
  ...(panel.own ? (panel.own.text ? { own: panel.own.text } : { raw: true }) : {}),
  ...(panel.own && panel === state.active ? { active: true } : {}),
});

// The text of the chain of its own that a layout gives a panel; null: it has none.
const ownOf = ({ raw, own }) => (typeof own === 'string' ? own : raw ? '' : null);

// A layout as JSON: Lumino's own description, with each widget replaced by what a panel
// needs to be made again (its view and its settings).
function describe(area) {
  if (!area) return null;
  if (area.type === 'tab-area') {
    return {
      type: area.type,
      currentIndex: area.currentIndex,
      panels: area.widgets.map((p) => ({
        view: p.view.name,
        settings: p.settings,
        mode: p.mode,
        ...(p.detached ? { detached: true } : {}),
        ...chainOf(p),
      })),
    };
  }
  return {
    type: area.type,
    orientation: area.orientation,
    sizes: area.sizes.map((s) => Math.round(s * 1000) / 1000),
    children: area.children.map(describe),
  };
}

// Returns the valid parts of such a description, which a person may have written; names of
// unknown views go into UNKNOWN.  Throws if nothing is valid.
function checked(area, unknown) {
  if (!area) return null;
  if (area.type === 'tab-area') {
    const shown = (area.panels || []).filter(
      (p) => viewOf(p.view) || !unknown.push(p.view),
    );
    const settings = (p) =>
      Object.fromEntries(
        Object.entries(p.settings || {}).filter(([, value]) => typeof value === 'string'),
      );
    return shown.length
      ? {
          type: 'tab-area',
          currentIndex: Math.min(Number(area.currentIndex) || 0, shown.length - 1),
          panels: shown.map((p) => ({ ...p, settings: settings(p) })),
        }
      : null;
  }
  if (area.type !== 'split-area') return null;
  const children = (area.children || []).map((child) => checked(child, unknown));
  const kept = children.filter(Boolean);
  if (kept.length < 2) return kept[0] || null;
  const sizes = (area.sizes || []).filter((size, i) => children[i] && size > 0);
  return {
    type: 'split-area',
    orientation: area.orientation === 'vertical' ? 'vertical' : 'horizontal',
    sizes: sizes.length === kept.length ? sizes.map(Number) : kept.map(() => 1),
    children: kept,
  };
}

// Makes the panels of a checked description.
function build(area) {
  if (!area) return null;
  if (area.type === 'split-area') return { ...area, children: area.children.map(build) };
  const widgets = area.panels.map((p) => {
    const panel = new Panel(
      viewOf(p.view),
      p.settings,
      p.mode === 'table' ? 'table' : 'picture',
      Boolean(p.detached),
      ownOf(p),
    );
    if (p.active) setActive(panel);
    return panel;
  });
  return { type: 'tab-area', currentIndex: area.currentIndex, widgets };
}

export const layout = () => ({
  weft_layout: 1,
  main: describe((beforeMaximising || dock.saveLayout()).main),
  drawer: document.getElementById('drawer').offsetHeight,
});

// Panels of a description, in the order of panels().
const described = (area) =>
  !area ? [] : area.panels || area.children.flatMap((child) => described(child));

const withoutChains = (main) =>
  JSON.stringify(main, function part(name, value) {
    return this.view && ['raw', 'own', 'active'].includes(name) ? undefined : value;
  });

// Takes a layout that the page has written: panels that only have other filters stay.
export function restoreOwn(wanted) {
  const now = layout();
  if (JSON.stringify(wanted.main) === JSON.stringify(now.main)) return;
  if (withoutChains(wanted.main) !== withoutChains(now.main)) return restore(wanted);
  const open = panels();
  described(wanted.main).forEach((p, i) => {
    const text = ownOf(p);
    if (text !== (open[i].own?.text ?? null)) open[i].changeOwn(text);
  });
}

export function restore(text) {
  let wanted;
  try {
    wanted = typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return emit('error', 'This is no layout file: it is not JSON.');
  }
  if (!wanted || wanted.weft_layout !== 1)
    return emit('error', 'This is no layout file of Weft.');
  const unknown = [];
  let main;
  try {
    main = checked(wanted.main, unknown);
  } catch {
    return emit('error', 'This layout is damaged.');
  }
  if (unknown.length)
    emit(
      'error',
      `This weft has no view called ${[...new Set(unknown)].join(', ')}: left out of the layout.`,
    );
  if (isMaximised()) maximise();
  quiet = true;
  try {
    for (const panel of panels()) panel.close();
    dock.restoreLayout({ main: build(main) });
    if (wanted.drawer >= 30)
      document.getElementById('drawer').style.height = wanted.drawer + 'px';
  } finally {
    quiet = false;
  }
}

const panel = (view, settings) => ({ view, settings: settings || {}, mode: 'picture' });
const area = (view) => ({ type: 'tab-area', currentIndex: 0, panels: [panel(view)] });
const split = (orientation, sizes, children) =>
  children.length === 1
    ? children[0]
    : { type: 'split-area', orientation, sizes, children };
const even = (orientation, children) =>
  split(
    orientation,
    children.map(() => 1 / children.length),
    children,
  );

const MIN_WIDTH = 420; // pixels: room for the names and numbers of bars
const LOW = 380; // pixels: two pictures below each other would show nothing

// Puts areas side by side as long as there is room; the others become tabs of the last one.
function sideBySide(areas) {
  const most = Math.max(
    2,
    Math.floor(document.getElementById('dock').offsetWidth / MIN_WIDTH),
  );
  const [shown, rest] = [areas.slice(0, most), areas.slice(most)];
  for (const one of rest) shown[most - 1].panels.push(...one.panels);
  return shown;
}

// The layout for a trace that is opened for the first time, by the views' places.
export function defaultLayout() {
  let opens = state.facts ? state.facts.opens : [];
  // An empty trace fills no view; the first view then tells that it is empty.
  if (!opens.length) opens = [{ view: state.catalogue.views[0].name, place: 'main' }];
  const at = (place) => opens.filter((o) => o.place === place).map((o) => area(o.view));
  const [main, beside, below] = [at('main'), at('beside'), at('below')];
  const upper = [main, beside]
    .filter((areas) => areas.length)
    .map((areas) => even('vertical', areas));
  // In a low window the main picture keeps its room: the others are tabs behind it.
  const all = [...main, ...beside, ...below];
  if (document.getElementById('dock').offsetHeight < LOW)
    return {
      weft_layout: 1,
      main: { ...all[0], panels: all.flatMap((one) => one.panels) },
    };
  // Views below get the height of some bars, those above the rest.
  const lower = Math.max(
    0.2,
    Math.min(0.45, 190 / document.getElementById('dock').offsetHeight),
  );
  const rows = upper.length ? [split('horizontal', [0.55, 0.45], upper)] : [];
  if (below.length) rows.push(even('horizontal', sideBySide(below)));
  return {
    weft_layout: 1,
    main: rows.length ? split('vertical', [1 - lower, lower], rows) : null,
  };
}

// Opens a panel of the view, or shows the one that is open, with these SETTINGS.  BESIDE:
// not over the current panel, which stays in sight, but over another one or below it.
// MODE: of a new panel.  Returns the panel.
export function openView(name, settings = {}, beside = false, mode = 'picture') {
  const view = viewOf(name),
    open = panels().find((p) => p.view.name === name);
  if (open) {
    for (const [setting, value] of Object.entries(settings)) open.set(setting, value);
    dock.activateWidget(open);
  } else if (view) {
    const added = new Panel(view, settings, mode),
      other = panels().findLast((p) => p.isVisible && p !== current());
    const over = beside ? other : current();
    dock.addWidget(added, {
      mode: over ? 'tab-after' : beside ? 'split-bottom' : 'split-right',
      ref: over || current(),
    });
    dock.activateWidget(added);
  }
  emit('layout');
  const opened = panels().find((p) => p.view.name === name);
  if (opened) setActive(opened); // keys are for it from now on
  return opened;
}

// Opens the panel's view a second time beside it, to compare two settings of one view.
export function splitPanel(orientation) {
  const from = current();
  if (!from) return;
  const { view, settings, mode, detached, own } = from;
  dock.addWidget(new Panel(view, settings, mode, detached, own ? own.text : null), {
    mode: orientation === 'vertical' ? 'split-bottom' : 'split-right',
    ref: from,
  });
  emit('layout');
}

export function current() {
  const { active } = state;
  return active && !active.isDisposed && panels().includes(active)
    ? active
    : panels().find((p) => p.isVisible) || null;
}

export function maximise(which) {
  const widget = which || current();
  if (!widget) return;
  if (beforeMaximising) {
    dock.mode = 'multiple-document';
    dock.restoreLayout(beforeMaximising);
    beforeMaximising = null;
  } else {
    beforeMaximising = dock.saveLayout();
    dock.mode = 'single-document';
  }
  dock.activateWidget(widget);
  document.body.classList.toggle('maximised', isMaximised());
}
export const isMaximised = () => Boolean(beforeMaximising);

// After another trace was chosen: replaces panels that it cannot fill by those that it
// opens with.
export function fitPanels() {
  const { facts } = state;
  if (!facts) return;
  const unfit = panels().filter((p) => !facts.fills.includes(p.view.name));
  if (!unfit.length) return;
  if (isMaximised()) maximise();
  if (unfit.length === panels().length) return restore(defaultLayout());
  for (const panel of unfit) panel.close();
  const shown = new Set(panels().map((p) => p.view.name));
  for (const { view, place } of facts.opens)
    if (place !== 'none' && !shown.has(view)) openView(view);
}

export function closePanel() {
  current()?.close();
}

export function saveLayout() {
  saveBlob(
    new Blob([JSON.stringify(layout(), null, 1) + '\n'], { type: 'application/json' }),
    'workbench.weft-layout',
  );
}

export function openLayout() {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.weft-layout,.json';
  input.onchange = async () => {
    restore(await input.files[0].text());
    emit('layout');
  };
  input.click();
}

export function startLayout() {
  dock = new DockPanel({ spacing: 6, tabsConstrained: true });
  dock.id = 'panels';
  const host = document.getElementById('dock');
  Widget.attach(dock, host);
  new ResizeObserver(() => dock.update()).observe(host);
  dock.layoutModified.connect(() => {
    if (!quiet) emit('layout');
  });
  state.panels = panels;
  on('maximise', maximise);
  on('show-panel', (panel) => {
    dock.activateWidget(panel);
    setActive(panel);
  });
  on('resized', () => dock.update());
}
