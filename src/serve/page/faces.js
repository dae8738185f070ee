// SPDX-License-Identifier: Apache-2.0
// The faces of the analysis pane: what the selection's time went into, its instances, why
// it waited, and its source lines.  Each asks a view as a panel does.
import { askJson, isForNow, LATER, panelName, save } from './api.js';
import { exactTime, element, duration } from './formatting.js';
import { isOffered } from './controls.js';
import { leads, narrowedBy, whereOf } from './selections.js';
import { emit, numberOf, reveal, setTime, state } from './state.js';
import { focusRow, page } from './table.js';
import { addTerms, inWords, lookedAt } from './terms.js';

const PAGE = 200; // rows
const REST = 150; // ms between two requests while the window moves

const viewOf = (name) => state.catalogue.views.find((view) => view.name === name);

// Shown until the first answer of a view that may take seconds.
const following = 'Following the waits back to their causes …',
  waitingTexts = { causes: following, 'causes-compare': following };

// A table of a view, for what is looked at.
export class Face {
  // ASKS() returns { view, settings } or a sentence that tells why there is nothing;
  // LEAD(view, settings) what a row does; TITLES: other headings.
  constructor(name, asks, lead, titles) {
    this.name = name;
    this.asks = asks;
    this.lead = lead;
    this.titles = titles;
    this.rows = { offset: 0, order: null };
    this.host = element('div', { className: 'face-table' });
  }

  soon() {
    this.stop();
    this.timer = setTimeout(() => this.fill(), REST);
  }

  // The server stops, too: of a long trace an answer takes a processor for seconds.
  stop() {
    clearTimeout(this.timer);
    this.request?.abort();
  }

  async fill(of) {
    const mine = (this.asked = {}),
      asks = state.facts ? this.asks() : 'No trace is open.';
    if (typeof asks === 'string')
      return this.host.replaceChildren(element('p', { className: 'quiet' }, asks));
    this.stop();
    this.request = new AbortController();
    const { view, settings } = asks,
      { signal } = this.request,
      { offset, order } = (this.rows = of || { offset: 0, order: this.rows.order });
    const parameters = { ...settings, panel: panelName(this.name) };
    let content;
    if (this.shows !== view.name)
      this.host.replaceChildren(
        element('p', { className: 'quiet' }, waitingTexts[view.name] || 'Adding up …'),
      );
    this.shows = view.name;
    try {
      const more = order ? { sort: order.name, direction: order.falling ? 'down' : 'up' } : {};
      const answer = await askJson(
        `view/${view.name}.rows`,
        { ...parameters, offset, limit: PAGE, ...more },
        { signal },
      );
      this.answer = answer.rows;
      content = page(answer, {
        offset,
        size: PAGE,
        order,
        titles: this.titles?.(),
        slim: true,
        first: asks.first || this.first,
        unnamed: this.unnamed,
        want: (other) => this.fill(other),
        save: () => save(`view/${view.name}.csv`, settings, `${view.name}.csv`),
        lead: this.lead(view, settings, answer.columns),
        empty: 'Nothing is selected here.',
      });
    } catch (error) {
      if (this.asked !== mine || error.name === 'AbortError') return;
      if (isForNow(error)) {
        this.timer = setTimeout(() => this.fill(of), LATER);
        return;
      }
      if (order && /no column/.test(error.message))
        return this.fill({ offset: 0, order: null });
      content = element('p', { className: 'quiet' }, error.message);
    }
    if (this.asked !== mine) return;
    const row = [...this.host.querySelectorAll('tbody tr')].indexOf(document.activeElement);
    this.host.replaceChildren(content);
    this.arrived?.();
    const body = this.host.querySelectorAll('tbody tr'),
      focused = this.takesFocus ? body[0] : row >= 0 ? body[row] : null;
    this.takesFocus = false;
    if (focused) focusRow(focused);
    this.marked();
  }

  // Shows which row is the picked thing.
  marked() {
    for (const row of this.host.querySelectorAll('tbody tr'))
      row.classList.toggle('picked', row.dataset.id === String(state.picked?.id));
  }
}

// ---- Summary ----

const groupings = [
  'state',
  'object',
  'site',
  'row',
  'partner',
  'waker',
  'function',
  'class',
  'all',
];
let grouping = 'state';

// The groupings that are of use in the trace.
const offered = () => groupings.filter((by) => isOffered(viewOf('times'), 'by', by));

// The range of what is looked at, for a setting.
const rangeText = ({ begin, end }) => `${exactTime(begin)}:${exactTime(end)}`;

// Asks for the time of what is looked at BY something; of A and B, if A is held.
function timeBy(by) {
  const now = lookedAt(),
    { begin, end, containers, where } = now,
    { held } = state;
  if (!held)
    return {
      view: viewOf('times'),
      settings: { trace: state.trace, begin, end, containers, where, by },
    };
  if (numberOf(held) < 0) return `${held.name}, which A is of, is not there any more.`;
  return {
    view: viewOf('time-compare'),
    settings: {
      trace: numberOf(held),
      begin: held.begin,
      end: held.end,
      containers: held.containers,
      where: held.where,
      by,
      with: String(state.trace),
      second: rangeText(now),
      second_where: now.all,
    },
  };
}

function summaryAsks() {
  if (state.facts.fills.includes('times')) return timeBy(grouping);
  const { begin, end, containers, where } = lookedAt();
  return {
    view: viewOf('state-summary'),
    settings: { trace: state.trace, begin, end, containers, where },
  };
}

const comparedTitles = () =>
  state.held
    ? {
        total_ns: 'A',
        other_total_ns: 'B',
        change_ns: 'B − A',
        count: 'intervals of A',
        other_count: 'of B',
      }
    : undefined;

// A row narrows the selection to what it counts, and lists that.
const narrows = (view, settings) =>
  leads(view) && {
    title: 'Click or Enter: narrow the selection to this, and list it',
    click: (row, name) => {
      const where = whereOf(view, { by: settings.by }, row, name);
      if (where === null) return;
      addTerms(where);
      emit('face', 'instances');
    },
  };

export const summary = new Face('summary', summaryAsks, narrows, comparedTitles);

summary.unnamed = '(without one)';

// Says what is compared.
export function comparison() {
  const { held } = state;
  if (!held) return null;
  const now = lookedAt(),
    same =
      numberOf(held) === state.trace &&
      ['begin', 'end', 'containers', 'where'].every((name) => held[name] === now[name]);
  return element(
    'span',
    { className: 'quiet' },
    same
      ? `A is ${held.label}. Now drag over another area, type a range or a term, or open another trace: B.`
      : `A: ${held.label}${numberOf(held) === state.trace ? '' : ' of ' + held.name}; B: ${inWords(now)}`,
  );
}

export function chooseGrouping() {
  if (!offered().includes(grouping)) grouping = 'state';
  const select = element(
    'select',
    {
      'aria-label': 'Group by',
      onchange: () => {
        grouping = select.value;
        summary.fill();
      },
    },
    ...offered().map((by) => element('option', { value: by, selected: by === grouping }, by)),
  );
  return element('label', { className: 'by' }, 'by ', select, ' ', comparison());
}

// ---- Instances ----

export const instances = new Face(
  'instances',
  () => {
    const { begin, end, all } = lookedAt();
    return {
      view: viewOf('instances'),
      settings: { trace: state.trace, begin, end, where: all },
    };
  },
  (view, settings) => ({
    title: 'Click: all about it; double click or Enter: go there',
    click: (row, name) => {
      const term = narrowedBy(view, settings, row, name);
      if (term) addTerms(term);
      else emit('pick-quietly', row.id);
    },
    narrows: (name) => view.columns.some((c) => c.name === name && c.narrows),
    step: (row) => emit('pick-quietly', row.id),
    twice: (row) => emit('go-to', row.id),
  }),
);

instances.first = [
  'row',
  'duration_ns',
  'begin_ns',
  'object',
  'site',
  'waker',
  'partner',
];

// ---- Why ----

const whyAsks = () => {
  const { begin, end, all } = lookedAt(),
    wait = state.picked?.waits ? state.picked.id : null;
  if (wait)
    return { view: viewOf('why'), settings: { trace: state.trace, begin, end, wait } };
  if (!state.facts.fills.includes('causes')) return 'This trace has no waits.';
  const settings = { trace: state.trace, begin, end, where: all },
    { held } = state;
  if (!held) return { view: viewOf('causes'), settings };
  if (numberOf(held) < 0) return `${held.name}, which A is of, is not there any more.`;
  return {
    view: viewOf('causes-compare'),
    settings: {
      trace: numberOf(held),
      begin: held.begin,
      end: held.end,
      where: held.all,
      with: String(state.trace),
      second: rangeText({ begin, end }),
      second_where: all,
    },
    // The numbers are in sight also in a narrow pane.
    first: ['class', 'state', 'waited_ns', 'other_waited_ns', 'change_ns'],
  };
};

const causesTitles = {
  waited_ns: 'waited in A',
  other_waited_ns: 'in B',
  change_ns: 'B − A',
  waits: 'waits of A',
  other_waits: 'of B',
};

const goingThere = {
  title: 'Click or Enter: go there',
  click: (row) => {
    const scale = state.ticksPerSecond / 1e9;
    reveal(row.begin_ns * scale, row.end_ns * scale);
    setTime(row.begin_ns * scale);
  },
};

export const why = new Face(
  'why',
  whyAsks,
  (view) => (view.name === 'why' ? goingThere : narrows(view, {})),
  () => (state.held && !state.picked?.waits ? causesTitles : undefined),
);

export const whyTitle = () =>
  state.picked?.waits
    ? `Why ${state.picked.name} took so long, from its end back to its begin`
    : state.held
      ? 'What the waits of A, and of B, were spent on, the largest change first'
      : 'What the waits of this time were spent on (pick a wait for its own chain)';

// ---- Source ----

const showing = 'Click: its source; double click or Enter: narrow the selection to it';

// Where threads waited or called, by the places of states.
export const places = new Face(
  'places',
  () => timeBy('site'),
  (view, settings) => ({
    title: showing,
    click: (row) => row.site && emit('show-place', row.site),
    twice: (row) => addTerms(whereOf(view, { by: settings.by }, row)),
  }),
  comparedTitles,
);

// Where they ran, by samples.
export const hotLines = new Face(
  'hot-lines',
  () => {
    const { begin, end, containers } = lookedAt();
    if (!state.facts.fills.includes('hot-spots')) return '';
    return {
      view: viewOf('hot-spots'),
      settings: { trace: state.trace, begin, end, containers, by: 'line' },
    };
  },
  () => ({
    title: 'Click: its source',
    click: (row) => row.place && emit('show-place', `${row.function} (${row.place})`),
  }),
);

// Returns the time of the selection (of B, if A is held) at each line of a file: a map of
// numbers to texts.
export function timesOfLines(file) {
  const sums = new Map(),
    name = file.split('/').pop();
  const add = (place, ns) => {
    const [, of, line] = /(?:^|\()([^()]*):(\d+)\)?$/.exec(place || '') || [];
    if (of === name) sums.set(Number(line), (sums.get(Number(line)) || 0) + ns);
  };
  for (const row of places.answer || []) add(row.site, row.other_total_ns ?? row.total_ns);
  for (const row of hotLines.answer || []) add(row.place, row.self_ns);
  const scale = state.ticksPerSecond / 1e9;
  return new Map([...sums].map(([line, ns]) => [line, duration(ns * scale)]));
}
