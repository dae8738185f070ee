// SPDX-License-Identifier: Apache-2.0
// Marks with notes: kept by the server beside the trace, in a small text file.  The page says what
// changes, a line each ("+" or "-" and a mark), so that the marks of another tab stay; what cannot
// be written is said, stays here, and is sent again with the next change or when the server is back.
import { askJson } from './api.js';
import { askText } from './commands.js';
import { show } from './drawer.js';
import { emit, on, state } from './state.js';
import { time } from './text.js';

let unsent = []; // { trace, text }
const lineOf = (m) => `${m.begin_ns}\t${m.length_ns}\t${m.note.replace(/[\r\n\t]/g, ' ')}`;
const inOrder = (marks) => marks.sort((a, b) => a.begin_ns - b.begin_ns);

// The server's marks, and what it does not know yet.
function take(marks) {
  for (const { trace, text } of unsent.filter((change) => change.trace === state.trace)) {
    marks = marks.filter((m) => lineOf(m) !== text.slice(1));
    const [begin, length, ...note] = text.slice(1).split('\t');
    if (text[0] === '+' && trace === state.trace) marks.push({ begin_ns: Number(begin), length_ns: Number(length), note: note.join(' ') });
  }
  state.marks = inOrder(marks);
  emit('marks');
}

async function load() {
  try {
    take(await askJson('marks', { trace: state.trace }));
  } catch {
    take([]);
  }
}

async function send() {
  const trace = state.trace, mine = unsent.filter((change) => change.trace === trace);
  if (!mine.length) return;
  try {
    const marks = await askJson('marks', { trace }, { post: mine.map(({ text }) => text + '\n').join('') });
    unsent = unsent.filter((change) => !mine.includes(change));
    if (trace === state.trace) take(marks);
  } catch (error) {
    if (error.status === 400) unsent = unsent.filter((change) => !mine.includes(change)); // it never will be
    emit('error', 'A mark is not saved: ' + error.message);
  }
}

function change(...texts) {
  unsent.push(...texts.map((text) => ({ trace: state.trace, text })));
  take(state.marks);
  return send();
}

export function addMark() {
  const { selection, cursor } = state, scale = 1e9 / state.ticksPerSecond;
  const begin = selection ? selection.begin : cursor ?? (state.begin + state.end) / 2;
  const length = selection ? selection.end - selection.begin : 0;
  askText(`Note for ${time(begin)}`, '', (note) => {
    change('+' + lineOf({ begin_ns: Math.round(begin * scale), length_ns: Math.round(length * scale), note }));
    show('marks');
  });
}

export function startMarks() {
  on('trace', () => { load(); send(); });
  on('back', send);
  addEventListener('focus', () => { if (state.facts) load(); }); // another tab may have changed them
  on('remove-mark', (i) => change('-' + lineOf(state.marks[i])));
  on('note-mark', ({ i, note }) => change('-' + lineOf(state.marks[i]), '+' + lineOf({ ...state.marks[i], note })));
}
