// SPDX-License-Identifier: Apache-2.0
// The search box: the server searches the whole trace; the box shows the count, and the
// hits one after the other.
import { askJson } from './api.js';
import { pick, pickRow } from './drawer.js';
import { emit, filtersOf, on, reveal, state } from './state.js';
import { count, damagedText } from './formatting.js';

const POLL = 150; // ms
let box,
  label,
  timer,
  asked = '',
  searched = ''; // the filters through which the trace was

// Tells the place of a hit among all, as soon as their number is known.
function tellPlace() {
  const { now, count: all } = state.hits;
  label.textContent =
    all === undefined ? '' : `${count(now.number)} of ${count(Math.max(all, now.number))}`;
}

function tell(answer) {
  const hits = count(answer.count) + (answer.done ? '' : '+'),
    rows = answer.containers;
  for (const id of ['previous-hit', 'next-hit'])
    document.getElementById(id).disabled = !answer.count && !rows;
  if (state.hits.now) return tellPlace();
  if (state.hits.row !== undefined) return; // its place is told
  label.textContent =
    `${hits} hit${answer.count === 1 ? '' : 's'}${rows ? `, ${rows} row${rows === 1 ? '' : 's'}` : ''}` +
    (answer.damaged ? `; ${damagedText(answer.damaged)}` : '');
}

async function poll(text) {
  // Drop late answers for another text or trace.
  const { facts } = state;
  if (text !== asked || !facts) return;
  try {
    const answer = await askJson('search', { trace: state.trace, q: text });
    if (text !== asked || facts !== state.facts) return;
    state.hits = {
      ...state.hits,
      bins: answer.bins,
      count: answer.count,
      done: answer.done,
      rows: answer.containers,
    };
    tell(answer);
    emit('hits');
    if (!answer.done) timer = setTimeout(() => poll(text), POLL);
  } catch (error) {
    if (text !== asked || facts !== state.facts) return;
    label.textContent = error.message;
    state.hits = { ...state.hits, done: true }; // nobody waits for more
  }
}

function start() {
  asked = box.value.trim();
  searched = filtersOf(state.active);
  clearTimeout(timer);
  state.hits = null;
  state.find = asked;
  label.textContent = '';
  for (const id of ['previous-hit', 'next-hit']) document.getElementById(id).disabled = true;
  emit('hits');
  emit('find');
  if (asked) poll(asked);
}

// Goes to the next row with a matching name, where only names of rows match.
async function nextRow(text, backward) {
  const { facts } = state,
    rows = await askJson('containers', { trace: state.trace, q: text });
  if (facts !== state.facts || !rows.length) return;
  const from = state.hits.row ?? (backward ? rows.length : -1),
    at = (from + (backward ? -1 : 1) + rows.length) % rows.length,
    more = state.hits.rows > rows.length ? '+' : '';
  state.hits.row = at;
  label.textContent = `row ${count(at + 1)} of ${count(rows.length)}${more}`;
  pickRow(rows[at].row);
}

export async function nextHit(backward) {
  const text = box.value.trim();
  if (text !== asked) start();
  if (!text) return;
  const from = state.hits?.now,
    { facts } = state;
  if (!facts) return;
  try {
    if (state.hits?.done && !state.hits.count && state.hits.rows)
      return void (await nextRow(text, backward));
    const hit = await askJson('search/next', {
      trace: state.trace,
      q: text,
      backward: backward ? 1 : 0,
      begin: Math.floor(from ? from.begin : backward ? state.end : state.begin),
      id: from?.id,
    });
    if (facts !== state.facts) return;
    // Still counting, or the count has not come yet.
    if (hit.bins || (!hit.id && !state.hits?.done))
      return void setTimeout(() => nextHit(backward), POLL);
    // The names were looked at while the question was on its way.
    if (!hit.id && !state.hits?.count && state.hits?.rows)
      return void (await nextRow(text, backward));
    if (!hit.id) {
      // continue from the other end
      label.textContent = state.hits?.count
        ? 'No more; again from the ' + (backward ? 'end' : 'start')
        : 'Nothing found';
      if (state.hits?.count) {
        const again = await askJson('search/next', {
          trace: state.trace,
          q: text,
          backward: backward ? 1 : 0,
          begin: backward ? Math.ceil(state.span) + 1 : 0,
        });
        if (again.id && facts === state.facts) goTo(again);
      }
      return;
    }
    goTo(hit);
  } catch (error) {
    if (facts === state.facts) label.textContent = error.message;
  }
}

function goTo(hit) {
  state.hits = { ...state.hits, now: hit };
  tellPlace();
  reveal(hit.begin, hit.end);
  emit('hits');
  pick(hit.id);
  emit('glide', hit.id);
}

export function searchFor(text) {
  box.value = text;
  start();
}
export const focusSearch = () => {
  box.focus();
  box.select();
};

export function clearSearch() {
  box.value = '';
  start();
}

export function startSearch() {
  box = document.getElementById('query');
  label = document.getElementById('hits');
  for (const id of ['previous-hit', 'next-hit']) document.getElementById(id).disabled = true;
  let typing;
  box.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      if (box.value.trim() !== asked) start();
    }, 250);
  });
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      nextHit(event.shiftKey);
    } else if (event.key === 'Escape') {
      clearSearch();
      box.blur();
    }
    event.stopPropagation();
  });
  document.getElementById('next-hit').onclick = () => nextHit(false);
  document.getElementById('previous-hit').onclick = () => nextHit(true);
  on('search-for', searchFor);
  for (const what of ['filters', 'active'])
    on(what, () => {
      if (asked && searched !== filtersOf(state.active)) start();
    });
  on('trace', () => {
    if (asked) start();
  });
}
