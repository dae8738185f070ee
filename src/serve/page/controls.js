// SPDX-License-Identifier: Apache-2.0
// The controls of a panel, made from the parameters that the view declares: no view has
// code of its own here.
import { size } from './entity_set.js';
import { plain } from './long_settings.js';
import { asFile } from './node_places.js';
import { emit, state } from './state.js';
import { element } from './formatting.js';

// Returns true if CHOICE of a setting of VIEW is of use in the trace.
export const isOffered = (view, name, choice) =>
  !state.facts?.unused?.includes(`${view.name}.${name}=${choice}`);

function choice(parameter, value, set, view) {
  const select = element(
    'select',
    { onchange: () => set(select.value) },
    ...parameter.choices
      .split('|')
      .filter((text) => text === value || isOffered(view, parameter.name, text))
      .map((text) => element('option', { value: text, selected: text === value }, text)),
  );
  return select;
}

// Returns true for a field with unfinished typing: its default value is what it was made
// with, or the last accepted value.
export const isTyped = (node) =>
  node instanceof HTMLInputElement &&
  ['number', 'text'].includes(node.type) &&
  (node.value !== node.defaultValue || node.validity.badInput);

// Takes what was typed, or reports why it is invalid.
function typed(input, parameter, take) {
  input.onchange = () => {
    if (!input.reportValidity())
      return emit('error', `${parameter.name}: ${input.validationMessage}`);
    input.defaultValue = input.value;
    take();
  };
  return input;
}

function number(parameter, value, set) {
  const input = element('input', {
    type: 'number',
    defaultValue: value ?? '',
    min: parameter.minimum,
    max: parameter.maximum,
    step: 'any',
  });
  return typed(input, parameter, () => set(input.value));
}

function text(parameter, value, set) {
  const input = element('input', {
    type: 'text',
    defaultValue: value ?? '',
    size: Math.max(9, Math.min(36, (value ?? '').length)),
    spellcheck: false,
  });
  return typed(input, parameter, () => set(input.value.trim()));
}

function flag(parameter, value, set) {
  const input = element('input', {
    type: 'checkbox',
    checked: value === 'on',
    onchange: () => set(input.checked ? 'on' : 'off'),
  });
  return input;
}

// The content of a file that the reader picks, and can save; or one of some words.
function file(parameter, value, set) {
  value = plain(value);
  const words = parameter.choices ? parameter.choices.split('|') : [];
  const picked = value !== parameter.fallback && !words.includes(value);
  const picker = element('input', {
    type: 'file',
    hidden: true,
    onchange: async () => {
      if (picker.files.length) set(await picker.files[0].text());
    },
  });
  const select = element(
    'select',
    {
      onchange: () => {
        if (select.value === '…') {
          select.value = picked ? 'file' : value;
          picker.click();
        } else set(select.value);
      },
    },
    ...[...words, ...(picked ? ['file'] : []), '…'].map((word) =>
      element(
        'option',
        { value: word, selected: word === (picked ? 'file' : value) },
        word === '…' ? 'from a file …' : word,
      ),
    ),
  );
  const save =
    picked &&
    element(
      'a',
      {
        download: (parameter.file || parameter.name).replace(/^\./, ''),
        title: 'Save as a file',
        href: 'data:text/plain;charset=utf-8,' + encodeURIComponent(asFile(value)),
      },
      '↓',
    );
  return element('span', {}, select, picker, ...(save ? [save] : []));
}

// Sets are changed by clicks in the picture, orders by dragging rows; a control only
// empties them.
function list(parameter, value, set) {
  value = plain(value);
  const n =
    parameter.kind !== 'order'
      ? size(value, parameter.kind === 'containers')
      : value
        ? value.split(',').length
        : 0;
  return n
    ? element(
        'button',
        { type: 'button', onclick: () => set(''), title: 'Forget them' },
        `${n} ✕`,
      )
    : null;
}

// A thing that a click has put there has an id of many digits, which tells nobody anything.
function entity(parameter, value, set) {
  if (!/^\d{8,}$/.test(plain(value) || '')) return text(parameter, value, set);
  return element(
    'button',
    { type: 'button', onclick: () => set(''), title: 'It is lit in the picture; forget it' },
    'picked ✕',
  );
}

// Kinds without a maker have no control: there is a scroll bar, and the picture itself
// zooms and moves.
const makers = {
  choice,
  number,
  text,
  flag,
  container: text,
  containers: list,
  entities: list,
  order: list,
  file,
  scroll: () => null,
  entity,
  zoom: number,
  tall: () => null,
  wheel: choice,
  place_x: () => null,
  place_y: () => null,
};

// Settings of messages are of no use in a trace without any.
const suits = ({ with_view: needed }) =>
  !needed || !state.facts || state.facts.fills.includes(needed);

// Appends one labelled control for each parameter to HOST.  SETTINGS has the current
// values; a control calls set(name, value) to change one.
export function controls(view, settings, set, host) {
  const all = [];
  for (const parameter of view.parameters) {
    if (!suits(parameter) && settings[parameter.name] === undefined) continue;
    const value = settings[parameter.name] ?? parameter.fallback;
    const control = makers[parameter.kind](
      parameter,
      value,
      (to) => set(parameter.name, to === parameter.fallback ? undefined : to),
      view,
    );
    if (!control) continue;
    control.dataset.parameter = parameter.name;
    control.setAttribute('aria-label', parameter.name + ': ' + parameter.help);
    const seldom = parameter.seldom && settings[parameter.name] === undefined;
    all.push(
      element(
        'label',
        { title: parameter.help, className: seldom ? 'seldom' : '' },
        element('span', {}, parameter.name.replace(/_/g, ' ')),
        control,
      ),
    );
  }
  if (all.some((label) => label.className === 'seldom'))
    all.push(
      element(
        'button',
        {
          type: 'button',
          className: 'more',
          title: 'All settings, or only those of every day',
          'aria-label': 'All settings',
          onclick: () => host.classList.toggle('all'),
        },
        '…',
      ),
    );
  return all;
}
