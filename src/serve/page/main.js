// SPDX-License-Identifier: Apache-2.0
// The workbench: puts its parts together; keys, the address, the status line.
import { askJson, save } from './api.js';
import { addCommand, openCommands, openKeys, openMenu } from './commands.js';
import { startCatalogue } from './catalogue.js';
import { startConnection } from './connection.js';
import { isFace, pick, show, shownFace, startDrawer, step } from './drawer.js';
import {
  closePanel,
  current,
  defaultLayout,
  fitPanels,
  isMaximised,
  layout,
  maximise,
  openLayout,
  openView,
  panels,
  restore,
  restoreOwn,
  saveLayout,
  splitPanel,
  startLayout,
} from './layout.js';
import { addMark, startMarks } from './marks.js';
import { startOverview } from './overview.js';
import { hideTooltip } from './pointer.js';
import { rowAt } from './scene_search.js';
import { clearSearch, focusSearch, startSearch } from './search.js';
import {
  emit,
  numberOf,
  on,
  panBy,
  setPicked,
  setSelection,
  setTheme,
  setTime,
  setWindow,
  state,
  themeNames,
  themeNow,
  traceNow,
  zoomAt,
} from './state.js';
import { chainChoices, giveChain, setFilters } from './filters.js';
import { applyLooks } from './looks.js';
import { why } from './faces.js';
import { quickCommands, quickKeys } from './quick_answers.js';
import { joined, setTerms } from './terms.js';
import { offerToAll } from './panel_settings.js';
import { duration, element, time } from './formatting.js';
import { chooseTrace, openKept, openTrace } from './traces.js';
import { pause, play, startTransport, stepMoment } from './playback.js';

// ---- The address holds the whole state ----

const SETTLED = 400; // ms without a change until a zoom becomes a step of the history
let restoring = false,
  settle,
  written = '';

function stateText() {
  const wanted = {
    ...traceNow(),
    begin: Math.round(state.begin),
    end: Math.round(state.end),
    time: state.time === null ? undefined : Math.round(state.time),
    theme: state.theme,
    picked: state.picked?.id,
    selection: state.selection && {
      begin: Math.round(state.selection.begin),
      end: Math.round(state.selection.end),
      rows: state.selection.rows,
    },
    filters: state.filters || undefined,
    terms: state.terms.length ? state.terms : undefined,
    held: state.held || undefined,
    face: shownFace() === 'summary' ? undefined : shownFace(),
    layout: layout(),
  };
  return '#' + encodeURIComponent(JSON.stringify(wanted));
}

function writeAddress(step) {
  if (restoring || !state.facts || !panels().length) return;
  const text = stateText();
  if (text === written) return;
  written = text;
  history[step ? 'pushState' : 'replaceState'](null, '', text);
}

const keepSoon = (step) => () => {
  keepSoon.step ||= step;
  clearTimeout(settle);
  settle = setTimeout(() => {
    writeAddress(keepSoon.step);
    keepSoon.step = false;
  }, SETTLED);
};

// A change of the selection is a step of its own, which can be undone.
function keepNow() {
  if (state.selection?.live) return;
  clearTimeout(settle);
  keepSoon.step = false;
  writeAddress(true);
}

function readAddress() {
  try {
    return JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

async function restoreFilters(text) {
  const fault = text === state.filters ? null : await setFilters(text);
  if (fault) emit('error', fault.message);
}

async function restoreAddress(wanted) {
  restoring = true;
  try {
    if (wanted.theme) setTheme(wanted.theme);
    if (wanted.layout) restoreOwn(wanted.layout);
    if (numberOf(wanted) !== state.trace || !state.facts) await openKept(wanted, wanted);
    else {
      pause();
      if (wanted.end > wanted.begin) setWindow(wanted.begin, wanted.end);
      setTime(wanted.time ?? null);
    }
    if (!state.facts) return;
    setSelection(wanted.selection ? { ...wanted.selection, live: false } : null);
    await restoreFilters(String(wanted.filters || ''));
    setTerms(Array.isArray(wanted.terms) ? wanted.terms.map(String) : []);
    if (JSON.stringify(state.held) !== JSON.stringify(wanted.held || null)) {
      state.held = wanted.held || null;
      emit('held');
    }
    if (wanted.picked) await pick(wanted.picked, true);
    else setPicked(null);
    show(isFace(wanted.face) ? wanted.face : 'summary');
  } finally {
    restoring = false;
    written = location.hash;
  }
}

// ---- Moving ----

function pointerTime() {
  return state.cursor ?? (state.begin + state.end) / 2;
}

// Keys zoom the panel under the pointer, else the one that has the focus.
let over = null;
const zoomed = () => (over && !over.isDisposed ? over : current());

const held = new Set();
let moving = 0,
  lastMove = 0;
function keepMoving(now) {
  moving = 0;
  // the key was released before this frame: keep what was set since
  if (!held.size) return;
  moving = requestAnimationFrame(keepMoving);
  const seconds = Math.min(0.05, (now - lastMove) / 1000);
  lastMove = now;
  const panel = zoomed();
  if (panel?.zooms()) {
    panel.stepBy(
      Math.exp(3 * seconds * (held.has('w') - held.has('s'))),
      1.2 * seconds * (held.has('a') - held.has('d')),
    );
    return;
  }
  if (held.has('w')) zoomAt(pointerTime(), Math.exp(-3 * seconds));
  if (held.has('s')) zoomAt(pointerTime(), Math.exp(3 * seconds));
  const length = state.end - state.begin;
  if (held.has('a')) panBy(-length * 1.2 * seconds);
  if (held.has('d')) panBy(length * 1.2 * seconds);
}
function hold(key) {
  held.add(key);
  if (!moving) {
    lastMove = performance.now() - 16;
    moving = requestAnimationFrame(keepMoving);
  }
}

// Zooms one step: the picture if it zooms both ways, else the time.
function zoomStep(factor) {
  if (zoomed()?.zooms()) zoomed().stepBy(1 / factor);
  else zoomAt(pointerTime(), factor);
}

let framed = false;
function frame(range) {
  if (
    range &&
    !(framed && Math.abs(range.begin - state.begin) <= (range.end - range.begin) * 0.3)
  ) {
    const pad = Math.max(2, (range.end - range.begin) * 0.1);
    setWindow(range.begin - pad, range.end + pad);
    framed = true;
  } else {
    setWindow(0, state.span);
    framed = false;
  }
}

function clear() {
  if (state.playing) return pause();
  if (isMaximised()) return maximise();
  hideTooltip();
  setSelection(null);
  setPicked(null);
  setTerms([]);
  setTime(null);
  for (const panel of panels()) if (panel.settings.node) panel.set('node', undefined);
  clearSearch();
  show('summary');
}

// Picks the thing at the same time on the row above or below, so that the keyboard is
// enough.
async function stepRow(direction) {
  const panel = current(),
    picture = panel?.picture,
    scene = picture?.scene;
  if (!scene?.hasTime) return;
  const plot = picture.plot(),
    move = picture.move();
  const at = state.picked ? (state.picked.begin + state.picked.end) / 2 : pointerTime();
  const x = Math.max(plot.x, Math.min(plot.x + plot.width - 1, picture.xAt(at)));
  let y = direction > 0 ? plot.y : plot.y + plot.height - 1;
  for (let probe = plot.y; state.picked && probe < plot.y + plot.height; probe += 2) {
    const row = rowAt(scene, probe, move);
    if (row && row.about.row.replace('+', '') === state.picked.row) {
      y = direction > 0 ? row.y + row.height + 1 : row.y - 1;
      break;
    }
  }
  for (; y > plot.y - 1 && y < plot.y + plot.height; y += direction * 4) {
    const row = rowAt(scene, y, move);
    if (!row) continue;
    const facts = await panel.pointer.point({ x, y: row.y + row.height / 2 });
    if (facts?.id) return pick(facts.id);
    y = direction > 0 ? row.y + row.height : row.y;
  }
}

// Steps run one after the other, however fast keys are pressed, since each begins where the
// previous one ended.
let steps = Promise.resolve();
const afterSteps = (run) => {
  steps = steps.then(run, run);
};

const stepAlong = (which) =>
  afterSteps(() => (state.picked ? step(state.picked[which]) : stepRow(1)));
// If there is a moment, these keys move it instead.
const stepTime = (which) =>
  state.time === null
    ? stepAlong(which)
    : afterSteps(() => stepMoment(which === 'next' ? 1 : -1));

// ---- Keys ----

const keys = {
  ...quickKeys,
  f: () => frame(state.selection && !state.selection.live ? state.selection : state.picked),
  '.': () => stepTime('next'),
  ',': () => stepTime('previous'),
  ArrowRight: () => stepTime('next'),
  ArrowLeft: () => stepTime('previous'),
  ArrowDown: () => afterSteps(() => stepRow(1)),
  ArrowUp: () => afterSteps(() => stepRow(-1)),
  '[': () => stepAlong('incoming'),
  ']': () => stepAlong('outgoing'),
  '/': focusSearch,
  m: addMark,
  '?': () => openKeys(current()?.view),
  Escape: clear,
  x: () => maximise(),
  o: chooseTrace,
  t: () => {
    const panel = current();
    if (panel) panel.takesFocus = panel.mode !== 'table'; // then arrows and Enter go on
    panel?.setMode(panel.mode === 'table' ? 'picture' : 'table');
  },
  F1: openCommands,
  '>': openCommands,
  '+': () => zoomStep(0.7),
  '=': () => zoomStep(0.7),
  '-': () => zoomStep(1.4),
  Home: () => (zoomed()?.zooms() ? zoomed().showAll() : setWindow(0, state.span)),
  '}': () => current()?.changeDepth(1),
  '{': () => current()?.changeDepth(-1),
  y: () => emit('why'),
  Enter: () => current()?.actOnPicked(),
  Backspace: () => {
    if (current()?.named('root')) current().leave();
  },
};

function keyDown(event) {
  if (
    (event.ctrlKey || event.metaKey) &&
    event.shiftKey &&
    event.key.toLowerCase() === 'p'
  ) {
    event.preventDefault();
    return openCommands();
  }
  const undo = (event.ctrlKey || event.metaKey) && event.key === 'z';
  if (undo && event.target.tagName !== 'INPUT') {
    event.preventDefault();
    return history.back();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const tag = event.target.tagName,
    typing = tag === 'INPUT' && event.target.type !== 'checkbox';
  if (event.key === 'F1') {
    event.preventDefault();
    return openCommands();
  }
  if (typing || tag === 'SELECT') {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if ('wasd'.includes(key) && key.length === 1) {
    hold(key);
    event.preventDefault();
    return;
  }
  const arrow = key.startsWith('Arrow');
  if (key === ' ') {
    // the key presses the button, or checks the box
    if (tag === 'BUTTON' || tag === 'INPUT') return;
    event.preventDefault();
    return play(event.shiftKey ? -1 : state.playing || 1);
  }
  if (arrow && tag !== 'CANVAS' && tag !== 'BODY') return;
  const ofView = current()?.view.keys.find((each) => each.key === event.key);
  if (ofView) {
    event.preventDefault();
    return current().press(ofView);
  }
  if (keys[key]) {
    event.preventDefault();
    keys[key]();
  }
}

// ---- Export, theme, status ----

function exportWorkbench(ending) {
  const box = document.getElementById('dock').getBoundingClientRect();
  const lines = [`${Math.round(box.width)} ${Math.round(box.height)} ${themeNow()}`];
  for (const panel of panels()) {
    if (!panel.isVisible) continue;
    const at = panel.node.getBoundingClientRect();
    const query = new URLSearchParams(
      Object.entries(panel.query()).map(([k, v]) => [k, String(v)]),
    );
    lines.push(
      `${Math.round(at.left - box.left)} ${Math.round(at.top - box.top)} ${Math.round(at.width)} ${Math.round(at.height)} ${panel.view.name}?${query}`,
    );
  }
  save('workbench.' + ending, {}, 'workbench.' + ending, {
    post: lines.join('\n') + '\n',
  }).catch((error) => emit('error', error.message));
}

function menuBelow(button, items) {
  const box = button.getBoundingClientRect();
  openMenu(box.left, box.bottom + 2, items);
}

let status,
  complaint = '';
function tellStatus() {
  const parts = [];
  if (state.cursor !== null) parts.push(`cursor ${time(state.cursor)}`);
  parts.push(`window ${time(state.begin)} + ${duration(state.end - state.begin)}`);
  const picture = current()?.picture;
  if (picture?.latency) parts.push(`frame ${picture.latency.toFixed(0)} ms`);
  if (complaint) parts.unshift(complaint);
  status.textContent = parts.join('   ·   ');
  status.classList.toggle('wrong', Boolean(complaint));
}

function complain(text) {
  complaint = text;
  tellStatus();
  clearTimeout(complain.timer);
  complain.timer = setTimeout(() => {
    complaint = '';
    tellStatus();
  }, 8000);
}

function addCommands() {
  for (const view of state.catalogue.views)
    addCommand(`Open ${view.title}`, view.group, () => openView(view.name));
  addCommand('Choose another trace', 'O', chooseTrace);
  addCommand('Zoom to everything', 'Home', keys.Home);
  addCommand('Zoom to the selection or what is picked', 'F', keys.f);
  addCommand('Why the picked wait took so long', 'Y', keys.y);
  addCommand('Search', '/', focusSearch);
  addCommand('Mark', 'M', addMark);
  addCommand('Maximise this panel, and back', 'X', () => maximise());
  addCommand('This panel once more at the right', '', () => splitPanel('horizontal'));
  addCommand('This panel once more below', '', () => splitPanel('vertical'));
  addCommand('Picture or table', 'T', keys.t);
  addCommand('Open everything one level deeper', '}', keys['}']);
  addCommand('Open everything one level less deep', '{', keys['{']);
  for (const [which, title] of chainChoices)
    addCommand(title.replace('Panel', 'This panel'), '', () => current() && giveChain(current(), which));
  addCommand('Close this panel', '', closePanel);
  addCommand('Save the layout', '', saveLayout);
  addCommand('Open a layout', '', openLayout);
  addCommand('The layout as at first', '', () => restore(defaultLayout()));
  for (const [title, key, run] of quickCommands) addCommand(title, key, run);
  for (const ending of ['png', 'svg', 'pdf'])
    addCommand(`Save the workbench as ${ending.toUpperCase()}`, '', () =>
      exportWorkbench(ending),
    );
  for (const ending of ['png', 'svg', 'pdf', 'csv'])
    addCommand(`Save this panel as ${ending.toUpperCase()}`, '', () =>
      current()?.saveAs(ending),
    );
  for (const [name, title] of Object.entries(themeNames))
    addCommand(`Theme: ${title}`, '', () => setTheme(name));
  addCommand('The wheel zooms, or scrolls', '', () => {
    state.wheelZooms = !state.wheelZooms;
  });
  addCommand('Problems of the trace', '', () => show('problems'));
  addCommand('Keys', '?', keys['?']);
}

function wire() {
  document.addEventListener('keydown', keyDown);
  document.addEventListener('keyup', (e) => held.delete(e.key.toLowerCase()));
  addEventListener('blur', () => held.clear());
  addEventListener('popstate', () => {
    const wanted = readAddress();
    if (wanted) restoreAddress(wanted);
  });
  on('window', keepSoon(true));
  on('time', keepSoon(true));
  for (const what of ['layout', 'picked', 'theme']) on(what, keepSoon(false));
  for (const what of ['terms', 'selection', 'held', 'filters']) on(what, keepNow);
  on('trace', keepSoon(true));
  for (const what of ['cursor', 'window', 'frame']) on(what, tellStatus);
  on('error', complain);
  on('chosen', fitPanels);
  on('over', (panel) => {
    over = panel;
  });
  on('terms', () => offerToAll('where', joined(state.terms)));
  on('why', () => {
    if (state.picked?.waits) openView('why', { wait: state.picked.id }, true);
    else complain('Pick a wait first: a state in which a thread waits or sleeps.');
  });
  on('focus-picked', () => {
    framed = false;
    if (state.picked) frame(state.picked);
  });
  on('focus-selection', () => {
    framed = false;
    if (state.selection) frame(state.selection);
  });
  const by = (id) => document.getElementById(id);
  by('trace').onclick = chooseTrace;
  by('problems').onclick = () => show('problems');
  by('commands').onclick = openCommands;
  by('help').onclick = openKeys;
  by('theme').onclick = (e) =>
    menuBelow(
      e.currentTarget,
      Object.entries(themeNames).map(([name, title]) => ({
        title: (state.theme === name ? '✓ ' : '') + title,
        run: () => setTheme(name),
      })),
    );
  by('export').onclick = (e) =>
    menuBelow(e.currentTarget, [
      ...['png', 'svg', 'pdf'].map((ending) => ({
        title: 'Workbench as ' + ending.toUpperCase(),
        run: () => exportWorkbench(ending),
      })),
      { title: 'Save the layout', run: saveLayout },
      { title: 'Open a layout', run: openLayout },
    ]);
}

// A headless browser lays the page out some pixels lower than its picture, and grows the
// page when all is drawn: for weft view --shot the address has the picture's height.
// Leaves out what needs a reader's click.
const shotHeight = Number(new URLSearchParams(location.search).get('shot')) || 0;
function prepareShot() {
  document.documentElement.style.height = document.body.style.height = `${shotHeight}px`;
  for (const id of ['grip', 'drawer']) document.getElementById(id).hidden = true;
}

async function start() {
  if (shotHeight) prepareShot();
  status = document.getElementById('status');
  setTheme('auto');
  try {
    state.catalogue = await askJson('catalogue');
  } catch (error) {
    document
      .getElementById('dock')
      .append(
        element('div', { id: 'loading', role: 'alert' }, element('p', {}, error.message)),
      );
    return;
  }
  await document.fonts.load("12px 'Weft Sans'").catch(() => {});
  startLayout();
  startConnection();
  startCatalogue();
  startDrawer();
  startOverview();
  startSearch();
  startMarks();
  startTransport();
  addCommands();
  wire();
  const wanted = readAddress();
  if (wanted) return restoreAddress(wanted);
  if (state.catalogue.layout) restore(state.catalogue.layout);
  // of weft view --filters: the server has read them
  if (state.catalogue.filters) await setFilters(state.catalogue.filters);
  await openTrace(0);
  if (!state.filters && state.facts && !shotHeight) await applyLooks();
  if (!panels().length) restore(defaultLayout());
  if (state.catalogue.traces.length > 1 && !shotHeight) chooseTrace();
}

// For tests and measurements: the visible state, in numbers.
window.weft = {
  state,
  panels,
  setWindow,
  setTime,
  setTerms,
  setSelection,
  faces: { why },
  on,
};
start();
