// SPDX-License-Identifier: Apache-2.0
// Chains of filters (doc/filters.md), which stand between the trace and all that is shown
// of it: their lines, and the verbs that add to them.  OF says whose chain is meant: a
// panel with one of its own; null, or another panel, means the chain that panels share.
// The server checks a chain before it is taken.
import { askJson } from './api.js';
import { element } from './formatting.js';
import { isLong, keep } from './long_settings.js';
import { emit, setActive, state } from './state.js';

const OFF = /^\s*off\s+/;

// The text of a chain.
export const chainText = (of = null) => (of?.own ? of.own.text : state.filters);

// The lines of a chain that are filters: { text, on }.
export const chain = (of = null) =>
  chainText(of)
    .split('\n')
    .filter((line) => line.trim() && !line.trim().startsWith('#'))
    .map((line) => ({ text: line.replace(OFF, '').trim(), on: !OFF.test(line) }));

const textOf = (filters) =>
  filters.map(({ text, on }) => (on ? text : 'off ' + text)).join('\n');

// Returns the fault of a text, as the server says: { line, message }, from line 1; or null.
async function faultOf(text) {
  try {
    const filters = isLong(text) ? await keep(text) : text;
    await askJson('containers', { trace: state.trace, q: '', filters });
    return null;
  } catch (error) {
    const line = Number(/line (\d+)/.exec(error.message)?.[1]) || 0;
    return { line, message: error.message };
  }
}

// Takes a text as the chain; returns what is wrong with it, and changes nothing then.
export async function setFilters(text, of = null) {
  const fault = text.trim() && state.facts ? await faultOf(text) : null;
  if (fault) return fault;
  const sent = isLong(text) ? await keep(text) : text;
  if (of?.own) {
    of.setOwn({ text, sent });
    return null;
  }
  state.filtersSent = sent;
  state.filters = text;
  emit('filters', null);
  return null;
}

export const setChain = (filters, of) => setFilters(textOf(filters), of);

async function take(filters, of) {
  const fault = await setChain(filters, of);
  if (fault) emit('error', fault.message);
}

// Gives a panel what it is shown through: 'shared', the chain that panels share; 'raw',
// nothing; 'own', a chain of its own, at first a copy of the shared one.
export function giveChain(panel, which) {
  panel.setOwn(
    which === 'shared'
      ? null
      : which === 'raw'
        ? { text: '', sent: '' }
        : { text: state.filters, sent: state.filtersSent },
  );
  setActive(panel);
}

// The chains that a panel may have, and how menus call them.
export const chainChoices = [
  ['shared', 'Panel: with the filters that panels share'],
  ['raw', 'Panel: raw, without filters'],
  ['own', 'Panel: filters of its own'],
];

// The menu's entries that give a panel another chain.
export const chainItems = (panel) =>
  chainChoices
    .filter(([which]) => which !== panel.chainKind())
    .map(([which, title]) => ({ title, run: () => giveChain(panel, which) }));

const add = (line, of) => take([...chain(of), { text: line, on: true }], of);

const quoted = (name) => `"${name.replace(/["\\]/g, '\\$&')}"`;

// The verbs of a row's menu: ROW is like "#5" or "#5+", KIND as its head says.
export function verbsOf(row, kind, of) {
  const id = row.replace('+', ''),
    lines = chain(of),
    others = state.selection?.rows?.length > 1 ? state.selection.rows : null,
    without = (begin) => take(lines.filter(({ text }) => !begin.test(text)), of),
    has = (begin) => lines.some(({ text }) => begin.test(text));
  return [
    { title: 'Hide this row', run: () => add(`hide row in ${quoted(id)}`, of) },
    ...(kind
      ? [{ title: `Hide all of kind ${kind}`, run: () => add(`hide rows of ${kind}`, of) }]
      : []),
    { title: 'Dim all other rows', run: () => add(`dim not row in ${quoted(id)}`, of) },
    lines.some(({ text, on }) => on && reduces(text, id))
      ? {
          title: 'Show all its rows again',
          run: () => take(lines.filter(({ text }) => !reduces(text, id)), of),
        }
      : {
          title: 'Reduce to one row, as shades',
          run: () => add(`reduce ${quoted(id)} as shades`, of),
        },
    ...heightVerbs(id, of),
    ...(others
      ? [
          {
            title: `Group the ${others.length} selected rows`,
            run: () =>
              add(
                `group ${nameOfGroup(lines)} = ${others.map((r) => r.replace('+', '')).join(', ')}`,
                of,
              ),
          },
        ]
      : []),
    ...(has(/^hide\b/) ? [{ title: 'Show all again', run: () => without(/^hide\b/) }] : []),
    ...(has(/^dim\b/) ? [{ title: 'Dim nothing', run: () => without(/^dim\b/) }] : []),
  ];
}

// Puts the line PREFIX + VALUE last, for those that begin so; '' only removes them.
function put(prefix, value, of) {
  const lines = chain(of).filter(({ text }) => !text.startsWith(prefix));
  if (value) lines.push({ text: prefix + value, on: true });
  return take(lines, of);
}

// The name that the trace itself has for a value which is called LABEL now.
function ownName(label, of) {
  const renamed = chain(of).find(
    ({ text, on }) => on && text.startsWith('name ') && text.endsWith(`= ${quoted(label)}`),
  );
  const own = /^name (?:"((?:[^"\\]|\\.)*)"|([^"=]*?)) *=/.exec(renamed?.text || '');
  return own ? (own[1]?.replace(/\\(.)/g, '$1') ?? own[2]) : label;
}

function chooseColor(label, color, of) {
  const input = element('input', { type: 'color', className: 'choose-color', value: color });
  input.onchange = () => {
    put(`color ${quoted(ownName(label, of))} = `, input.value, of);
    input.remove();
  };
  document.body.append(input);
  input.click();
}

// The verbs of a value in the legend, which has COLOR, "#rrggbb".
export function verbsOfValue(label, color, of) {
  const value = `value = ${quoted(label)}`;
  return [
    {
      title: `Dim all but ${label}`,
      run: () => put('dim not value = ', quoted(label), of),
    },
    { title: `Hide ${label}`, run: () => add(`hide ${value}`, of) },
    { title: 'Choose its colour', run: () => chooseColor(label, color, of) },
  ];
}

const HEIGHT = 20, // pixels of a usual row, about
  HIGHEST = 400;
function heightVerbs(id, of) {
  const prefix = `height ${quoted(id)} = `,
    line = chain(of).find(({ text }) => text.startsWith(prefix)),
    now = Number(line?.text.slice(prefix.length));
  return [
    {
      title: 'Make this row taller',
      run: () => put(prefix, String(Math.min(HIGHEST, 2 * (now || HEIGHT))), of),
    },
    ...(now ? [{ title: 'Give it its usual height', run: () => put(prefix, '', of) }] : []),
  ];
}

// The line that the menu adds, with whatever look it was given since.
const reduces = (text, id) => text.startsWith(`reduce ${quoted(id)}`);

function nameOfGroup(lines) {
  let number = 1;
  while (lines.some(({ text }) => text.startsWith(`group group ${number} =`))) number++;
  return `group ${number}`;
}

// Sorts all rows by KEY, in place of how they were sorted; '': not any more.
export function sortRows(key, of) {
  const others = chain(of).filter(({ text }) => !/^sort\b/.test(text));
  return take(key ? [...others, { text: `sort by ${key}`, on: true }] : others, of);
}

export const sortKey = (of) =>
  chain(of)
    .find(({ text, on }) => on && /^sort by /.test(text))
    ?.text.slice('sort by '.length) || '';
