// SPDX-License-Identifier: Apache-2.0 What is said when the server does not answer, or when
// a trace's file has changed: a line above the panels, whose last pictures stay, greyed.
// Asks again until the server is back.
import { ask, askJson, trouble } from './api.js';
import { emit, state, traceNow } from './state.js';
import { element } from './text.js';
import { openKept, openTrace } from './traces.js';

const AGAIN = 1000; // ms between two attempts
const LOOK = 3000; // ms between two looks whether all is well, while nothing is asked
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
      lost = false; // it is there, and will not answer this page
      return say(
        'lost',
        'The server has another secret now: open the address that weft view prints.',
      );
    }
    return setTimeout(again, AGAIN);
  }
  lost = false;
  say('', '');
  // The trace may be open no more, and have another number: with it, all panels ask again.
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

// Is all well?  A server that was started again may have another trace of this number, or
// none.
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
