// SPDX-License-Identifier: Apache-2.0
// Times and numbers for people, and helpers for elements.  Text from traces only becomes
// textContent, never markup.
import { state } from './state.js';

const units = [
  ['s', 1],
  ['ms', 1e-3],
  ['µs', 1e-6],
  ['ns', 1e-9],
  ['ps', 1e-12],
];

// A duration in ticks, formatted like the server does: three or four digits and a unit.
export function duration(ticks) {
  const seconds = ticks / state.ticksPerSecond;
  if (!seconds) return '0 s';
  const [unit, size] =
    units.find(([, s]) => Math.abs(seconds) >= s * 0.9995) || units[units.length - 1];
  const value = seconds / size,
    amount = Math.abs(value);
  // nanoseconds have no fractions
  const whole = unit === 'ns' && state.ticksPerSecond === 1e9;
  return value.toFixed(whole || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2) + ' ' + unit;
}

// A time from the start of the run, as exact as the window needs.
export function time(ticks) {
  const width = (state.end - state.begin) / state.ticksPerSecond;
  const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(width || 1))));
  return (ticks / state.ticksPerSecond).toFixed(digits) + ' s';
}

// The moment, to a thousandth of the window; in the axis' unit, or a larger one if the
// window is far from the start.  The number of digits stays the same while the moment
// moves.
export function momentText(ticks) {
  const length = (state.end - state.begin) / state.ticksPerSecond;
  const end = state.end / state.ticksPerSecond;
  const [unit, size] = units.find(
    ([, s], i) => length >= 2 * s || i + 1 === units.length || end >= 1e5 * units[i + 1][1],
  );
  const digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(length / size || 1))));
  return (ticks / state.ticksPerSecond / size).toFixed(digits) + ' ' + unit;
}

// A time for the server, exact to the tick; and ticks of a typed time: 1.5s, 20ms, 300us,
// 50%, plain seconds; null if it is invalid.
export const exactTime = (ticks) => (Math.round(ticks) / state.ticksPerSecond).toFixed(12);
export function parseTime(text) {
  const found = /^([0-9]+\.?[0-9]*|\.[0-9]+) ?(s|ms|us|µs|ns|%)?$/.exec(text);
  if (!found) return null;
  if (found[2] === '%') return (Number(found[1]) / 100) * (state.span - 1);
  return (
    Number(found[1]) *
    { s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 }[found[2] || 's'] *
    state.ticksPerSecond
  );
}

// Returns why the server will not accept the note of a mark; or ''.
const LONGEST_NOTE = 4096; // bytes
export const noteFault = (text) =>
  new TextEncoder().encode(text).length > LONGEST_NOTE
    ? `A note has at most ${LONGEST_NOTE} bytes.`
    : '';

// A sentence about the damaged parts of the trace that an answer leaves out; or null.
export const damagedText = (n) =>
  n ? `${count(n)} damaged part${n === 1 ? '' : 's'} of the trace left out` : null;

export const count = (n) => n.toLocaleString('en').replace(/,/g, '\u202f');

export function bytes(n) {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let i = 0;
  while (n >= 1024 && i < names.length - 1) {
    n /= 1024;
    i++;
  }
  return (i && n < 100 ? n.toFixed(1) : Math.round(n)) + ' ' + names[i];
}

// element('button', { className: 'x', onclick }, 'text', child ...)
export function element(name, properties, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.startsWith('aria-') || key === 'role' || key.startsWith('data-'))
      node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// The name of a column as a head of a table: "total_ns" becomes "total", since the values
// are shown with their unit.
export function heading(name) {
  return name.replace(/_(ns|pct|bytes)$/, '').replace(/_/g, ' ');
}

export function cell(name, value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  if (name.endsWith('_ns')) return duration((value * state.ticksPerSecond) / 1e9);
  if (name.endsWith('_pct')) return value.toFixed(2) + ' %';
  if (name.endsWith('_bytes')) return bytes(value);
  return Number.isInteger(value) ? count(value) : String(value);
}
