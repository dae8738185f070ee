// SPDX-License-Identifier: Apache-2.0
// Tables: those that the page has whole, which it sorts itself, and those of a view, which
// the server sorts and sends page by page.  Copied as CSV.
import { cell, count, damagedText, element, heading } from './formatting.js';

const quoted = (text) =>
  /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;

export function csv(names, rows) {
  return (
    [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
      .map((line) => line.map((value) => quoted(String(value))).join(','))
      .join('\r\n') + '\r\n'
  );
}

function compare(a, b, name) {
  const x = a[name],
    y = b[name];
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x ?? '').localeCompare(String(y ?? ''), 'en', { numeric: true });
}

const isNumber = (rows, name) => rows.some((row) => typeof row[name] === 'number');

// LEAD, if given, says what rows do: click(row, name), where NAME is the clicked column's
// or undefined; narrows(name): whether a click there narrows the selection; twice(row), for
// a double click and Enter, click() if it has none; a title.
const LONG = 28; // characters of a cell that may be cut
function line(row, names, lead, unnamed) {
  const whole = (text) => (text?.length > LONG ? { title: text } : {});
  const node = element(
    'tr',
    { className: lead ? 'can-pick' : '', title: lead?.title || '' },
    ...names.map((name) =>
      element(
        'td',
        {
          className: typeof row[name] === 'number' ? 'number' : '',
          ...whole(row[name]),
          ...(row[name] && lead?.narrows?.(name)
            ? { className: 'narrows', title: `Click: only those with ${row[name]}` }
            : {}),
          onclick: lead && (() => lead.click(row, name)),
        },
        unnamed && name === names[0] && row[name] === ''
          ? element('i', { className: 'quiet' }, unnamed)
          : cell(name, row[name]),
      ),
    ),
  );
  if (lead) {
    node.tabIndex = -1;
    if (row.id !== undefined) node.dataset.id = row.id;
    if (lead.twice) node.ondblclick = () => lead.twice(row);
    node.onkeydown = (e) => {
      if (e.key !== 'Enter') return;
      e.preventDefault();
      e.stopPropagation();
      (lead.twice || lead.click)(row);
    };
  }
  return node;
}

// Gives a row the focus; it comes into sight, but nothing moves sideways.
export function focusRow(row) {
  const host = row.closest('.table-host') || row.closest('.content'),
    left = host?.scrollLeft;
  row.focus();
  if (host) host.scrollLeft = left;
}

// In a list of things of any kind, what is the same in all of them comes last: the length
// and the begin are then in sight also in a narrow panel.
function namesOfThings(names, rows) {
  const same = (name) => rows.length > 1 && rows.every((r) => r[name] === rows[0][name]);
  return [...names.filter((name) => !same(name)), ...names.filter(same)];
}

// One row of a table is a Tab stop; arrows, Home and End go to the others.
function walkByKeys(body, lead) {
  const { rows } = body;
  if (!lead) return;
  if (rows.length) rows[0].tabIndex = 0;
  body.addEventListener('focusin', (e) => {
    const row = e.target.closest('tr');
    for (const other of rows) other.tabIndex = other === row ? 0 : -1;
  });
  body.onkeydown = (e) => {
    const at = [...rows].indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[e.key];
    if (at < 0 || to === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    e.stopPropagation();
    if (!rows[to]) return;
    focusRow(rows[to]);
    lead.step?.(lead.rows[to]);
  };
}

const pickLead = (pick) => pick && { click: (row) => pick(row) };

// The heading of a column; "worst_waiter_ns" beside "worst_waiter" is the time of that.
function headingOf(name, names) {
  const text = heading(name);
  return names.some((other) => other !== name && other === text.replace(/ /g, '_'))
    ? text + (name.endsWith('_pct') ? ' share' : ' time')
    : text;
}

function headOf(names, rows, order, sort, titles) {
  return element(
    'tr',
    {},
    ...names.map((name) => {
      const button = element(
        'button',
        { type: 'button', onclick: () => sort(name), title: 'Sort by ' + name },
        titles?.[name] ?? headingOf(name, names),
      );
      return element(
        'th',
        {
          scope: 'col',
          className: isNumber(rows, name) ? 'number' : '',
          'data-name': name,
          'aria-sort':
            name !== order?.name ? 'none' : order.falling ? 'descending' : 'ascending',
        },
        button,
      );
    }),
  );
}

function copyButton(names, rows) {
  const copy = element(
    'button',
    {
      type: 'button',
      className: 'copy',
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(csv(names, rows()));
          copy.textContent = 'Copied';
        } catch {
          copy.textContent = 'The browser forbids copying';
        }
        setTimeout(() => {
          copy.textContent = 'Copy as CSV';
        }, 1500);
      },
    },
    'Copy as CSV',
  );
  return copy;
}

const warning = (damaged) =>
  damaged
    ? element('p', { className: 'damaged', role: 'status' }, damagedText(damaged))
    : null;
const nothing = (text, damaged) =>
  element(
    'div',
    { className: 'table' },
    warning(damaged),
    element('p', { className: 'quiet' }, text || 'Nothing here.'),
  );
const namesOf = (columns) => columns.filter((name) => !['id', 'where'].includes(name));

// The order after a click on a column's name: numbers begin with the largest.
export function nextOrder(order, name, rows) {
  return { name, falling: order?.name === name ? !order.falling : isNumber(rows, name) };
}

// A table with all its rows.
export function table(rows, options = {}) {
  if (!rows.length) return nothing(options.empty, options.damaged);
  const names = namesOf(Object.keys(rows[0])),
    head = element('thead'),
    body = element('tbody');
  let sorted = [...rows],
    order = null;
  function fill() {
    head.replaceChildren(headOf(names, rows, order, sort));
    const lead = pickLead(options.pick);
    body.replaceChildren(...sorted.map((row) => line(row, names, lead)));
    walkByKeys(body, lead);
  }
  function sort(name) {
    order = nextOrder(order, name, rows);
    sorted = [...rows].sort((a, b) => (order.falling ? -1 : 1) * compare(a, b, name));
    fill();
    head.querySelector(`[data-name="${CSS.escape(name)}"] button`).focus();
  }
  fill();
  return element(
    'div',
    { className: 'table' },
    warning(options.damaged),
    element('table', {}, head, body),
    copyButton(names, () => sorted),
  );
}

// Returns true if some row has a text or a number there.
const tells = (rows, name) =>
  rows.some((row) => row[name] !== null && row[name] !== undefined && row[name] !== '');

// A page of a view's table (/view/NAME.rows): ANSWER is for OFFSET and ORDER.  Calls WANT
// for another order or offset.  LEAD: as for line(), and step(row), when an arrow comes to
// it.  TITLES: other headings; SLIM: without the columns that say nothing; FIRST: these
// columns before the others; SELDOM: these behind them;
// UNNAMED: stands for an empty text in the first column.
export function page(
  answer,
  { offset, size, order, want, empty, save, lead, titles, slim, first, seldom, unnamed },
) {
  const { rows, total, more, damaged, columns } = answer,
    things = columns.includes('id') && columns.includes('kind'),
    told = slim ? columns.filter((name) => tells(rows, name)) : columns,
    chosen = (first || []).filter((name) => told.includes(name)),
    rest = namesOf(told).filter((name) => !chosen.includes(name)),
    often = rest.filter((name) => !seldom?.includes(name)),
    names = [
      ...chosen,
      ...(things ? namesOfThings(often, rows) : often),
      ...rest.filter((name) => seldom?.includes(name)),
    ];
  if (!total) return nothing(empty, damaged);
  const all = (more ? 'more than ' : '') + count(total),
    last = offset + rows.length;
  const go = (to, text, enabled) =>
    element(
      'button',
      { type: 'button', disabled: !enabled, onclick: () => want({ offset: to, order }) },
      text,
    );
  const foot = element(
    'p',
    { className: 'quiet pages' },
    element(
      'span',
      {},
      rows.length === total && !more
        ? `${all} rows`
        : `Rows ${count(offset + 1)} to ${count(last)} of ${all}`,
    ),
  );
  if (rows.length < total || more)
    foot.append(
      go(Math.max(0, offset - size), '◀ before', offset > 0),
      go(last, 'after ▶', more || last < total),
    );
  foot.append(
    copyButton(names, () => rows),
    element(
      'button',
      { type: 'button', onclick: save, title: 'The whole table as a file' },
      'Save all as CSV',
    ),
  );
  const body = element('tbody', {}, ...rows.map((row) => line(row, names, lead, unnamed)));
  walkByKeys(body, lead && { ...lead, rows });
  return element(
    'div',
    { className: 'table' },
    warning(damaged),
    element(
      'table',
      {},
      element(
        'thead',
        {},
        headOf(
          names,
          rows,
          order,
          (name) => want({ offset: 0, order: nextOrder(order, name, rows) }),
          titles,
        ),
      ),
      body,
    ),
    foot,
  );
}
