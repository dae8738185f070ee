// SPDX-License-Identifier: Apache-2.0
// Marks with notes, kept by the server beside the trace, in a small text file.  The page
// sends changes, a line each ("+" or "-" and a mark), so that the marks of another tab
// stay.  A change that cannot be saved is reported, stays here, and is sent again with the
// next change or when the server is back.
import { askJson } from './api.js';
import { askText } from './commands.js';
import { show } from './drawer.js';
import { emit, numberOf, on, state, traceNow } from './state.js';
import { noteFault, time } from './formatting.js';

let unsent = []; // { trace, name, lines }: changes of one mark, which are sent together
let sending = Promise.resolve();
const NEVER = [400, 413]; // statuses of a change that the server will never accept
const lineOf = (m) => `${m.begin_ns}\t${m.length_ns}\t${m.note.replace(/[\r\n\t]/g, ' ')}`;
const inOrder = (marks) => marks.sort((a, b) => a.begin_ns - b.begin_ns);

const isOpen = (change) => numberOf(change) === state.trace;

// Shows the server's marks, with the unsent changes applied.
function take(marks) {
  for (const text of unsent.filter(isOpen).flatMap(({ lines }) => lines)) {
    marks = marks.filter((m) => lineOf(m) !== text.slice(1));
    const [begin, length, ...note] = text.slice(1).split('\t');
    if (text[0] === '+')
      marks.push({
        begin_ns: Number(begin),
        length_ns: Number(length),
        note: note.join(' '),
      });
  }
  state.marks = inOrder(marks);
  emit('marks');
}

// Loads the marks; on an error it keeps the old ones.
async function load() {
  const { trace, name } = state;
  const isMine = () => trace === state.trace && name === state.name;
  try {
    const marks = await askJson('marks', { trace });
    if (isMine()) take(marks);
  } catch (error) {
    if (isMine() && error.status !== 0)
      // 0: connection.js reports it
      emit('error', 'The marks are not those of now: ' + error.message);
  }
}

// Removes the previous trace's marks at once.
let shown = {};
function opened() {
  if (shown.trace !== state.trace || shown.name !== state.name) take([]);
  shown = traceNow();
  load();
  send();
}

// Sends one after the other: a change may build on the previous one.
const send = () => {
  sending = sending.then(sendNow, sendNow);
};

async function sendNow() {
  const { trace, name } = state,
    mine = unsent.filter(isOpen);
  if (!mine.length || !state.facts) return;
  try {
    // After a restart another trace may have this number, which this page has not noticed
    // yet: connection.js will, and then the changes are sent.
    if ((await askJson('trace', { trace })).name !== name) return;
  } catch (error) {
    return emit('error', 'A mark is not saved: ' + error.message);
  }
  await post(trace, mine);
}

// The server makes all changes or none: if it refuses them for good, each is sent alone, so
// that only the refused one is lost.
async function post(trace, changes) {
  const end = () => {
    unsent = unsent.filter((change) => !changes.includes(change));
  };
  try {
    const lines = changes.flatMap((change) => change.lines);
    const marks = await askJson(
      'marks',
      { trace },
      { post: lines.map((line) => line + '\n').join('') },
    );
    end();
    if (isOpen(changes[0])) take(marks);
  } catch (error) {
    const never = NEVER.includes(error.status);
    if (never && changes.length > 1) {
      for (const change of changes) await post(trace, [change]);
      return;
    }
    if (never) {
      end();
      load(); // show what is there
    }
    emit('error', 'A mark is not saved: ' + error.message);
  }
}

function change(trace, ...lines) {
  unsent.push({ ...trace, lines });
  take(state.marks);
  send();
}

export function addMark() {
  if (!state.facts) return;
  const trace = traceNow();
  const { selection, cursor } = state,
    scale = 1e9 / state.ticksPerSecond;
  const begin = selection ? selection.begin : (cursor ?? (state.begin + state.end) / 2);
  const length = selection ? selection.end - selection.begin : 0;
  askText(
    `Note for ${time(begin)}`,
    '',
    (note) => {
      change(
        trace,
        '+' +
          lineOf({
            begin_ns: Math.round(begin * scale),
            length_ns: Math.round(length * scale),
            note,
          }),
      );
      show('marks');
    },
    noteFault,
  );
}

export function startMarks() {
  on('trace', opened);
  addEventListener('focus', () => {
    if (state.facts) load();
  }); // another tab may have changed the marks
  on('remove-mark', ({ trace, mark }) => change(trace, '-' + lineOf(mark)));
  on('note-mark', ({ trace, mark, note }) =>
    change(trace, '-' + lineOf(mark), '+' + lineOf({ ...mark, note })),
  );
}
