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

function line(row, names, pick) {
  const node = element(
    'tr',
    { className: pick ? 'can-pick' : '' },
    ...names.map((name) =>
      element(
        'td',
        { className: typeof row[name] === 'number' ? 'number' : '' },
        cell(name, row[name]),
      ),
    ),
  );
  if (pick) {
    node.tabIndex = 0;
    node.onclick = () => pick(row);
    node.onkeydown = (e) => {
      if (e.key === 'Enter') pick(row);
    };
  }
  return node;
}

function headOf(names, rows, order, sort) {
  return element(
    'tr',
    {},
    ...names.map((name) => {
      const button = element(
        'button',
        { type: 'button', onclick: () => sort(name), title: 'Sort by ' + name },
        heading(name),
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
const namesOf = (columns) => columns.filter((name) => name !== 'id');

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
    body.replaceChildren(...sorted.map((row) => line(row, names, options.pick)));
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

// A page of a view's table (/view/NAME.rows): ANSWER is for OFFSET and ORDER.  Calls WANT
// for another order or offset.
export function page(answer, { offset, size, order, want, empty, save }) {
  const { rows, total, more, damaged, columns } = answer,
    names = namesOf(columns);
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
        headOf(names, rows, order, (name) =>
          want({ offset: 0, order: nextOrder(order, name, rows) }),
        ),
      ),
      element('tbody', {}, ...rows.map((row) => line(row, names))),
    ),
    foot,
  );
}
