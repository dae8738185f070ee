// SPDX-License-Identifier: Apache-2.0
// The pane below: the faces of the selection (faces.js), the picked thing, marks, and the
// problems of the trace.
import hljs from 'highlight.js/lib/highlight';
import cpp from 'highlight.js/lib/languages/cpp';
import fortran from 'highlight.js/lib/languages/fortran';
import python from 'highlight.js/lib/languages/python';
import { askJson } from './api.js';
import { breadcrumbs } from './breadcrumbs.js';
import {
  chooseGrouping,
  hotLines,
  instances,
  places,
  summary,
  timesOfLines,
  why,
  whyTitle,
} from './faces.js';
import * as histogram from './face_histogram.js';
import { filterFace, refillFilters } from './filter_face.js';
import { emit, filtersOf, on, reveal, setPicked, state, traceNow } from './state.js';
import { questionTables } from './questions.js';
import { table } from './table.js';
import { setTerms, termsOf } from './terms.js';
import { duration, element, noteFault, time } from './formatting.js';

hljs.registerLanguage('cpp', cpp);
hljs.registerLanguage('fortran', fortran);
hljs.registerLanguage('python', python);

const tabs = [
  { name: 'summary', title: 'Summary' },
  { name: 'instances', title: 'Instances' },
  { name: 'why', title: 'Why' },
  { name: 'source', title: 'Source' },
  { name: 'details', title: 'Details' },
  { name: 'filters', title: 'Filters' },
  { name: 'marks', title: 'Marks' },
  { name: 'problems', title: 'Problems' },
];
// The tables of the faces, which are asked for when their face is shown.
const tables = {
  summary: [summary],
  instances: [instances],
  why: [why],
  source: [places, hotLines],
};
const drawer = () => document.getElementById('drawer');
let shown = 'summary';
const contents = {};

function head() {
  return element(
    'div',
    { className: 'tabs' },
    element(
      'div',
      { role: 'tablist' },
      ...tabs.map((tab) =>
        element(
          'button',
          {
            type: 'button',
            role: 'tab',
            'aria-selected': String(tab.name === shown),
            tabIndex: tab.name === shown ? 0 : -1,
            onclick: () => show(tab.name),
            onkeydown: (e) => stepTab(e, tab.name),
          },
          tab.title,
        ),
      ),
    ),
    breadcrumbs(),
  );
}

// Left and Right go to the other tabs, as one Tab stop.
function stepTab(event, name) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const at = tabs.findIndex((tab) => tab.name === name);
  show(tabs[(at + by + tabs.length) % tabs.length].name);
  drawer().querySelector('[role=tab][aria-selected=true]').focus();
}

function fillShown() {
  for (const face of tables[shown] || []) face.fill();
  if (shown === 'instances') histogram.fill();
}

export function show(name) {
  shown = name;
  for (const [of, faces] of Object.entries(tables))
    if (of !== name) for (const face of faces) face.stop();
  drawer().replaceChildren(
    head(),
    element('div', { className: 'content', role: 'tabpanel' }, contents[shown]() ?? ''),
  );
  fillShown();
}
export const shownFace = () => shown;
export const isFace = (name) => tabs.some((tab) => tab.name === name);

contents.summary = () =>
  element('div', { className: 'face' }, chooseGrouping(), summary.host);
contents.instances = () =>
  element('div', { className: 'face beside' }, histogram.host, instances.host);
contents.why = () =>
  element(
    'div',
    { className: 'face' },
    element('p', { className: 'quiet' }, whyTitle()),
    why.host,
  );
contents.source = () =>
  element(
    'div',
    { className: 'face beside' },
    element('div', { className: 'face' }, places.host, hotLines.host),
    sourceBlock() ||
      element('p', { className: 'quiet' }, 'Click on a place to see its source.'),
  );

// ---- Details ----

let excerpt = null;
let failure = null;
let wanted = 0,
  wantedSource = 0; // the number of the latest request: late answers to others are dropped

// QUIETLY: the face that is shown stays.
export async function load(parameters, quietly = false) {
  const face = () => (quietly ? undefined : show('details'));
  const mine = ++wanted;
  failure = null;
  try {
    const detail = await askJson('detail', { trace: state.trace, ...parameters });
    if (mine !== wanted) return null;
    excerpt = null;
    setPicked(detail);
    face();
    const place = detail.facts.find((fact) => fact.site !== undefined);
    if (place) loadSource(detail, { site: place.site });
    return detail;
  } catch (error) {
    if (mine !== wanted) return null;
    failure = error.message;
    face();
    return null;
  }
}

export const pick = (id, quietly) => load({ id }, quietly);
export const pickRow = (row) => load({ row: row.replace('+', '') });

// WHERE: the site's number, or its place as tables print it.
async function loadSource(detail, where) {
  const mine = ++wantedSource;
  let found;
  try {
    found = await askJson('source', { trace: state.trace, ...where });
  } catch (error) {
    found = { error: error.message };
  }
  if (mine !== wantedSource || state.picked !== detail) return;
  excerpt = found;
  if (shown === 'details' || shown === 'source')
    drawer().querySelector('.content').replaceChildren(contents[shown]());
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
        onclick: () => loadSource(state.picked, { site: fact.site }),
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
  const spent = shown === 'source' ? timesOfLines(excerpt.file) : null;
  const rows = excerpt.lines.map((text, i) => {
    const number = excerpt.first + i,
      code = element('code');
    code.innerHTML = hljs.highlight(language(excerpt.file), text, true).value || '';
    return element(
      'div',
      { className: number === excerpt.line ? 'line lit' : 'line' },
      element('span', { className: 'number' }, String(number)),
      element('span', { className: 'spent' }, spent?.get(number) || ''),
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

export async function step(id, quietly = false) {
  if (!id) return;
  const detail = await pick(id, quietly);
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
    questionTables(detail),
    sourceBlock(),
  );
};

contents.filters = filterFace;

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

// The window is what is looked at unless there is an area.
function windowMoved() {
  if (shown === 'marks' && !drawer().contains(document.activeElement)) show('marks');
  if (state.selection) return;
  for (const face of tables[shown] || []) face.soon();
}

function selectionChanged() {
  const { selection } = state;
  if (selection?.live) return;
  show(selection && !tables[shown] ? 'summary' : shown);
}

// The pane is of the trace as the filters of the panel that was used last leave it.
let chainShown = '';
function chainChanged() {
  const changed = chainShown !== filtersOf(state.active);
  chainShown = filtersOf(state.active);
  if (changed && tables[shown]) show(shown);
  // later: what is being typed is taken first
  if (shown === 'filters') setTimeout(() => shown === 'filters' && refillFilters());
}

// Lists what a selection means: the pane shows it, and panels that follow take it.
function list(where) {
  setTerms(termsOf(where));
  instances.takesFocus = true;
  show('instances');
}

export function startDrawer() {
  on('picked', () => {
    if (!state.picked) wanted++;
    if (shown === 'why') show('why');
    for (const face of tables[shown] || []) face.marked();
  });
  on('selection', selectionChanged);
  on('terms', () => show(tables[shown] ? shown : 'summary'));
  on('held', () => show(['why', 'instances', 'source'].includes(shown) ? shown : 'summary'));
  on('filters', chainChanged);
  for (const what of ['active', 'layout']) on(what, chainChanged);
  on('face', show);
  on('table-focus', () => {
    if (tables[shown]) tables[shown][0].takesFocus = true;
    document.activeElement?.blur();
  });
  on('instances', list);
  on('pick-quietly', (id) => pick(id, true));
  on('go-to', (id) => step(id, true));
  on('show-place', (place) => loadSource(state.picked, { place }));
  on('trace', () => {
    excerpt = failure = null;
    if (!state.held) state.terms = []; // what is held is compared by the same terms
    if (shown === 'marks') marksChanged();
    else show(shown);
  });
  on('marks', marksChanged);
  drawer().addEventListener('focusout', (e) => {
    if (stale && !drawer().contains(e.relatedTarget)) setTimeout(marksChanged);
  });
  on('window', windowMoved);
  show('summary');
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
