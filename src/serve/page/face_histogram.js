// SPDX-License-Identifier: Apache-2.0
// The histogram beside the instances: how their durations, or their numbers in a field, are
// distributed; of A, if it is held, beside that of what is looked at.  A brush narrows.
import { askJson, panelName } from './api.js';
import { duration, element } from './formatting.js';
import { numberOf, state } from './state.js';
import { addTerms, lookedAt } from './terms.js';

const BINS = 30;
const DURATION = 'duration';
const chosen = { of: DURATION, scale: 'log' };
let asked = null;

export const host = element('div', { className: 'histogram' });

const textOf = (value) =>
  chosen.of === DURATION
    ? duration((value * state.ticksPerSecond) / 1e9)
    : String(Number(value.toPrecision(4)));

// Narrows to what is in the bars FIRST to LAST.
function brush(bins, first, last) {
  const [a, b] = first < last ? [first, last] : [last, first],
    { of } = chosen;
  addTerms(
    of === DURATION
      ? `duration >= ${Math.round(bins[a].from)}ns and duration < ${Math.ceil(bins[b].to)}ns`
      : `${JSON.stringify(of)} >= ${bins[a].from} and ${JSON.stringify(of)} < ${bins[b].to}`,
  );
}

// Returns the bars; NARROWS: they are of what is looked at.
function bars(bins, narrows) {
  const most = Math.max(...bins.map((bin) => bin.count));
  let from = null;
  const list = bins.map((bin, i) => {
    const bar = element('i', {
      title: `${textOf(bin.from)} to ${textOf(bin.to)}: ${bin.count}`,
      onpointerdown: (e) => {
        from = narrows ? i : null;
        e.preventDefault();
      },
      onpointerenter: (e) => {
        if (from !== null && e.buttons)
          list.forEach((other, k) =>
            other.classList.toggle('lit', k >= Math.min(from, i) && k <= Math.max(from, i)),
          );
      },
      onpointerup: () => {
        if (from !== null) brush(bins, from, i);
        from = null;
      },
    });
    const height = bin.count ? Math.max(3, (100 * bin.count) / most) : 0;
    bar.append(element('b'));
    bar.firstChild.style.height = `${height}%`;
    return bar;
  });
  return [
    element('div', { className: narrows ? 'bars' : 'bars held' }, ...list),
    element(
      'div',
      { className: 'scale' },
      element('span', {}, textOf(bins[0].from)),
      element('span', {}, textOf(bins[bins.length - 1].to)),
    ),
  ];
}

// "B: 222, 1.61 s": the things in the bins, and their durations together.
function sums(name, bins) {
  const add = (of) => bins.reduce((sum, bin) => sum + bin[of], 0);
  return element(
    'div',
    { className: 'quiet' },
    `${name}: ${add('count')}, ${duration((add('total_ns') * state.ticksPerSecond) / 1e9)}`,
  );
}

function choice(name, label, options) {
  const select = element(
    'select',
    {
      'aria-label': label,
      onchange: () => {
        chosen[name] = select.value;
        fill();
      },
    },
    ...options.map((value) =>
      element('option', { value, selected: value === chosen[name] }, value),
    ),
  );
  return select;
}

async function binsOf(panel, settings) {
  try {
    const answer = await askJson('view/histogram.json', {
      ...settings,
      of: chosen.of,
      scale: chosen.scale,
      bins: BINS,
      panel: panelName(panel),
    });
    return answer.filter((bin) => typeof bin.from === 'number');
  } catch {
    return []; // the table beside it says what is wrong
  }
}

const heldNow = () => (state.held && numberOf(state.held) >= 0 ? state.held : null);

export async function fill() {
  const mine = (asked = {}),
    { begin, end, all } = lookedAt(),
    held = heldNow();
  if (!state.facts) return;
  if (![DURATION, ...state.facts.numbers].includes(chosen.of)) chosen.of = DURATION;
  const [bins, others] = await Promise.all([
    binsOf('histogram', { trace: state.trace, begin, end, where: all }),
    held
      ? binsOf('histogram-a', {
          trace: numberOf(held),
          begin: held.begin,
          end: held.end,
          where: held.all,
        })
      : [],
  ]);
  if (asked !== mine) return;
  if (!bins.length && !others.length && chosen.of === DURATION)
    return host.replaceChildren();
  const drawn = (name, list, narrows) =>
    element(
      'div',
      { className: 'one' },
      ...(held ? [sums(name, list)] : []),
      ...(list.length
        ? bars(list, narrows)
        : [element('p', { className: 'quiet' }, 'none')]),
    );
  host.replaceChildren(
    element(
      'div',
      { className: 'both' },
      ...(held ? [drawn('A', others, false)] : []),
      drawn('B', bins, true),
    ),
    element(
      'div',
      { className: 'choices' },
      choice('of', 'Histogram of', [DURATION, ...state.facts.numbers]),
      choice('scale', 'Scale of the bins', ['log', 'linear']),
    ),
  );
}
