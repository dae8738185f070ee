// SPDX-License-Identifier: Apache-2.0
// How the run is played: by how many events a step goes, how slow it is against real time,
// and where it stops.  A second row of the bar shows these settings on demand.
import { askJson } from './api.js';
import { count, element } from './formatting.js';
import { emit, on, state } from './state.js';

const SECONDS = 10; // that playing the window takes at speed 1
const SLOWEST = -9,
  QUICKEST = 3; // of the slider: powers of ten of real time
const STOPS = [
  ['marks', 'marks of the program, and yours'],
  ['messages', 'texts that the program says (tracemsg)'],
  ['errors', 'messages that nobody receives, or that arrive before they are sent'],
];

export const settings = {
  events: 1, // of a step
  speed: 1, // windows in SECONDS
  ratio: null, // to real time; null: by the speed
  stops: new Set(), // names of STOPS
};

// Returns how many ticks of the run a second of playing has.
export const ticksPerSecond = () =>
  settings.ratio === null
    ? (settings.speed * (state.end - state.begin)) / SECONDS
    : settings.ratio * state.ticksPerSecond;

// "1/250 of real time", "2 × real time"
export function ratioText(ratio) {
  const plain = (n) =>
    n < 10 ? String(Number(n.toPrecision(2))) : count(Number(n.toPrecision(2)));
  return ratio >= 1
    ? `${plain(ratio)} × real time`
    : `1/${plain(1 / ratio)} of real time`;
}

// Returns the time of the next event, mark ... (WHAT: as /step wants it) after a moment, or
// before it; undefined if there is none.
export async function nextTime(at, direction, what, n = 1) {
  const answer = await askJson('step', {
    trace: state.trace,
    at: String(direction > 0 ? Math.floor(at) : Math.ceil(at)),
    backward: direction > 0 ? 0 : 1,
    what,
    n,
  });
  return answer.time;
}

// Returns the first time at which playing on from a moment is to stop, or undefined.
export async function nextStop(at, direction) {
  const times = [];
  if (!settings.stops.size) return undefined;
  const found = await nextTime(at, direction, [...settings.stops].join(','));
  if (found !== undefined) times.push(found);
  if (settings.stops.has('marks'))
    for (const mark of state.marks) {
      const time = Math.round((mark.begin_ns * state.ticksPerSecond) / 1e9);
      if (direction > 0 ? time > at : time < at) times.push(time);
    }
  if (!times.length) return undefined;
  return direction > 0 ? Math.min(...times) : Math.max(...times);
}

function stopBox([name, title]) {
  const box = element('input', {
    type: 'checkbox',
    onchange: () => {
      if (box.checked) settings.stops.add(name);
      else settings.stops.delete(name);
      emit('stops');
    },
  });
  return element('label', { title: `Stops at ${title}` }, box, name);
}

// Fills the second row.
export function fillSettings(row) {
  const events = element('input', {
    type: 'number',
    min: 1,
    max: 100000,
    value: 1,
    'aria-label': 'Events of a step',
    onchange: () => {
      const n = Math.round(Number(events.value)) || 1;
      settings.events = events.value = Math.max(1, Math.min(100000, n));
    },
  });
  const text = element('output', { 'aria-label': 'Speed against real time' });
  const slow = element('input', {
    type: 'range',
    min: SLOWEST,
    max: QUICKEST,
    step: 0.1,
    'aria-label': 'Slow motion',
    oninput: () => {
      settings.ratio = 10 ** Number(slow.value);
      show();
    },
  });
  function show() {
    const ratio = ticksPerSecond() / state.ticksPerSecond;
    text.textContent = ratioText(ratio);
    slow.setAttribute('aria-valuetext', text.textContent);
    if (document.activeElement !== slow) slow.value = Math.log10(ratio);
  }
  row.append(
    element(
      'label',
      { title: 'By how many events of the trace a step goes (. and ,)' },
      'step by',
      events,
      'events',
    ),
    element('label', { title: 'How slow it plays' }, 'slow motion', slow, text),
    element('span', {}, 'stop at'),
    ...STOPS.map(stopBox),
  );
  for (const what of ['window', 'trace', 'speed']) on(what, show);
  show();
}
