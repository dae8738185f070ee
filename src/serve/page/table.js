// SPDX-License-Identifier: Apache-2.0
// A table of what /view/NAME.json answers: sortable, and copied as CSV.
import { cell, element, heading } from './text.js';

const MOST = 2000; // rows that are made into elements

const quoted = (text) => (/[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);

export function csv(names, rows) {
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((line) => line.map((value) => quoted(String(value))).join(',')).join('\r\n') + '\r\n';
}

function compare(a, b, name) {
  const x = a[name], y = b[name];
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x ?? '').localeCompare(String(y ?? ''), 'en', { numeric: true });
}

export function table(rows, options = {}) {
  const names = rows.length ? Object.keys(rows[0]).filter((name) => name !== 'id') : [];
  let sorted = [...rows], by = null, up = false;
  const body = element('tbody'), head = element('tr');
  function fill() {
    body.replaceChildren(...sorted.slice(0, MOST).map((row) => {
      const line = element('tr', { className: options.pick ? 'can-pick' : '' },
        ...names.map((name) => element('td', { className: typeof row[name] === 'number' ? 'number' : '' }, cell(name, row[name]))));
      if (options.pick) {
        line.tabIndex = 0;
        line.onclick = () => options.pick(row);
        line.onkeydown = (e) => { if (e.key === 'Enter') options.pick(row); };
      }
      return line;
    }));
  }
  function sort(name) {
    up = by === name ? !up : typeof rows[0][name] !== 'number';
    by = name;
    sorted = [...rows].sort((a, b) => (up ? 1 : -1) * compare(a, b, name));
    for (const th of head.children) th.setAttribute('aria-sort', th.dataset.name === by ? (up ? 'ascending' : 'descending') : 'none');
    fill();
  }
  for (const name of names) {
    const button = element('button', { type: 'button', onclick: () => sort(name), title: 'Sort by ' + name }, heading(name));
    head.append(element('th', { scope: 'col', className: typeof rows[0][name] === 'number' ? 'number' : '', 'data-name': name, 'aria-sort': 'none' }, button));
  }
  fill();
  const copy = element('button', {
    type: 'button', className: 'copy', onclick: async () => {
      const text = csv(names, sorted);
      try { await navigator.clipboard.writeText(text); copy.textContent = 'Copied'; } catch { copy.textContent = 'The browser forbids copying'; }
      setTimeout(() => { copy.textContent = 'Copy as CSV'; }, 1500);
    },
  }, 'Copy as CSV');
  const more = sorted.length > MOST ? element('p', { className: 'quiet' }, `The first ${MOST} of ${sorted.length} rows; CSV has all.`) : null;
  if (!rows.length) return element('div', { className: 'table' }, element('p', { className: 'quiet' }, options.empty || 'Nothing here.'));
  return element('div', { className: 'table' }, element('table', {}, element('thead', {}, head), body), more, copy);
}
