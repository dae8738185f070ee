// SPDX-License-Identifier: Apache-2.0
// The drawer below: the picked thing with its source lines, the selection's table, marks,
// and the problems of the trace.
import hljs from 'highlight.js/lib/highlight';
import cpp from 'highlight.js/lib/languages/cpp';
import fortran from 'highlight.js/lib/languages/fortran';
import python from 'highlight.js/lib/languages/python';
import { ask, askJson, contentOf, damagedOf, panelName } from './api.js';
import { emit, on, reveal, setPicked, state, traceNow } from './state.js';
import { whereOf } from './selections.js';
import { table } from './table.js';
import { duration, element, noteFault, time } from './formatting.js';

hljs.registerLanguage('cpp', cpp);
hljs.registerLanguage('fortran', fortran);
hljs.registerLanguage('python', python);

const tabs = [
  { name: 'details', title: 'Details' },
  { name: 'selection', title: 'Selection' },
  { name: 'marks', title: 'Marks' },
  { name: 'problems', title: 'Problems' },
];
const drawer = () => document.getElementById('drawer');
let shown = 'details';
const contents = {};

export function show(name) {
  shown = name;
  const head = element(
    'div',
    { className: 'tabs', role: 'tablist' },
    ...tabs.map((tab) =>
      element(
        'button',
        {
          type: 'button',
          role: 'tab',
          'aria-selected': String(tab.name === shown),
          onclick: () => show(tab.name),
        },
        tab.title,
      ),
    ),
  );
  drawer().replaceChildren(
    head,
    element('div', { className: 'content', role: 'tabpanel' }, contents[shown]?.() ?? ''),
  );
}

// ---- Details ----

let excerpt = null;
let failure = null;
let wanted = 0,
  wantedSource = 0; // the number of the latest request: late answers to others are dropped

export async function load(parameters) {
  const mine = ++wanted;
  failure = null;
  try {
    const detail = await askJson('detail', { trace: state.trace, ...parameters });
    if (mine !== wanted) return null;
    excerpt = null;
    setPicked(detail);
    show('details');
    const place = detail.facts.find((fact) => fact.site !== undefined);
    if (place) loadSource(detail, place.site);
    return detail;
  } catch (error) {
    if (mine !== wanted) return null;
    failure = error.message;
    show('details');
    return null;
  }
}

export const pick = (id) => load({ id });
export const pickRow = (row) => load({ row: row.replace('+', '') });

async function loadSource(detail, site) {
  const mine = ++wantedSource;
  let found;
  try {
    found = await askJson('source', { trace: state.trace, site });
  } catch (error) {
    found = { error: error.message };
  }
  if (mine !== wantedSource || state.picked !== detail) return;
  excerpt = found;
  show('details');
}

function factRow(fact) {
  let value = fact.value;
  if (fact.id)
    value = element(
      'button',
      { type: 'button', className: 'link', onclick: () => pick(fact.id) },
      fact.value,
    );
  else if (fact.site !== undefined)
    value = element(
      'button',
      {
        type: 'button',
        className: 'link',
        onclick: () => loadSource(state.picked, fact.site),
      },
      fact.value,
    );
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, fact.name),
    element('td', {}, value),
  );
}

function language(file) {
  return /\.(f|for|f90|f95|f03|f08)$/i.test(file)
    ? 'fortran'
    : /\.py$/.test(file)
      ? 'python'
      : 'cpp';
}

// Source lines coloured by highlight.js, which escapes its input; one element a line.
function sourceBlock() {
  if (!excerpt) return null;
  if (excerpt.error)
    return element(
      'div',
      { className: 'source' },
      element('p', { className: 'quiet' }, excerpt.error),
    );
  const rows = excerpt.lines.map((text, i) => {
    const number = excerpt.first + i,
      code = element('code');
    code.innerHTML = hljs.highlight(language(excerpt.file), text, true).value || '';
    return element(
      'div',
      { className: number === excerpt.line ? 'line lit' : 'line' },
      element('span', { className: 'number' }, String(number)),
      code,
    );
  });
  const block = element(
    'div',
    { className: 'source' },
    element(
      'div',
      { className: 'file' },
      `${excerpt.file}:${excerpt.line} ${excerpt.function}`,
    ),
    element('div', { className: 'lines', tabIndex: 0 }, ...rows),
  );
  requestAnimationFrame(() =>
    block.querySelector('.lit')?.scrollIntoView({ block: 'center' }),
  );
  return block;
}

function go(id, title, text) {
  return element(
    'button',
    { type: 'button', disabled: !id, title, onclick: () => step(id) },
    text,
  );
}

export async function step(id) {
  if (!id) return;
  const detail = await pick(id);
  if (detail) reveal(detail.begin, detail.end);
}

contents.details = () => {
  const detail = state.picked;
  if (failure) return element('p', { className: 'quiet' }, failure);
  if (!detail)
    return element(
      'p',
      { className: 'quiet' },
      'Click on something to see all about it; drag over an area for its table.',
    );
  return element(
    'div',
    { className: 'columns' },
    element(
      'div',
      { className: 'facts' },
      element('h3', {}, detail.name, element('small', {}, detail.kind)),
      element(
        'div',
        { className: 'steps' },
        go(detail.previous, 'Previous on this row (,)', '◀ previous'),
        go(detail.next, 'Next on this row (.)', 'next ▶'),
        go(detail.incoming, 'Where it came from ([)', '← from'),
        go(detail.outgoing, 'Where it leads (])', 'to →'),
        element(
          'button',
          { type: 'button', title: 'Zoom to it (F)', onclick: () => emit('focus-picked') },
          'zoom',
        ),
        element(
          'button',
          {
            type: 'button',
            disabled: !detail.waits,
            title: 'Why it took so long (Y)',
            onclick: () => emit('why'),
          },
          'why?',
        ),
      ),
      element('table', {}, element('tbody', {}, ...detail.facts.map(factRow))),
    ),
    sourceBlock(),
  );
};

// ---- The selection ----

let selectionRows = null,
  selectionDamaged = 0,
  asked = null;

async function loadSelection() {
  const { selection } = state;
  if (!selection || selection.live) return;
  const mine = (asked = {});
  selectionRows = undefined;
  show('selection');
  let rows,
    damaged = 0;
  try {
    const answer = await ask('view/state-summary.json', {
      trace: state.trace,
      begin: Math.floor(selection.begin),
      end: Math.max(Math.floor(selection.begin) + 1, Math.ceil(selection.end)),
      containers: selection.rows.join(','),
      panel: panelName('selection'),
    });
    damaged = damagedOf(answer);
    rows = await contentOf(answer, 'json');
  } catch (error) {
    rows = error.message;
  }
  if (asked !== mine) return;
  selectionRows = rows;
  selectionDamaged = damaged;
  show('selection');
}

// The selection to which a row of the area's table leads.
function whereOfArea(row, { begin, end, rows }) {
  const view = state.catalogue.views.find((one) => one.name === 'state-summary');
  const ns = (ticks) => Math.round((ticks * 1e9) / state.ticksPerSecond);
  return (
    whereOf(view, { containers: rows.join(',') }, row) +
    ` and time in ${ns(begin)}ns+${Math.max(1, ns(end - begin))}ns`
  );
}

contents.selection = () => {
  const { selection } = state;
  if (!selection)
    return element(
      'p',
      { className: 'quiet' },
      'Drag over an area of a timeline to see what its time went into.',
    );
  const head = element(
    'h3',
    {},
    `${time(selection.begin)} + ${duration(selection.end - selection.begin)}`,
    element(
      'small',
      {},
      selection.rows.length === 1 ? '1 row' : `${selection.rows.length} rows`,
    ),
  );
  const zoom = element(
    'button',
    { type: 'button', onclick: () => emit('focus-selection') },
    'zoom',
  );
  if (selectionRows === undefined)
    return element('div', {}, head, element('p', { className: 'quiet' }, 'Adding up …'));
  if (typeof selectionRows === 'string')
    return element('div', {}, head, element('p', { className: 'quiet' }, selectionRows));
  return element(
    'div',
    {},
    head,
    element('div', { className: 'steps' }, zoom),
    table(selectionRows || [], {
      empty: 'No state in this area.',
      damaged: selectionDamaged,
      pick: (row) => emit('instances', whereOfArea(row, selection)),
    }),
  );
};

// ---- Problems ----

contents.problems = () => {
  const problems = state.facts?.problems || [];
  if (!problems.length)
    return element('p', { className: 'quiet' }, 'This trace has no problems.');
  return table(
    problems.map(({ severity, kind, line, count, message }) => ({
      severity,
      kind,
      line,
      count,
      message,
    })),
  );
};

// A change names the mark and its trace, not a place in the list, which may have changed.
contents.marks = () => {
  const scale = state.ticksPerSecond / 1e9,
    trace = traceNow();
  const rows = state.marks.map((mark) => {
    const note = element('input', {
      type: 'text',
      value: mark.note,
      'aria-label': 'Note',
      oninput: () => note.setCustomValidity(noteFault(note.value)),
    });
    note.onchange = () => {
      if (!note.reportValidity())
        return emit('error', 'The note is not saved: ' + note.validationMessage);
      emit('note-mark', { trace, mark, note: note.value });
      mark = { ...mark, note: note.value };
    };
    return element(
      'tr',
      {},
      element(
        'td',
        {},
        element(
          'button',
          {
            type: 'button',
            className: 'link',
            onclick: () =>
              reveal(mark.begin_ns * scale, (mark.begin_ns + mark.length_ns) * scale),
          },
          time(mark.begin_ns * scale),
        ),
      ),
      element('td', {}, mark.length_ns ? duration(mark.length_ns * scale) : ''),
      element('td', {}, note),
      element(
        'td',
        {},
        element(
          'button',
          {
            type: 'button',
            'aria-label': 'Remove this mark',
            onclick: () => emit('remove-mark', { trace, mark }),
          },
          '✕',
        ),
      ),
    );
  });
  if (!rows.length)
    return element(
      'p',
      { className: 'quiet' },
      'M marks the time under the pointer, or the selection. Marks are kept beside the trace, in a text file.',
    );
  return element('table', { className: 'marks' }, element('tbody', {}, ...rows));
};

// The list is not replaced while a note is being typed, but afterwards.
let stale = false;
const typing = () =>
  drawer().contains(document.activeElement) && document.activeElement.tagName === 'INPUT';
function marksChanged() {
  if (shown !== 'marks') return;
  stale = typing();
  if (!stale) show('marks');
}

export function startDrawer() {
  on('picked', () => {
    if (!state.picked) wanted++;
  });
  on('selection', loadSelection);
  on('trace', () => {
    excerpt = failure = selectionRows = null;
    if (shown === 'marks') marksChanged();
    else show(shown);
  });
  on('marks', marksChanged);
  drawer().addEventListener('focusout', (e) => {
    if (stale && !drawer().contains(e.relatedTarget)) setTimeout(marksChanged);
  });
  on(
    'window',
    () => shown === 'marks' && !drawer().contains(document.activeElement) && show('marks'),
  );
  show('details');
  const grip = document.getElementById('grip');
  grip.addEventListener('pointerdown', (event) => {
    const from = event.clientY,
      height = drawer().offsetHeight;
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = (e) => {
      drawer().style.height =
        Math.max(30, Math.min(innerHeight * 0.7, height + from - e.clientY)) + 'px';
      emit('resized');
    };
    grip.onpointerup = () => {
      grip.onpointermove = null;
      emit('layout');
    };
  });
}
