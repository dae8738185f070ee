// SPDX-License-Identifier: Apache-2.0
// Marks with notes: kept by the server beside the trace, in a small text file.  The page says what
// changes, a line each ("+" or "-" and a mark), so that the marks of another tab stay; what cannot
// be written is said, stays here, and is sent again with the next change or when the server is back.
import { askJson } from './api.js';
import { askText } from './commands.js';
import { show } from './drawer.js';
import { emit, numberOf, on, state, traceNow } from './state.js';
import { time } from './text.js';

let unsent = []; // { trace, name, text }
const lineOf = (m) => `${m.begin_ns}\t${m.length_ns}\t${m.note.replace(/[\r\n\t]/g, ' ')}`;
const inOrder = (marks) => marks.sort((a, b) => a.begin_ns - b.begin_ns);

const isOpen = (change) => numberOf(change) === state.trace;

// The server's marks, and what it does not know yet.
function take(marks) {
  for (const { text } of unsent.filter(isOpen)) {
    marks = marks.filter((m) => lineOf(m) !== text.slice(1));
    const [begin, length, ...note] = text.slice(1).split('\t');
    if (text[0] === '+') marks.push({ begin_ns: Number(begin), length_ns: Number(length), note: note.join(' ') });
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
  const { trace, name } = state, mine = unsent.filter(isOpen);
  if (!mine.length || !state.facts) return;
  try {
    // A server that was started again has perhaps another trace of this number, which this page has
    // not seen yet: it will (connection.js), and then they are sent.
    if ((await askJson('trace', { trace })).name !== name) return;
    const marks = await askJson('marks', { trace }, { post: mine.map(({ text }) => text + '\n').join('') });
    unsent = unsent.filter((change) => !mine.includes(change));
    if (trace === state.trace) take(marks);
  } catch (error) {
    if (error.status === 400) unsent = unsent.filter((change) => !mine.includes(change)); // it never will be
    emit('error', 'A mark is not saved: ' + error.message);
  }
}

function change(trace, ...texts) {
  unsent.push(...texts.map((text) => ({ ...trace, text })));
  take(state.marks);
  return send();
}

export function addMark() {
  if (!state.facts) return;
  const trace = traceNow();
  const { selection, cursor } = state, scale = 1e9 / state.ticksPerSecond;
  const begin = selection ? selection.begin : cursor ?? (state.begin + state.end) / 2;
  const length = selection ? selection.end - selection.begin : 0;
  askText(`Note for ${time(begin)}`, '', (note) => {
    change(trace, '+' + lineOf({ begin_ns: Math.round(begin * scale), length_ns: Math.round(length * scale), note }));
    show('marks');
  });
}

export function startMarks() {
  on('trace', () => { load(); send(); });
  addEventListener('focus', () => { if (state.facts) load(); }); // another tab may have changed them
  on('remove-mark', ({ trace, mark }) => change(trace, '-' + lineOf(mark)));
  on('note-mark', ({ trace, mark, note }) => change(trace, '-' + lineOf(mark), '+' + lineOf({ ...mark, note })));
}
