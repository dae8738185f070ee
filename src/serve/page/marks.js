// SPDX-License-Identifier: Apache-2.0
// Marks with notes: kept by the server beside the trace, in a small text file.
import { askJson } from './api.js';
import { askText } from './commands.js';
import { show } from './drawer.js';
import { emit, on, state } from './state.js';
import { time } from './text.js';

async function load() {
  try {
    state.marks = await askJson('marks', { trace: state.trace });
  } catch {
    state.marks = [];
  }
  emit('marks');
}

async function keep(marks) {
  const lines = marks.map((m) => `${m.begin_ns}\t${m.length_ns}\t${m.note.replace(/[\r\n\t]/g, ' ')}\n`).join('');
  try {
    state.marks = await askJson('marks', { trace: state.trace }, { post: lines });
  } catch (error) {
    emit('error', error.message);
  }
  emit('marks');
}

export function addMark() {
  const { selection, cursor } = state, scale = 1e9 / state.ticksPerSecond;
  const begin = selection ? selection.begin : cursor ?? (state.begin + state.end) / 2;
  const length = selection ? selection.end - selection.begin : 0;
  askText(`Note for ${time(begin)}`, '', (note) => {
    const mark = { begin_ns: Math.round(begin * scale), length_ns: Math.round(length * scale), note };
    keep([...state.marks, mark].sort((a, b) => a.begin_ns - b.begin_ns));
    show('marks');
  });
}

export function startMarks() {
  on('trace', load);
  on('remove-mark', (i) => keep(state.marks.filter((_, j) => j !== i)));
  on('note-mark', ({ i, note }) => keep(state.marks.map((mark, j) => (j === i ? { ...mark, note } : mark))));
}
