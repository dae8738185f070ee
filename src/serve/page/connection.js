// SPDX-License-Identifier: Apache-2.0
// Reports, in a line above the panels, that the server does not answer, or that a trace's
// file has changed; the last pictures stay, greyed.  Asks again until the server is back.
import { ask, askJson, trouble } from './api.js';
import { emit, state, traceNow } from './state.js';
import { element } from './formatting.js';
import { openKept, openTrace } from './traces.js';

const AGAIN = 1000; // ms between two attempts
const LOOK = 3000; // ms between two checks of an idle page
let lost = false;

function say(name, text, ...buttons) {
  document.getElementById('trouble')?.remove();
  document.body.classList.toggle('lost', Boolean(text));
  if (!text) return;
  document
    .getElementById('work')
    .prepend(
      element(
        'div',
        { id: 'trouble', role: 'alert', className: name },
        element('span', {}, text),
        ...buttons,
      ),
    );
}

const button = (text, run) => element('button', { type: 'button', onclick: run }, text);

const now = () => ({ begin: state.begin, end: state.end, time: state.time });

async function again() {
  try {
    state.catalogue = await askJson('catalogue');
  } catch (error) {
    if (error.status === 401) {
      lost = false; // the server answers, but not to this page
      return say(
        'lost',
        'The server has another secret now: open the address that weft view prints.',
      );
    }
    return setTimeout(again, AGAIN);
  }
  lost = false;
  say('', '');
  // The trace may be closed, or have another number: this makes all panels ask again.
  openKept(traceNow(), now());
}

async function reload() {
  say('', '');
  try {
    await ask('reload', { trace: state.trace }, { post: '' });
  } catch (error) {
    return emit('error', error.message);
  }
  openTrace(state.trace, now());
}

// Checks the server.  After a restart, another trace or none may have this number.
async function look() {
  if (lost || document.hidden || !state.facts) return;
  const { trace, name } = state;
  try {
    if ((await askJson('trace', { trace })).name === name) return;
  } catch (error) {
    if (error.status !== 404) return;
  }
  if (!lost && state.facts && trace === state.trace && name === state.name) again();
}

export function startConnection() {
  setInterval(look, LOOK);
  trouble.lost = () => {
    if (lost) return;
    lost = true;
    say('lost', 'The server does not answer; this is its last picture. Trying again …');
    setTimeout(again, AGAIN);
  };
  trouble.changed = (text) => {
    if (!document.getElementById('trouble'))
      say('changed', text + '.', button('Reload', reload));
  };
}
