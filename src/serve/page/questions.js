// SPDX-License-Identifier: Apache-2.0
// Tables below the details of a container: of a lock its waits by line and row, the
// longest, its holders and wakers; of a thread its waits by object and line.  The server
// names them (view/detail.h); each is a view's table about what is looked at.
import { askJson, panelName } from './api.js';
import { cell, element, heading } from './formatting.js';
import { whereOf } from './selections.js';
import { emit, state } from './state.js';
import { addTerms, inWords, lookedAt, setTerms } from './terms.js';

const ROWS = 5; // of a table
const MOST_LOCKS = 1000; // rows of the view of locks among which one is looked for

// The columns that answer a question.
const columnsOf = ({ view, by }) =>
  view === 'times'
    ? [by, 'total_ns', 'intervals']
    : view === 'lock-summary'
      ? ['worst_holder', 'worst_hold_site', 'who_for_whom', 'wait_max_ns', 'hold_total_ns']
      : ['row', 'value', 'object', 'site', 'duration_ns'];

const viewOf = (name) => state.catalogue.views.find((view) => view.name === name);

// A row leads to what it counts: to a list of waits, or to the wait.
function lead(question, settings, row) {
  if (question.view === 'instances') return emit('go-to', row.id);
  const where = whereOf(viewOf(question.view), settings, row);
  if (!where) return undefined;
  setTerms([]);
  addTerms(where);
  return emit('face', 'instances');
}

function rowOf(question, settings, names, row) {
  const act = () => lead(question, settings, row);
  const cells = names.map((name) =>
    element(
      'td',
      { className: typeof row[name] === 'number' ? 'number' : '' },
      cell(name, row[name]),
    ),
  );
  if (question.view === 'lock-summary') return element('tr', {}, ...cells);
  const node = element(
    'tr',
    { className: 'can-pick', tabIndex: 0, title: 'Click or Enter: go there', onclick: act },
    ...cells,
  );
  node.onkeydown = (e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    e.stopPropagation();
    act();
  };
  return node;
}

function tableOf(question, settings, answer) {
  const rows =
    question.view === 'lock-summary'
      ? answer.rows.filter((row) => row.lock === question.where)
      : answer.rows;
  const names = columnsOf(question).filter((name) =>
    rows.some((row) => row[name] !== null && row[name] !== undefined && row[name] !== ''),
  );
  if (!rows.length || !names.length)
    return element('p', { className: 'quiet' }, 'Nothing in this time.');
  return element(
    'table',
    {},
    element(
      'thead',
      {},
      element('tr', {}, ...names.map((name) => element('th', {}, heading(name)))),
    ),
    element('tbody', {}, ...rows.map((row) => rowOf(question, settings, names, row))),
  );
}

async function fill(host, question, number) {
  const { begin, end } = lookedAt(),
    { view, by } = question,
    ofLocks = view === 'lock-summary';
  if (!state.facts?.fills.includes(view)) return host.remove();
  const settings = ofLocks ? {} : { where: question.where, ...(by ? { by } : {}) };
  try {
    const answer = await askJson(`view/${view}.rows`, {
      trace: state.trace,
      begin,
      end,
      ...settings,
      limit: ofLocks ? MOST_LOCKS : ROWS,
      panel: panelName('question' + number),
    });
    host.replaceChildren(
      element('h4', {}, question.title),
      tableOf(question, settings, answer),
    );
  } catch {
    host.remove(); // the facts above stand without it
  }
  return undefined;
}

// The tables about a detail; or null.
export function questionTables(detail) {
  if (!detail.questions?.length) return null;
  const hosts = detail.questions.map((question, i) => {
    const host = element('div', { className: 'question' });
    fill(host, question, i);
    return host;
  });
  return element(
    'div',
    { className: 'questions' },
    element('p', { className: 'quiet' }, inWords({ ...lookedAt(), containers: '', where: '' })),
    ...hosts,
  );
}
