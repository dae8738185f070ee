// SPDX-License-Identifier: Apache-2.0
// Keys and commands for what people ask most: the longest wait, the instances, two
// selections compared, a range that is typed, a table as text.
import { askJson } from './api.js';
import { step } from './drawer.js';
import { instances } from './faces.js';
import { emit, state } from './state.js';
import { hold, lookedAt } from './terms.js';

async function longest(where) {
  const { begin, end } = lookedAt();
  const answer = await askJson('view/instances.rows', {
    trace: state.trace,
    begin,
    end,
    where,
    limit: 1,
  });
  return answer.rows[0];
}

// Goes to the longest wait of what is looked at; where terms select no waits, to the
// longest of what they select.
async function longestWait() {
  if (!state.facts) return;
  const { all } = lookedAt();
  try {
    const found =
      (await longest(all ? `(${all}) and blocked` : 'blocked')) ||
      (state.terms.length ? await longest(all) : null);
    if (found) step(found.id);
    else emit('error', 'Nothing waited here.');
  } catch (error) {
    emit('error', error.message);
  }
}

function listInstances() {
  instances.takesFocus = true;
  emit('face', 'instances');
}

const press = (selector) => document.querySelector(selector)?.click();

export const quickKeys = {
  l: longestWait,
  i: listInstances,
  n: () => document.querySelector('.narrow')?.focus(),
  h: hold,
  c: () => press('#drawer .copy'),
};

export const quickCommands = [
  ['Go to the longest wait', 'L', longestWait],
  ['List the instances of the selection', 'I', listInstances],
  ['Narrow the selection by a term or a range', 'N', quickKeys.n],
  ['Hold the selection as A', 'H', hold],
  ['Copy the table of the pane as CSV', 'C', quickKeys.c],
];
