// SPDX-License-Identifier: Apache-2.0
// The selection: an area of the timeline (state.selection), and terms (doc/selections.md)
// that narrow it.  One can be held, to be compared with the next.
import { duration, time } from './formatting.js';
import { within } from './selections.js';
import { emit, setSelection, state, traceNow } from './state.js';

// Calls FOUND(at, word) for each "and" and "or" that is outside of quotes and parentheses.
function eachWord(text, found) {
  let depth = 0;
  for (const { 0: part, index } of text.matchAll(/"(?:\\.|[^"\\])*"?|[()]|\b(?:and|or)\b/gi)) {
    if (part === '(') depth++;
    else if (part === ')') depth--;
    else if (!depth && part[0] !== '"') found(index, part.toLowerCase());
  }
}

// Returns what is inside of parentheses around all of a text; else the text.
function bare(text) {
  let depth = 0;
  if (text[0] !== '(') return text;
  for (const { 0: part, index } of text.matchAll(/"(?:\\.|[^"\\])*"?|[()]/g)) {
    if (part === '(') depth++;
    if (part === ')' && !--depth)
      return index === text.length - 1 ? bare(text.slice(1, -1).trim()) : text;
  }
  return text;
}

// Splits a selection into the terms that "and" joins; with an "or" between them it is one.
export function termsOf(text) {
  const where = bare(text.trim());
  const cuts = [];
  let alternatives = false;
  eachWord(where, (at, word) => {
    if (word === 'or') alternatives = true;
    else cuts.push(at);
  });
  if (alternatives) return [where];
  const terms = [];
  let from = 0;
  for (const at of [...cuts, where.length]) {
    terms.push(where.slice(from, at).trim());
    from = at + 3;
  }
  return terms.filter(Boolean).flatMap((term) => (term === where ? [term] : termsOf(term)));
}

// Joins terms by "and"; those with an "or" get parentheses.
export const joined = (terms) =>
  terms
    .map((term) => {
      let alternatives = false;
      eachWord(term, (at, word) => {
        alternatives ||= word === 'or';
      });
      return alternatives && terms.length > 1 ? `(${term})` : term;
    })
    .join(' and ');

export function setTerms(terms) {
  const kept = [...new Set(terms)];
  if (joined(kept) === joined(state.terms)) return;
  state.terms = kept;
  emit('terms');
}

export const addTerms = (where) => setTerms([...state.terms, ...termsOf(where)]);

// The selection as the server is asked for it: the area, else the window; the terms, and
// the area's rows as a list of containers or, for views without such a setting, as a term.
export function lookedAt() {
  const area = state.selection && !state.selection.live ? state.selection : null,
    { begin, end } = area || state,
    rows = area?.rows?.length ? area.rows.join(',') : '';
  return {
    begin: Math.floor(begin),
    end: Math.max(Math.floor(begin) + 1, Math.ceil(end)),
    containers: rows,
    where: joined(state.terms),
    all: within(joined(state.terms), { containers: rows }),
  };
}

// Returns the selection in words: "500 ms + 5 ms, 2 rows, blocked".
export function inWords({ begin, end, containers, where }) {
  const rows = containers ? containers.split(',').length : 0;
  return [
    `${time(begin)} + ${duration(end - begin)}`,
    rows ? `${rows} row${rows === 1 ? '' : 's'}` : '',
    where,
  ]
    .filter(Boolean)
    .join(', ');
}

// Holds what is looked at, to compare what is looked at next with it; or lets it go.
export function hold() {
  const looked = lookedAt();
  state.held = { ...traceNow(), ...looked, label: inWords(looked) };
  emit('held');
}
export function letGo() {
  state.held = null;
  emit('held');
}

// "+5ms": so long from the begin of the picked thing, and only its row; else from T, or
// from the window's begin.
function rangeFromHere(length) {
  const { picked, selection } = state,
    begin = picked ? picked.begin : (state.time ?? selection?.begin ?? state.begin);
  const rows = picked?.row ? [picked.row] : selection?.rows || [];
  setSelection({ begin, end: begin + length, rows, live: false });
}

// Parses what is typed to narrow: "500ms+5ms", "500ms:505ms", "+5ms", or terms.  Returns
// true if it was a range of time, which becomes the area, without padding.
export function narrowBy(text, parseTime) {
  const length = /^\s*\+/.test(text) ? parseTime(text.trim().slice(1).trim()) : null;
  if (length) {
    rangeFromHere(length);
    return true;
  }
  const [, first, sign, second] = /^\s*([^+:]+)([+:])([^+:]+)\s*$/.exec(text) || [],
    begin = first !== undefined ? parseTime(first.trim()) : null,
    other = second !== undefined ? parseTime(second.trim()) : null;
  if (begin === null || other === null) {
    addTerms(text);
    return false;
  }
  const end = sign === '+' ? begin + other : other;
  setSelection({ begin, end, rows: state.selection?.rows || [], live: false });
  return true;
}
