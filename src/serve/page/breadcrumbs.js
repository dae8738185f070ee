// SPDX-License-Identifier: Apache-2.0
// The breadcrumbs of the selection: each term can be taken away, one can be typed, and all
// can be held as A.
import { duration, element, parseTime, time } from './formatting.js';
import { emit, setSelection, state } from './state.js';
import { hold, letGo, narrowBy, setTerms } from './terms.js';

// A breadcrumb: its text, which may do something, and a button that takes it away.
const crumb = (text, title, remove, act) =>
  element(
    'span',
    { className: 'crumb' },
    act
      ? element('button', { type: 'button', className: 'link', title, onclick: act }, text)
      : element('span', { title }, text),
    element(
      'button',
      { type: 'button', 'aria-label': `Without ${text}`, title: 'Take it away', onclick: remove },
      '✕',
    ),
  );

function areaCrumbs() {
  const { selection } = state;
  if (!selection || selection.live) return [];
  const { begin, end, rows } = selection;
  const found = [
    crumb(
      `${time(begin)} + ${duration(end - begin)}`,
      'Zoom to it (F)',
      () => setSelection(null),
      () => emit('focus-selection'),
    ),
  ];
  if (rows?.length)
    found.push(
      crumb(rows.length === 1 ? '1 row' : `${rows.length} rows`, rows.join(', '), () =>
        setSelection({ begin, end, rows: [], live: false }),
      ),
    );
  return found;
}

const termCrumbs = () =>
  state.terms.map((term, i) =>
    crumb(term, term, () => setTerms(state.terms.filter((_, other) => other !== i))),
  );

function field() {
  const input = element('input', {
    type: 'text',
    className: 'narrow',
    placeholder: 'narrow: blocked and duration > 1ms, or 500ms+5ms, +5ms',
    'aria-label': 'Narrow the selection',
    spellcheck: false,
    autocomplete: 'off',
  });
  input.onkeydown = (e) => {
    if (e.key !== 'Enter' || !input.value.trim()) return;
    e.preventDefault();
    narrowBy(input.value, parseTime);
    emit('table-focus'); // so that the next keys are commands
  };
  return input;
}

function holding() {
  if (!state.held)
    return element(
      'button',
      {
        type: 'button',
        className: 'hold',
        title: 'Keep this selection as A; the next one is B, compared with it',
        onclick: hold,
      },
      'Hold as A',
    );
  return crumb(`A: ${state.held.label}`, 'What is compared with', letGo);
}

export const breadcrumbs = () =>
  element(
    'div',
    { className: 'crumbs', role: 'group', 'aria-label': 'Selection' },
    ...areaCrumbs(),
    ...termCrumbs(),
    field(),
    holding(),
  );
