// SPDX-License-Identifier: Apache-2.0
// Selections (doc/selections.md): the terms to which the cells of a table's row lead.

export const quoted = (text) => '"' + String(text).replace(/["\\]/g, '\\$&') + '"';

// Returns what of "by=type:|value" holds for a row: see weft_column.selects.
function chosen(choices, view, settings, row) {
  for (const choice of choices.split('|')) {
    const [, name, value, then] = /^([a-z_]+)=([^:$ ]*):(.*)$/.exec(choice) || [];
    if (!name) return choice;
    const parameter = view.parameters.find((p) => p.name === name);
    const now = parameter ? settings[name] || parameter.fallback : String(row[name] ?? '');
    if (now === value) return then;
  }
  return '';
}

// Puts the cell's text, in quotes, in place of $ ("$ns" in quotes: with what is around it),
// and that of a setting in place of {its name}.
const filled = (template, cell, view, settings) =>
  (/^\w+$/.test(template) ? template + ' = $' : template).replace(
    /\{(\w+)\}|"([^"$]*)\$([^"$]*)"|\$/g,
    (found, name, before, behind) =>
      name
        ? quoted(settings[name] || view.parameters.find((p) => p.name === name).fallback)
        : quoted((before ?? '') + cell + (behind ?? '')),
  );

// The terms of a list of containers: "#5+,#7-9".
function containersTerm(list) {
  const terms = list
    .split(',')
    .filter(Boolean)
    .flatMap((item) => {
      const [, first, last, all] = /^#(\d+)(?:-(\d+))?(\+?)$/.exec(item) || [];
      if (first === undefined) {
        const below = item.endsWith('+');
        return `row ${below ? 'in' : '='} ${quoted(below ? item.slice(0, -1) : item)}`;
      }
      const numbers = [];
      for (let i = Number(first); i <= Number(last ?? first) && numbers.length < 64; i++)
        numbers.push(`row ${all ? 'in' : '='} "#${i}"`);
      return numbers;
    });
  return terms.length > 1 ? `(${terms.join(' or ')})` : terms[0];
}

// Joins a selection with those of a panel's settings.
export function within(where, settings) {
  return [
    settings.where && `(${settings.where})`,
    where,
    settings.containers && containersTerm(settings.containers),
  ]
    .filter(Boolean)
    .join(' and ');
}

// Returns the term by which a click on the cell of column CLICKED narrows, or ''.
export function narrowedBy(view, settings, row, clicked) {
  const narrows = view.columns.find((column) => column.name === clicked)?.narrows;
  return narrows && row[clicked] !== null && row[clicked] !== undefined && row[clicked] !== ''
    ? narrows.includes('$')
      ? filled(narrows, row[clicked], view, settings)
      : narrows
    : '';
}

// Returns the selection to which a row of the view's table leads, or null: a text that
// joins the terms of its cells, and that of the cell CLICKED (a column's name).
export function whereOf(view, settings, row, clicked) {
  const terms = row.where ? [row.where] : []; // the view may say it itself
  for (const { name, selects } of view.columns) {
    const term = selects && chosen(selects, view, settings, row);
    if (term && row[name] !== null && row[name] !== undefined)
      terms.push(filled(term, row[name], view, settings));
  }
  terms.push(...[narrowedBy(view, settings, row, clicked)].filter(Boolean));
  return terms.length ? within(terms.join(' and '), settings) : null;
}

// Returns true if rows of the view's table lead to what they count.
export const leads = (view) =>
  view.columns.some((column) => column.selects || column.name === 'where');
