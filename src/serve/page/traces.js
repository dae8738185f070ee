// SPDX-License-Identifier: Apache-2.0
// Choosing and opening traces: the list with its pattern field, and the progress of
// loading.
import { ask, askJson } from './api.js';
import { dialog } from './commands.js';
import { emit, numberOf, setPicked, setSelection, setTime, state } from './state.js';
import { bytes, count, element } from './formatting.js';

const POLL = 100; // ms

// Matches "*.trf" or "run??"; a text without * or ? anywhere in the name.
function pattern(text) {
  const escaped = text.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return /[*?]/.test(text)
    ? new RegExp('^' + escaped.replace(/\*/g, '.*').replace(/\?/g, '.') + '$', 'i')
    : new RegExp(escaped, 'i');
}

export function chooseTrace() {
  const input = element('input', {
    type: 'text',
    placeholder: 'Pattern, such as *.trf or run??',
    'aria-label': 'Only traces that match',
    spellcheck: false,
  });
  const body = element('tbody');
  const node = dialog(
    'traces',
    'Traces',
    element('h2', {}, 'Traces'),
    input,
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...['name', 'format', 'size', 'span'].map((n) =>
            element('th', { scope: 'col' }, n),
          ),
        ),
      ),
      body,
    ),
  );
  function fill() {
    const wanted = pattern(input.value.trim());
    body.replaceChildren(
      ...state.catalogue.traces
        .map((trace, i) => {
          const base = trace.name.replace(/.*\//, '');
          if (!wanted.test(trace.name) && !wanted.test(base)) return null;
          const open = element(
            'button',
            {
              type: 'button',
              className: 'link',
              onclick: () => {
                node.close();
                openKept({ trace: i, name: trace.name }).then(() => emit('chosen'));
              },
            },
            trace.name,
          );
          const seconds =
            trace.seconds < 0 ? '' : `${Number(trace.seconds.toPrecision(4))} s`;
          return element(
            'tr',
            { className: i === state.trace ? 'now' : '' },
            element('td', {}, open),
            element('td', {}, trace.format),
            element('td', { className: 'number' }, bytes(trace.size)),
            element('td', { className: 'number' }, seconds),
          );
        })
        .filter(Boolean),
    );
  }
  input.addEventListener('input', fill);
  input.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter') return;
    // else the key would press the button that gets the focus when this closes
    e.preventDefault();
    body.querySelector('button')?.click();
  });
  fill();
  input.focus();
}

function showProgress(answer, cancel) {
  let node = document.getElementById('loading');
  if (!node) {
    node = element(
      'div',
      { id: 'loading', role: 'status' },
      element('p'),
      element('progress'),
      element('button', { type: 'button' }, 'Cancel'),
    );
    document.getElementById('dock').append(node);
  }
  const [text, bar, button] = node.children;
  text.textContent =
    `Reading ${answer.name}` +
    (answer.total ? ` · ${bytes(answer.done)} of ${bytes(answer.total)}` : '');
  if (answer.total) {
    bar.max = answer.total;
    bar.value = answer.done;
  } else bar.removeAttribute('value');
  button.onclick = cancel;
}

function showFailure(text) {
  document.getElementById('loading')?.remove();
  document
    .getElementById('dock')
    .append(
      element(
        'div',
        { id: 'loading', role: 'alert' },
        element('p', {}, text),
        state.trace < 0
          ? null
          : element(
              'button',
              { type: 'button', onclick: () => openTrace(state.trace) },
              'Try again',
            ),
        element('button', { type: 'button', onclick: chooseTrace }, 'Another trace'),
      ),
    );
}

function take(index, facts, window) {
  document.getElementById('loading')?.remove();
  state.trace = index;
  state.facts = facts;
  state.ticksPerSecond = facts.ticks_per_second;
  // One tick more, so that the last tick is within the span.
  state.span = Number(BigInt(facts.end) - BigInt(facts.begin)) + 1;
  state.begin = 0;
  state.end = state.span;
  if (window && window.end > window.begin) {
    state.begin = Math.max(0, Math.min(window.begin, state.span));
    state.end = Math.min(state.span, Math.max(window.end, state.begin + 1));
    if (state.end - state.begin < 1) {
      // the range lies behind the end: the trace was longer
      state.begin = 0;
      state.end = state.span;
    }
  }
  state.hits = null;
  setPicked(null);
  setSelection(null);
  setTime(window?.time ?? null);
  tellFacts(facts);
  emit('trace');
  emit('window');
}

function tellFacts(facts) {
  const command = facts.notes.find(([key]) => key === 'command')?.[1];
  const parts = [
    command,
    `${Number((state.span / state.ticksPerSecond).toPrecision(4))} s`,
    `${count(facts.states + facts.events + facts.links)} entities`,
    `${count(facts.containers)} containers`,
  ];
  document.title = facts.name + ' – Weft';
  document.getElementById('trace').textContent = facts.name;
  document.getElementById('facts').textContent = parts.filter(Boolean).join(' · ');
  const badge = document.getElementById('problems'),
    n = facts.problems.reduce((sum, p) => sum + p.count, 0);
  badge.hidden = !n;
  badge.textContent = `${count(n)} problem${n === 1 ? '' : 's'}`;
}

// Opens a kept trace (state.js).
export async function openKept(kept, window) {
  const index = numberOf(kept);
  if (index >= 0) return openTrace(index, window);
  opening++;
  Object.assign(state, { facts: null, trace: -1, name: kept.name });
  return showFailure(`${kept.name} is not there any more.`);
}

// Asks how far the opening of a trace is.  If its file was replaced since the server opened
// it (the page is loaded again, perhaps by F5), it is opened anew.
async function askTrace(index) {
  try {
    return await askJson('trace', { trace: index }, { opens: true });
  } catch (error) {
    if (error.status !== 410) throw error;
    await ask('reload', { trace: index }, { post: '' });
    return askJson('trace', { trace: index });
  }
}

let opening = 0;
export async function openTrace(index, window) {
  const mine = ++opening;
  Object.assign(state, {
    facts: null,
    trace: index,
    name: state.catalogue.traces[index]?.name,
  });
  document.getElementById('loading')?.remove();
  for (;;) {
    let answer;
    try {
      answer = await askTrace(index);
    } catch (error) {
      return mine === opening ? showFailure(error.message) : undefined;
    }
    if (mine !== opening) return;
    if (answer.state === 'ready') return take(index, answer, window);
    if (answer.state === 'failed')
      return showFailure(
        answer.error === 'cancelled'
          ? `Reading ${answer.name} was cancelled.`
          : answer.error,
      );
    showProgress(answer, () => ask('cancel', { trace: index }, { post: '' }));
    await new Promise((done) => setTimeout(done, POLL));
  }
}
