// SPDX-License-Identifier: Apache-2.0
// The causes of the waits of two selections, side by side: those that are the same thing at
// the same place are one row.
const sameIn = ['class', 'state', 'object', 'site', 'function'];

// The numbers are in sight also in a narrow pane.
const columns = [
  'class',
  'state',
  'waited_ns',
  'other_waited_ns',
  'change_ns',
  'object',
  'site',
  'function',
  'waits',
  'other_waits',
];

export const titles = {
  waited_ns: 'waited in A',
  other_waited_ns: 'in B',
  change_ns: 'B − A',
  waits: 'waits of A',
  other_waits: 'of B',
};

// Returns the rows of the view `causes` of A and B as one answer, as a view's table is: the
// largest change first, or by ORDER, from OFFSET on, at most SIZE.
export function compareCauses(a, b, { order, offset, size }) {
  const rows = new Map();
  const add = (row, waited, waits) => {
    const key = JSON.stringify(sameIn.map((name) => row[name] ?? ''));
    if (!rows.has(key))
      rows.set(key, {
        ...Object.fromEntries(sameIn.map((name) => [name, row[name] ?? ''])),
        waited_ns: 0,
        other_waited_ns: 0,
        change_ns: 0,
        waits: 0,
        other_waits: 0,
      });
    const sums = rows.get(key);
    sums[waited] += row.waited_ns;
    sums[waits] += row.waits;
    sums.change_ns = sums.other_waited_ns - sums.waited_ns;
  };
  for (const row of a) add(row, 'waited_ns', 'waits');
  for (const row of b) add(row, 'other_waited_ns', 'other_waits');
  const change = (row) => Math.abs(row.change_ns),
    all = [...rows.values()].sort((x, y) => change(y) - change(x));
  if (order) {
    const of = (row) => row[order.name],
      compare = (x, y) => (typeof x === 'number' ? x - y : String(x).localeCompare(String(y)));
    all.sort((x, y) => (order.falling ? -1 : 1) * compare(of(x), of(y)));
  }
  return {
    rows: all.slice(offset, offset + size),
    total: all.length,
    columns,
  };
}
