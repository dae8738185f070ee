// SPDX-License-Identifier: Apache-2.0
// The face of the pane that shows a chain of filters, from the trace down to the pictures:
// that of the panel which was used last if it has one of its own, else the one that panels
// share.  Each line can be switched off, moved, edited and removed.
import { saveBlob } from './api.js';
import { element } from './formatting.js';
import { filterGraph, moved } from './filter_graph.js';
import { chain, chainText, giveChain, setChain, setFilters } from './filters.js';
import { keepLooks, keptLooks, looksOf } from './looks.js';
import { emit, state } from './state.js';

// A chain that was typed and not taken: { of, text, filters, fault: { line, message } }; OF
// and TEXT are the one that it was to replace.  Or null.
let refused = null;
let unfinished = ''; // what is typed to be added

let shown = { of: null, key: '' }; // the panel whose chain the face shows, and all that it shows

const edited = () => (state.active?.own ? state.active : null);
const keyNow = () =>
  JSON.stringify([
    state.filters,
    state.panels().map((p) => [p.title.label, p.own?.text, p === state.active]),
  ]);
const again = () => emit('face', 'filters');
const fieldOf = (i) => `.filter:nth-of-type(${i + 1}) input[type=text]`;

async function take(filters, focus) {
  const { of } = shown,
    fault = await setChain(filters, of);
  refused = fault && { of, text: chainText(of), filters, fault };
  again();
  if (of === edited()) document.querySelector(focus)?.focus();
}

const button = (text, label, onclick, disabled = false) =>
  element('button', { type: 'button', title: label, 'aria-label': label, onclick, disabled }, text);

function lineOf(filter, i, filters) {
  const changed = (change) =>
      take(
        filters.map((each, k) => (k === i ? { ...each, ...change } : each)),
        fieldOf(i),
      ),
    without = () => take(filters.filter((_, k) => k !== i));
  const input = element('input', {
    type: 'text',
    value: filter.text,
    spellcheck: false,
    'aria-label': `Filter ${i + 1}`,
  });
  input.oninput = () => {
    input.edited = true;
  };
  input.onchange = () =>
    input.value.trim() ? changed({ text: input.value.trim() }) : without();
  input.onkeydown = (e) => {
    const by = e.altKey ? { ArrowUp: -1, ArrowDown: 1 }[e.key] : 0;
    if (!by || !filters[i + by]) return;
    e.preventDefault();
    take(moved(filters, i, i + by), fieldOf(i + by));
  };
  const fault = refused?.fault.line === i + 1 && refused.fault;
  return element(
    'li',
    { className: `filter${filter.on ? '' : ' off'}${fault ? ' wrong' : ''}` },
    element('input', {
      type: 'checkbox',
      checked: filter.on,
      title: 'Switched on',
      'aria-label': `Filter ${i + 1} is on`,
      onchange: (e) => changed({ on: e.target.checked }),
    }),
    input,
    button('↑', 'Earlier (Alt+Up)', () => take(moved(filters, i, i - 1)), i === 0),
    button('↓', 'Later (Alt+Down)', () => take(moved(filters, i, i + 1)), i + 1 === filters.length),
    button('✕', 'Remove', without),
    fault ? element('p', { className: 'fault', role: 'alert' }, fault.message) : null,
  );
}

function adding(filters) {
  const input = element('input', {
    type: 'text',
    className: 'add-filter',
    placeholder: 'hide duration < 1us · dim not blocked · group worker 0-63 by 4 · reduce groups as shades · color MPI_Recv = #d06000',
    'aria-label': 'Add a filter',
    spellcheck: false,
    value: unfinished,
  });
  input.oninput = () => {
    unfinished = input.value;
  };
  input.onkeydown = (e) => {
    if (e.key !== 'Enter' || !input.value.trim()) return;
    e.preventDefault();
    unfinished = '';
    take([...filters, { text: input.value.trim(), on: true }], '.add-filter');
  };
  return input;
}

function load() {
  const file = element('input', { type: 'file', accept: '.weft-filters,text/plain' }),
    { of } = shown;
  file.onchange = async () => {
    const fault = await setFilters(await file.files[0].text(), of);
    if (fault) emit('error', `${file.files[0].name}: ${fault.message}`);
    again();
  };
  file.click();
}

// Keeps how things look for all traces of this person; without such lines, forgets it.
function looksButton(filters) {
  const looks = looksOf(filters).length,
    kept = keptLooks().length;
  return button(
    looks || !kept ? 'Keep looks' : 'Forget looks',
    looks || !kept
      ? 'Begin with these colours, names, shapes and heights whenever a trace is opened'
      : `Begin without the ${kept} looks that were kept`,
    () => {
      if (!keepLooks(filters)) emit('error', 'There are too many looks to keep: save them as a file.');
      again();
    },
    !looks && !kept,
  );
}

// Says whose chain is shown.
function heading(of) {
  if (!of) return element('p', { className: 'quiet' }, state.facts ? state.facts.name : 'The trace');
  return element(
    'p',
    { className: 'whose' },
    'Of the panel ',
    element('b', {}, of.title.label),
    ' alone ',
    button('Share', 'Show this panel through the filters that panels share', () =>
      giveChain(of, 'shared'),
    ),
  );
}

function showLine(i) {
  const field = document.querySelector(fieldOf(i));
  field?.focus();
  field?.scrollIntoView({ block: 'nearest' });
}

// Shows the chains and panels that there are by now, unless a line is being edited.
export function refillFilters() {
  const focused = document.activeElement;
  if (shown.key === keyNow() || focused.edited) return;
  again();
  if (focused.className === 'add-filter') document.querySelector('.add-filter').focus();
}

export function filterFace() {
  const of = edited();
  shown = { of, key: keyNow() };
  if (refused && (refused.of !== of || refused.text !== chainText(of))) refused = null;
  const filters = refused ? refused.filters : chain(of),
    fault = refused?.fault;
  return element(
    'div',
    { className: 'face filters' },
    filterGraph(showLine),
    heading(of),
    element('ol', {}, ...filters.map(lineOf)),
    fault && !fault.line ? element('p', { className: 'fault', role: 'alert' }, fault.message) : null,
    adding(filters),
    element(
      'p',
      { className: 'quiet' },
      of ? '↓ this panel ' : '↓ all pictures and tables, but panels that have no filters or their own ',
      button('Save', 'Save the chain as a file, for weft render --filters FILE', () =>
        saveBlob(new Blob([chainText(of) + '\n'], { type: 'text/plain' }), 'chain.weft-filters'),
        !chainText(of),
      ),
      button('Load', 'Load a chain from a file', load),
      looksButton(filters),
      button('Remove all', 'Show the trace itself again', () => take([]), !filters.length),
    ),
  );
}
