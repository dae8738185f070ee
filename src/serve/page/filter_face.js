// SPDX-License-Identifier: Apache-2.0
// The face of the pane that shows the chain of filters, from the trace down to the
// pictures: each line can be switched off, moved, edited and removed.
import { saveBlob } from './api.js';
import { element } from './formatting.js';
import { chain, setChain, setFilters } from './filters.js';
import { keepLooks, keptLooks, looksOf } from './looks.js';
import { emit, state } from './state.js';

let fault = null; // { line, message } of what was typed and not taken
let typed = null; // the chain as typed, while it has a fault

const now = () => typed || chain();
const again = () => emit('face', 'filters');

async function take(filters, focus) {
  fault = await setChain(filters);
  typed = fault ? filters : null;
  again();
  document.querySelector(focus)?.focus();
}

const button = (text, label, onclick, disabled = false) =>
  element('button', { type: 'button', title: label, 'aria-label': label, onclick, disabled }, text);

function moved(filters, i, by) {
  const other = [...filters];
  [other[i], other[i + by]] = [other[i + by], other[i]];
  return other;
}

function lineOf(filter, i, filters) {
  const place = `.filter:nth-of-type(${i + 1}) input[type=text]`,
    changed = (change) =>
      take(
        filters.map((each, k) => (k === i ? { ...each, ...change } : each)),
        place,
      ),
    without = () => take(filters.filter((_, k) => k !== i));
  const input = element('input', {
    type: 'text',
    value: filter.text,
    spellcheck: false,
    'aria-label': `Filter ${i + 1}`,
  });
  input.onchange = () =>
    input.value.trim() ? changed({ text: input.value.trim() }) : without();
  input.onkeydown = (e) => {
    const by = e.altKey ? { ArrowUp: -1, ArrowDown: 1 }[e.key] : 0;
    if (!by || !filters[i + by]) return;
    e.preventDefault();
    take(moved(filters, i, by), `.filter:nth-of-type(${i + 1 + by}) input[type=text]`);
  };
  const wrong = fault?.line === i + 1;
  return element(
    'li',
    { className: `filter${filter.on ? '' : ' off'}${wrong ? ' wrong' : ''}` },
    element('input', {
      type: 'checkbox',
      checked: filter.on,
      title: 'Switched on',
      'aria-label': `Filter ${i + 1} is on`,
      onchange: (e) => changed({ on: e.target.checked }),
    }),
    input,
    button('↑', 'Earlier (Alt+Up)', () => take(moved(filters, i, -1)), i === 0),
    button('↓', 'Later (Alt+Down)', () => take(moved(filters, i, 1)), i + 1 === filters.length),
    button('✕', 'Remove', without),
    wrong ? element('p', { className: 'fault', role: 'alert' }, fault.message) : null,
  );
}

function adding(filters) {
  const input = element('input', {
    type: 'text',
    className: 'add-filter',
    placeholder: 'hide duration < 1us · dim not blocked · group worker 0-63 by 4 · reduce groups as shades · color MPI_Recv = #d06000',
    'aria-label': 'Add a filter',
    spellcheck: false,
  });
  input.onkeydown = (e) => {
    if (e.key !== 'Enter' || !input.value.trim()) return;
    e.preventDefault();
    take([...filters, { text: input.value.trim(), on: true }], '.add-filter');
  };
  return input;
}

function load() {
  const file = element('input', { type: 'file', accept: '.weft-filters,text/plain' });
  file.onchange = async () => {
    const text = await file.files[0].text();
    fault = await setFilters(text);
    if (fault) emit('error', `${file.files[0].name}: ${fault.message}`);
    typed = null;
    fault = null;
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
      if (!keepLooks()) emit('error', 'There are too many looks to keep: save them as a file.');
      again();
    },
    !looks && !kept,
  );
}

export function filterFace() {
  const filters = now();
  return element(
    'div',
    { className: 'face filters' },
    element('p', { className: 'quiet' }, state.facts ? state.facts.name : 'The trace'),
    element('ol', {}, ...filters.map(lineOf)),
    fault && !fault.line ? element('p', { className: 'fault', role: 'alert' }, fault.message) : null,
    adding(filters),
    element(
      'p',
      { className: 'quiet' },
      '↓ all pictures and tables, but those that are raw ',
      button('Save', 'Save the chain as a file, for weft render --filters FILE', () =>
        saveBlob(new Blob([state.filters + '\n'], { type: 'text/plain' }), 'chain.weft-filters'),
        !state.filters,
      ),
      button('Load', 'Load a chain from a file', load),
      looksButton(filters),
      button('Remove all', 'Show the trace itself again', () => take([]), !filters.length),
    ),
  );
}
