// SPDX-License-Identifier: Apache-2.0
// State that all panels share: trace, window, cursor, selection, the picked thing, marks,
// theme.  Times are ticks from the start of the run (below 2^53: a double holds them).
// Changes go through the setters; displays listen with on().

const listeners = {};
// Calls RUN on each change; returns a function that ends this.
export function on(what, run) {
  (listeners[what] ||= new Set()).add(run);
  return () => listeners[what].delete(run);
}
export function emit(what, value) {
  for (const run of [...(listeners[what] || [])]) run(value);
}

export const state = {
  catalogue: null, // views and traces
  trace: 0, // its number in this run of the server; -1: there is none
  name: undefined, // its name, by which it is found after a restart of the server
  facts: null, // the answer of /trace
  ticksPerSecond: 1e9,
  span: 1, // ticks
  begin: 0,
  end: 1, // the window
  time: null, // the moment that is shown and marked; null: none
  playing: 0, // 1: the moment runs forwards, -1: backwards
  cursor: null, // the time at the pointer
  selection: null, // { begin, end, rows: ['#5', ...] }
  terms: [], // that narrow what the pane shows (terms.js)
  filters: '', // the chain between the trace and all that is shown (filters.js)
  filtersSent: '', // the same for the server: its text, or its key if it is long
  panels: () => [], // those that are open, in the order of the layout (layout.js)
  active: null, // the panel that was used last; its filters are those of the pane below
  held: null, // what is looked at is compared with this (terms.js); or null
  picked: null, // the answer of /detail
  pointed: null, // the id of the thing under the pointer, where views highlight it
  related: null, // the answer of /related about the thing under the pointer
  marks: [], // { begin_ns, length_ns, note }
  hits: null, // of the search
  find: '', // the search's text: views with a parameter `find` highlight what it names
  theme: 'auto',
  wheelZooms: false,
};

// Identifies a trace in what is kept: its number and its name.  A number is a place in the
// server's list, which may differ after a restart: the name decides.
export const traceNow = () => ({ trace: state.trace, name: state.name });

// Returns the number that a kept trace has now; -1: it is gone.  Without a name (kept by
// older pages), the number counts.
export function numberOf({ trace, name }) {
  const { traces } = state.catalogue,
    number = Number(trace) || 0;
  return name === undefined || traces[number]?.name === name
    ? number
    : traces.findIndex((one) => one.name === name);
}

// The chain of filters through which a panel shows the trace, as the server is told.
export const filtersOf = (panel) => (panel?.own ? panel.own.sent : state.filtersSent);

// Notes which panel is used.
export function setActive(panel) {
  if (state.active === panel) return;
  state.active = panel;
  emit('active');
}

const MIN_TICKS = 4;

export function setWindow(begin, end) {
  let length = Math.max(MIN_TICKS, Math.min(state.span, end - begin));
  begin = Math.max(0, Math.min(begin, state.span - length));
  if (begin === state.begin && begin + length === state.end) return;
  state.begin = begin;
  state.end = begin + length;
  emit('window');
}

export function zoomAt(time, factor) {
  setWindow(time - (time - state.begin) * factor, time + (state.end - time) * factor);
}

export function panBy(ticks) {
  const length = state.end - state.begin;
  const begin = Math.max(0, Math.min(state.begin + ticks, state.span - length));
  setWindow(begin, begin + length);
}

export function setCursor(time) {
  if (state.cursor === time) return;
  state.cursor = time;
  emit('cursor');
}

export function setPointed(id) {
  if (state.pointed === id) return;
  state.pointed = id;
  emit('pointed');
}

export function setRelated(related) {
  if (state.related === related) return;
  state.related = related;
  emit('related');
}

export function setTime(at) {
  at = at === null ? null : Math.max(0, Math.min(at, state.span - 1));
  if (state.time === at) return;
  state.time = at;
  emit('time');
}

export function setSelection(selection) {
  state.selection = selection;
  emit('selection');
}

export function setPicked(detail) {
  state.picked = detail;
  emit('picked');
}

// Moves the window to show a time, no more than needed.
export function reveal(begin, end) {
  const length = state.end - state.begin;
  if (end - begin > length)
    setWindow(begin - (end - begin) * 0.1, end + (end - begin) * 0.1);
  else if (begin < state.begin || end > state.end) {
    const middle = (begin + end) / 2;
    setWindow(middle - length / 2, middle + length / 2);
  }
}

const themes = ['auto', 'light', 'dark', 'grey', 'cvd', 'mono'];
const dark = matchMedia('(prefers-color-scheme: dark)');

export const themeNames = {
  auto: 'As the system',
  light: 'Light',
  dark: 'Dark',
  grey: 'Greyscale',
  cvd: 'Colour-blind safe',
  mono: 'Black and white',
};
export function themeNow() {
  return state.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : state.theme;
}
export function setTheme(theme) {
  state.theme = themes.includes(theme) ? theme : 'auto';
  document.documentElement.dataset.theme = themeNow();
  emit('theme');
}
dark.addEventListener('change', () => {
  if (state.theme === 'auto') setTheme('auto');
});
