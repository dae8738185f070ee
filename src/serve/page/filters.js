// SPDX-License-Identifier: Apache-2.0
// The chain of filters (doc/filters.md) that stands between the trace and all that is shown
// of it: its lines, and the verbs that add to it.  The server checks it before it is taken.
import { askJson } from './api.js';
import { element } from './formatting.js';
import { isLong, keep } from './long_settings.js';
import { emit, state } from './state.js';

const OFF = /^\s*off\s+/;

// The lines of the chain that are filters: { text, on }.
export const chain = () =>
  state.filters
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
export async function setFilters(text) {
  const fault = text.trim() && state.facts ? await faultOf(text) : null;
  if (fault) return fault;
  state.filtersSent = isLong(text) ? await keep(text) : text;
  state.filters = text;
  emit('filters');
  return null;
}

export const setChain = (filters) => setFilters(textOf(filters));

async function add(line) {
  const fault = await setChain([...chain(), { text: line, on: true }]);
  if (fault) emit('error', fault.message);
}

const quoted = (name) => `"${name.replace(/["\\]/g, '\\$&')}"`;

// The verbs of a row's menu: ROW is like "#5" or "#5+", KIND as its head says.
export function verbsOf(row, kind) {
  const id = row.replace('+', ''),
    others = state.selection?.rows?.length > 1 ? state.selection.rows : null,
    hiding = chain().filter(({ text }) => /^hide\b/.test(text)).length;
  return [
    { title: 'Hide this row', run: () => add(`hide row in ${quoted(id)}`) },
    ...(kind
      ? [{ title: `Hide all of kind ${kind}`, run: () => add(`hide rows of ${kind}`) }]
      : []),
    { title: 'Dim all other rows', run: () => add(`dim not row in ${quoted(id)}`) },
    reduced(id)
      ? { title: 'Show all its rows again', run: () => setChain(withoutReduction(id)) }
      : { title: 'Reduce to one row, as shades', run: () => add(`reduce ${quoted(id)} as shades`) },
    ...heightVerbs(id),
    ...(others
      ? [
          {
            title: `Group the ${others.length} selected rows`,
            run: () => add(`group ${nameOfGroup()} = ${others.map((r) => r.replace('+', '')).join(', ')}`),
          },
        ]
      : []),
    ...(hiding
      ? [
          {
            title: 'Show all again',
            run: () => setChain(chain().filter(({ text }) => !/^hide\b/.test(text))),
          },
        ]
      : []),
    ...(chain().some(({ text }) => /^dim\b/.test(text))
      ? [
          {
            title: 'Dim nothing',
            run: () => setChain(chain().filter(({ text }) => !/^dim\b/.test(text))),
          },
        ]
      : []),
  ];
}

// Puts the line PREFIX + VALUE last, for those that begin so; '' only removes them.
async function put(prefix, value) {
  const lines = chain().filter(({ text }) => !text.startsWith(prefix));
  if (value) lines.push({ text: prefix + value, on: true });
  const fault = await setChain(lines);
  if (fault) emit('error', fault.message);
}

// The name that the trace itself has for a value which is called LABEL now.
function ownName(label) {
  const renamed = chain().find(
    ({ text, on }) => on && text.startsWith('name ') && text.endsWith(`= ${quoted(label)}`),
  );
  const own = /^name (?:"((?:[^"\\]|\\.)*)"|([^"=]*?)) *=/.exec(renamed?.text || '');
  return own ? (own[1]?.replace(/\\(.)/g, '$1') ?? own[2]) : label;
}

function chooseColor(label, color) {
  const input = element('input', { type: 'color', className: 'choose-color', value: color });
  input.onchange = () => {
    put(`color ${quoted(ownName(label))} = `, input.value);
    input.remove();
  };
  document.body.append(input);
  input.click();
}

// The verbs of a value in the legend, which has COLOR, "#rrggbb".
export function verbsOfValue(label, color) {
  const value = `value = ${quoted(label)}`;
  return [
    { title: `Dim all but ${label}`, run: () => put('dim not value = ', quoted(label)) },
    { title: `Hide ${label}`, run: () => add(`hide ${value}`) },
    { title: 'Choose its colour', run: () => chooseColor(label, color) },
  ];
}

const HEIGHT = 20, // pixels of a usual row, about
  HIGHEST = 400;
function heightVerbs(id) {
  const prefix = `height ${quoted(id)} = `,
    line = chain().find(({ text }) => text.startsWith(prefix)),
    now = Number(line?.text.slice(prefix.length));
  return [
    {
      title: 'Make this row taller',
      run: () => put(prefix, String(Math.min(HIGHEST, 2 * (now || HEIGHT)))),
    },
    ...(now ? [{ title: 'Give it its usual height', run: () => put(prefix, '') }] : []),
  ];
}

// The line that the menu adds, with whatever look it was given since.
const reduces = (text, id) => text.startsWith(`reduce ${quoted(id)}`);
const reduced = (id) => chain().some(({ text, on }) => on && reduces(text, id));
const withoutReduction = (id) => chain().filter(({ text }) => !reduces(text, id));

function nameOfGroup() {
  let number = 1;
  while (chain().some(({ text }) => text.startsWith(`group group ${number} =`))) number++;
  return `group ${number}`;
}

// Sorts all rows by KEY, in place of how they were sorted; '': not any more.
export async function sortRows(key) {
  const others = chain().filter(({ text }) => !/^sort\b/.test(text));
  const fault = await setChain(key ? [...others, { text: `sort by ${key}`, on: true }] : others);
  if (fault) emit('error', fault.message);
}

export const sortKey = () =>
  chain()
    .find(({ text, on }) => on && /^sort by /.test(text))
    ?.text.slice('sort by '.length) || '';
