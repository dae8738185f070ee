// SPDX-License-Identifier: Apache-2.0
// The controls of a panel, made from what the view declares as its parameters: no view has
// code of its own here.
import { element } from './text.js';

function choice(parameter, value, set) {
  const select = element('select', { onchange: () => set(select.value) },
    ...parameter.choices.split('|').map((text) => element('option', { value: text, selected: text === value }, text)));
  return select;
}

function number(parameter, value, set) {
  const input = element('input', {
    type: 'number', value, min: parameter.minimum, max: parameter.maximum, step: 'any',
    onchange: () => { if (input.checkValidity()) set(input.value); },
  });
  return input;
}

function text(parameter, value, set) {
  const input = element('input', { type: 'text', value, size: 9, spellcheck: false, onchange: () => set(input.value.trim()) });
  return input;
}

function flag(parameter, value, set) {
  const input = element('input', { type: 'checkbox', checked: value === 'on', onchange: () => set(input.checked ? 'on' : 'off') });
  return input;
}

// Lists of containers are made by pointing at rows; here they can only be emptied.
function list(parameter, value, set) {
  const n = value ? value.split(',').length : 0;
  return n ? element('button', { type: 'button', onclick: () => set(''), title: 'Forget them' }, `${n} ✕`) : null;
}

// A slider over the run, and buttons that play it, forwards and backwards.
function time(parameter, value, set) {
  const STEPS = 1000, SECONDS = 10;
  const part = value.endsWith('%') ? Number(value.slice(0, -1)) * 10 : STEPS;
  const slider = element('input', { type: 'range', min: 0, max: STEPS, value: value ? part : STEPS, oninput: () => show() });
  let playing = 0, last = 0;
  function show() {
    set(Number(slider.value) >= STEPS ? '' : (Number(slider.value) / 10).toFixed(3) + '%', true);
  }
  function step(now) {
    if (!slider.isConnected) return;
    const to = Number(slider.value) + playing * (now - last) / 1000 * STEPS / SECONDS;
    if (now - last > 40) {
      last = now;
      slider.value = Math.max(0, Math.min(STEPS, to));
      show();
      if (to <= 0 || to >= STEPS) playing = 0;
    }
    if (playing) requestAnimationFrame(step);
  }
  function play(direction) {
    const begin = !playing;
    playing = playing === direction ? 0 : direction;
    if (playing > 0 && Number(slider.value) >= STEPS) slider.value = 0;
    if (playing < 0 && Number(slider.value) <= 0) slider.value = STEPS;
    last = performance.now();
    if (playing && begin) requestAnimationFrame(step);
  }
  slider.step = 'any';
  const take = (to) => { if (!playing) slider.value = to.endsWith('%') ? Number(to.slice(0, -1)) * 10 : STEPS; };
  const button = (text, title, direction) => element('button', { type: 'button', title, 'aria-label': title, onclick: () => play(direction) }, text);
  return element('span', { className: 'play', take }, button('◀', 'Play backwards, or stop', -1), slider, button('▶', 'Play, or stop', 1));
}

// What is scrolled has a scroll bar; what is dragged and zoomed is done so in the picture.
const makers = { choice, number, text, flag, container: text, containers: list, order: list, scroll: () => null, time, entity: text, zoom: number, place_x: () => null, place_y: () => null };

// One labelled control a parameter.  SETTINGS holds what is set; set(name, value) changes it.
// What plays in HOST, where they were until now, plays on.
export function controls(view, settings, set, host) {
  const all = [];
  for (const parameter of view.parameters) {
    const value = settings[parameter.name] ?? parameter.fallback;
    const playing = parameter.kind === 'time' && host.querySelector(`[data-parameter="${CSS.escape(parameter.name)}"]`);
    if (playing) {
      playing.take(value);
      all.push(playing.parentNode);
      continue;
    }
    const control = makers[parameter.kind](parameter, value, (to, moving) => set(parameter.name, to === parameter.fallback ? undefined : to, moving));
    if (!control) continue;
    control.dataset.parameter = parameter.name;
    control.setAttribute('aria-label', parameter.name + ': ' + parameter.help);
    const seldom = parameter.seldom && settings[parameter.name] === undefined;
    all.push(element('label', { title: parameter.help, className: seldom ? 'seldom' : '' }, element('span', {}, parameter.name.replace(/_/g, ' ')), control));
  }
  if (all.some((label) => label.className === 'seldom'))
    all.push(element('button', { type: 'button', className: 'more', title: 'All settings, or only those of every day', 'aria-label': 'All settings', onclick: () => host.classList.toggle('all') }, '…'));
  return all;
}
