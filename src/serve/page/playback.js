// SPDX-License-Identifier: Apache-2.0
// The moment that all panels share, and the bar that plays it.  Only the moment is moved
// here: panels follow as fast as their frames arrive, and skip moments.
import { addCommand } from './commands.js';
import { load } from './drawer.js';
import { panels } from './layout.js';
import { emit, on, reveal, setTime, setWindow, state } from './state.js';
import { element, exactTime, momentText, parseTime } from './formatting.js';
import { fillSettings, nextStop, nextTime, settings, ticksPerSecond } from './play_settings.js';

const SECONDS = 10; // that playing the window takes at speed 1 (play_settings.js)
const LONGEST = 0.5; // s between two frames: a page that was hidden does not jump
const CALM = 250; // ms between two moments if the system asks for reduced motion
const STEPS = 1000; // of the slider
const SPEEDS = [
  ['1/1000', 0.001],
  ['1/100', 0.01],
  ['1/10', 0.1],
  ['1/5', 0.2],
  ['1/2', 0.5],
  ['1', 1],
  ['2', 2],
  ['5', 5],
  ['10', 10],
];
const calm = matchMedia('(prefers-reduced-motion: reduce)');

let last = 0; // when the moment was moved, ms
let limits = [0, 1]; // the range that is played
let follow = 'pages',
  loop = false;
let stop, // the time at which playing stops next; undefined: not known, or none
  asked = 0; // the number of the latest question for it: late answers to others are dropped
let chosen = null; // whether the bar is open; null: if a panel shows moments
let moreOpen = false; // the second row of the bar
let bar, more, slider, text, playButton, backButton;

// ---- Playing ----

// The range to play: the selection, unless there is none or the moment was set outside of
// it; then the whole run.  When playing loops, it is the selection in any case.
function bounds() {
  const { selection, time } = state;
  const within =
    selection &&
    !selection.live &&
    (loop || time === null || (time >= selection.begin && time <= selection.end));
  return within ? [selection.begin, selection.end] : [0, state.span - 1];
}
const toStart = () => goTo(loop ? bounds()[0] : 0);
const toEnd = () => goTo(loop ? bounds()[1] : state.span - 1);

// Moves the window with the moment: page by page, or so that the moment stays in its
// middle.
function followTo(at, direction) {
  const length = state.end - state.begin;
  if (follow === 'off') return;
  if (follow === 'smooth' && !calm.matches) setWindow(at - length / 2, at + length / 2);
  else if (at >= state.begin && at <= state.end) return;
  else if (direction > 0) setWindow(at, at + length);
  else setWindow(at - length, at);
}

// Asks where playing from the moment on is to stop.  It goes on meanwhile: if it has passed
// the stop when the answer comes, it goes back there.
async function findStop() {
  const mine = ++asked;
  stop = undefined;
  if (!state.playing) return;
  try {
    const found = await nextStop(state.time, state.playing);
    if (mine === asked) stop = found;
  } catch (error) {
    if (mine === asked && error.name !== 'AbortError') emit('error', error.message);
  }
}

function frame(now) {
  if (!state.playing || state.time === null) return pause();
  requestAnimationFrame(frame);
  if (calm.matches && now - last < CALM) return;
  const passed = Math.min(LONGEST, Math.max(0, now - last) / 1000),
    direction = state.playing;
  const [from, to] = limits;
  last = now;
  let at = state.time + direction * passed * ticksPerSecond();
  const stops = stop !== undefined && (direction > 0 ? at >= stop : at <= stop);
  if (stops) at = stop;
  const over = !stops && (direction > 0 ? at >= to : at <= from);
  if (over && loop) at = direction > 0 ? from : to;
  else if (over) at = direction > 0 ? to : from;
  setTime(at);
  followTo(at, direction);
  if (stops || (over && !loop)) pause();
  else if (over) findStop();
}

export function pause() {
  if (!state.playing) return;
  state.playing = 0;
  emit('playing');
}

export function play(direction = 1) {
  if (!state.facts) return;
  if (state.playing === direction) return pause();
  const [from, to] = (limits = bounds()),
    was = state.playing;
  // Without a moment, playing begins at the window's edge; at the end of the range, it
  // begins again at the range's start.
  if (state.time === null)
    setTime(Math.max(from, Math.min(to, direction > 0 ? state.begin : state.end)));
  if (direction > 0 ? state.time >= to : state.time <= from)
    setTime(direction > 0 ? from : to);
  state.playing = direction;
  last = performance.now();
  if (chosen === false) chosen = null;
  if (!was) requestAnimationFrame(frame);
  findStop();
  emit('playing');
}

export function goTo(at) {
  pause();
  setTime(at);
  if (at !== null) reveal(state.time, state.time);
}

// A panel whose picture changes in steps, and tells at which moments.
const stepped = () =>
  panels().find(
    (panel) =>
      panel.isVisible && panel.mode === 'picture' && panel.picture.scene?.frame.moments,
  );

// Moves the moment to that picture's previous or next step.
function stepPicture(direction) {
  const { picture } = stepped(),
    at = Number(
      BigInt(picture.scene.frame.moments[direction > 0 ? 1 : 0]) -
        BigInt(state.facts.begin),
    );
  if (!picture.busy && !picture.wanted) goTo(at); // else wait for its frame
}

// Moves the moment by events of the trace, as many as a step has.
async function stepEvents(direction) {
  const from = state.time ?? (direction > 0 ? state.begin - 1 : state.end);
  try {
    const time = await nextTime(from, direction, 'events', settings.events);
    if (time !== undefined) return goTo(time);
    emit('error', `Nothing happens ${direction > 0 ? 'after' : 'before'} this moment.`);
  } catch (error) {
    emit('error', error.message);
  }
}

// ---- Lists of events ----

let owed = 0, // rows that a list is still to be moved by
  scrolling = false;

// Moves the moment by rows of a picture's list of events: as fast as its frames arrive, one
// event a frame, or, for many rows, half a list.
export async function scrollList(picture, rows) {
  owed = Math.sign(owed) === -Math.sign(rows) ? rows : owed + rows;
  if (scrolling) return;
  scrolling = true;
  pause();
  while (Math.abs(owed) >= 1 && picture.scene?.frame.list) {
    if (picture.busy || picture.wanted) {
      await new Promise(requestAnimationFrame);
      continue;
    }
    const { list, moments } = picture.scene.frame,
      half = Math.max(1, Math.floor(list.rows / 2)),
      far = Math.abs(owed) >= half,
      ends = far ? [list.first, list.last] : moments,
      at = Number(BigInt(ends[owed > 0 ? 1 : 0]) - BigInt(state.facts.begin)),
      there = state.time !== null && (owed > 0 ? at <= state.time : at >= state.time);
    if (there) break; // the trace's first or last event
    owed -= Math.sign(owed) * (far ? half : 1);
    goTo(at);
  }
  owed = 0;
  scrolling = false;
}

// Steps follow one another, since each begins where the one before has ended.
let steps = Promise.resolve();
export const stepMoment = (direction) =>
  (steps = steps.then(
    () => step(direction),
    () => step(direction),
  ));

// Moves the moment along a list of events, if a panel has one; else to the next or previous
// entity that begins on the picked thing's row; else to the next step of the picture, or by
// events of the trace.
async function step(direction) {
  const { picked } = state,
    lists = stepped()?.picture.scene.frame.list;
  pause();
  if ((!picked || lists) && settings.events === 1 && stepped())
    return stepPicture(direction);
  if (!picked) return stepEvents(direction);
  const thing = ['state', 'event'].includes(picked.kind)
    ? { id: picked.id }
    : { row: picked.row };
  const detail = await load({
    ...thing,
    at: exactTime(state.time ?? picked.begin),
    step: direction > 0 ? 'next' : 'previous',
  });
  if (!detail) return;
  for (const panel of panels()) if (panel.settings.node) panel.set('node', detail.id);
  goTo(detail.begin);
}

// ---- The bar ----

const shapes = {
  // in a square of 16
  start: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M12 3v10L4 8z',
  stepBack: 'M13 3h-2v10h2zM9 3v10L3 8z',
  play: 'M4 3v10l8-5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  step: 'M3 3h2v10H3zM7 3v10l6-5z',
  end: 'M13 3h-2v10h2zM3 3v10l7-5z',
};
function icon(name) {
  const node = element('i');
  node.style.clipPath = `path('${shapes[name]}')`;
  return node;
}
const button = (shape, title, run) =>
  element(
    'button',
    { type: 'button', className: 'icon', title, 'aria-label': title, onclick: run },
    icon(shape),
  );

function typed() {
  const wanted = text.value.trim(),
    at = wanted ? parseTime(wanted) : null;
  if (wanted && at === null)
    emit(
      'error',
      `'${wanted}' is no time: 1.5s, 20ms, 300us, 5000ns, 50% or plain seconds.`,
    );
  else goTo(at);
  show();
}

function toggle(node, shape, pressed, title) {
  node.replaceChildren(icon(shape));
  node.title = title;
  node.setAttribute('aria-label', title);
  node.setAttribute('aria-pressed', String(pressed));
}

function showPlaying() {
  toggle(
    playButton,
    state.playing > 0 ? 'pause' : 'play',
    state.playing > 0,
    state.playing > 0 ? 'Pause (Space)' : 'Play (Space)',
  );
  toggle(
    backButton,
    state.playing < 0 ? 'pause' : 'back',
    state.playing < 0,
    state.playing < 0 ? 'Pause (Space)' : 'Play backwards (Shift+Space)',
  );
  showBar();
}

function show() {
  const at = state.time === null ? '' : momentText(state.time);
  if (document.activeElement !== text || state.playing) text.value = at;
  slider.value =
    state.time === null ? STEPS : (state.time / Math.max(1, state.span - 1)) * STEPS;
  slider.setAttribute('aria-valuetext', at || 'no moment');
  bar.classList.toggle('none', state.time === null);
}

function showBar() {
  const shown = panels().some(
    (panel) =>
      panel.view.moment === 'shown' &&
      (!state.facts || state.facts.fills.includes(panel.view.name)),
  );
  const open = chosen ?? (shown || state.time !== null);
  bar.hidden = !open;
  more.hidden = !open || !moreOpen;
  document.getElementById('transport-open').setAttribute('aria-expanded', String(open));
}

function choice(name, title, options, value, set) {
  const select = element(
    'select',
    { 'aria-label': name, onchange: () => set(select.value) },
    ...options.map(([label, of]) =>
      element(
        'option',
        { value: String(of), selected: String(of) === String(value) },
        label,
      ),
    ),
  );
  return element('label', { title }, element('span', {}, name), select);
}

function fill() {
  playButton = button('play', 'Play (Space)', () => play(1));
  backButton = button('back', 'Play backwards (Shift+Space)', () => play(-1));
  text = element('input', {
    type: 'text',
    size: 11,
    spellcheck: false,
    placeholder: 'no moment',
    'aria-label': 'The moment',
    title: 'The moment: 1.5s, 20ms, 300us, 50%; empty for none',
    onchange: typed,
  });
  slider = element('input', {
    type: 'range',
    min: 0,
    max: STEPS,
    step: 'any',
    'aria-label': 'The moment in the run',
    title: 'The moment in the run',
    oninput: () => goTo((Number(slider.value) / STEPS) * (state.span - 1)),
  });
  text.addEventListener('keydown', (e) => {
    if (e.key === 'Enter') {
      typed();
      text.blur(); // the next key is for the page
    }
  });
  const again = element('input', {
    type: 'checkbox',
    onchange: () => {
      loop = again.checked;
    },
  });
  bar.append(
    button('start', 'To the start', toStart),
    backButton,
    button(
      'stepBack',
      'Step back (,): along a list of events, on the row of what is picked, ' +
        'else a step of the picture, or by events of the trace',
      () => stepMoment(-1),
    ),
    playButton,
    button(
      'step',
      'Step (.): along a list of events, on the row of what is picked, ' +
        'else a step of the picture, or by events of the trace',
      () => stepMoment(1),
    ),
    button('end', 'To the end', toEnd),
    element('label', { className: 'at' }, 'T', text),
    slider,
    element(
      'button',
      {
        type: 'button',
        className: 'forget',
        title: 'No moment: all of the run again (Esc)',
        'aria-label': 'No moment',
        onclick: () => goTo(null),
      },
      '✕',
    ),
    choice(
      'speed',
      `Speed: at 1 × the window is played in ${SECONDS} s`,
      SPEEDS.map(([label, of]) => [label + ' ×', of]),
      settings.speed,
      (to) => {
        settings.speed = Number(to);
        settings.ratio = null;
        emit('speed');
      },
    ),
    choice(
      'follow',
      'How time axes follow the moment while it plays',
      [
        ['by pages', 'pages'],
        ['smoothly', 'smooth'],
        ['stay', 'off'],
      ],
      follow,
      (to) => {
        follow = to;
      },
    ),
    element(
      'label',
      { title: 'Again and again: the selection, or all of the run' },
      again,
      'loop',
    ),
    element(
      'button',
      {
        type: 'button',
        title: 'Steps, slow motion, stops',
        'aria-label': 'Steps, slow motion, stops',
        'aria-expanded': 'false',
        'aria-controls': 'transport-more',
        onclick: (e) => {
          moreOpen = !moreOpen;
          e.currentTarget.setAttribute('aria-expanded', String(moreOpen));
          showBar();
        },
      },
      '⋯',
    ),
  );
  fillSettings(more);
}

export function startTransport() {
  bar = document.getElementById('transport');
  more = document.getElementById('transport-more');
  fill();
  document.getElementById('transport-open').onclick = () => {
    chosen = bar.hidden;
    showBar();
  };
  for (const what of ['time', 'window', 'trace']) on(what, show);
  for (const what of ['time', 'layout', 'trace']) on(what, showBar);
  on('playing', showPlaying);
  on('stops', findStop);
  on('trace', pause);
  on('selection', () => {
    if (state.playing && !state.selection?.live) limits = bounds();
  });
  addCommand('Play, or pause', 'Space', () => play(state.playing || 1));
  addCommand('Play backwards, or pause', 'Shift+Space', () => play(-1));
  addCommand('Steps, slow motion, stops of playing', '', () => {
    chosen = moreOpen = true;
    showBar();
  });
  addCommand('The moment: to the start', '', toStart);
  addCommand('The moment: to the end', '', toEnd);
  addCommand('No moment: all of the run', '', () => goTo(null));
  showPlaying();
  show();
}
