// SPDX-License-Identifier: Apache-2.0
// The list of commands, which also finds views and containers; small menus; the sheet of
// keys.
import { askJson } from './api.js';
import { pickRow } from './drawer.js';
import { state } from './state.js';
import { element } from './formatting.js';

const commands = []; // { title, keys, run }
export function addCommand(title, keys, run) {
  commands.push({ title, keys, run });
}
export const allCommands = () => commands;

function dialog(className, label, ...children) {
  const before = document.activeElement;
  const node = element('dialog', { className, 'aria-label': label }, ...children);
  const end = () => {
    if (!node.isConnected) return;
    node.remove();
    before?.focus?.({ preventScroll: true });
  };
  node.addEventListener('close', end);
  // The event comes later, and would take the keys from a panel that a command opens.
  node.closeNow = () => {
    node.close();
    end();
  };
  node.addEventListener('click', (e) => {
    if (e.target === node) node.close();
  });
  node.addEventListener('keydown', (e) => e.stopPropagation());
  document.body.append(node);
  node.showModal();
  return node;
}

function matches(title, words) {
  const lower = title.toLowerCase();
  return words.every((word) => lower.includes(word));
}

export function openCommands() {
  const input = element('input', {
    type: 'text',
    placeholder: 'A command, a view or a container',
    'aria-label': 'Find a command',
    spellcheck: false,
  });
  const list = element('ul', { role: 'listbox' });
  const node = dialog('palette', 'Commands', input, list);
  let items = [],
    chosen = 0,
    asked = 0;
  function choose(i) {
    chosen = Math.max(0, Math.min(items.length - 1, i));
    [...list.children].forEach((li, j) =>
      li.setAttribute('aria-selected', String(j === chosen)),
    );
    list.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }
  function run(item) {
    node.closeNow();
    item?.run();
  }
  function fill(more) {
    list.replaceChildren(
      ...more.map((item, i) =>
        element(
          'li',
          { role: 'option', onclick: () => run(item), onpointermove: () => choose(i) },
          element('span', {}, item.title),
          element('kbd', {}, item.keys || ''),
        ),
      ),
    );
    items = more;
    choose(0);
  }
  async function find() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean),
      mine = ++asked;
    const found = commands.filter((c) => matches(c.title, words)).slice(0, 60);
    fill(found);
    if (!input.value.trim() || !state.facts) return;
    try {
      const rows = await askJson('containers', {
        trace: state.trace,
        q: input.value.trim(),
      });
      if (mine === asked && rows.length)
        fill([
          ...found,
          ...rows.map((row) => ({
            title: row.path,
            keys: 'container',
            run: () => pickRow(row.row),
          })),
        ]);
    } catch {
      /* the commands are shown without containers */
    }
  }
  input.addEventListener('input', find);
  input.addEventListener('keydown', (e) => {
    if (e.key === 'ArrowDown') choose(chosen + 1);
    else if (e.key === 'ArrowUp') choose(chosen - 1);
    else if (e.key === 'Enter') run(items[chosen]);
    else return;
    e.preventDefault();
  });
  find();
  input.focus();
}

export function openMenu(x, y, items) {
  const list = element(
    'div',
    { className: 'items', role: 'menu' },
    ...items.map((item) =>
      element(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          title: item.help || '',
          onclick: () => {
            node.close();
            item.run();
          },
        },
        item.title,
      ),
    ),
  );
  const node = dialog('menu', 'Menu', list);
  node.style.left = Math.min(x, innerWidth - node.offsetWidth - 8) + 'px';
  node.style.top = Math.min(y, innerHeight - node.offsetHeight - 8) + 'px';
  list.addEventListener('keydown', (e) => {
    const to =
      e.key === 'ArrowDown'
        ? document.activeElement.nextSibling
        : e.key === 'ArrowUp'
          ? document.activeElement.previousSibling
          : null;
    if (to) {
      to.focus();
      e.preventDefault();
    }
  });
  list.firstChild?.focus();
}

const sheet = [
  ['W / S', 'zoom in and out at the pointer'],
  ['A / D', 'pan'],
  [
    'wheel',
    'scroll the rows, or go along a list of events; with Ctrl zoom, with Shift pan, with Alt the height of rows',
  ],
  ['two fingers', 'pan; pinch to zoom'],
  ['drag', 'select an area (its table appears below); Alt: do not snap'],
  ['Shift + drag, middle drag', 'pan'],
  ['drag an edge', 'change the selection'],
  ['click', 'all about a thing'],
  [
    'double click',
    'zoom to it; in a tree: its subtree; in a DAG: open or close it (Enter, too)',
  ],
  ['right click', 'what can be done with a row, or a node of a tree'],
  ['in a tree: wheel, drag', 'zoom at the pointer, move it'],
  ['Home', 'everything again'],
  ['Backspace', 'out of a subtree'],
  ['{ and }', 'in a DAG: one level less, one more'],
  ['drag a name', 'move a row'],
  ['F', 'frame the selection or what is picked; again: all'],
  [
    'click in a time axis, Shift + click',
    'the moment T, which trees show and timelines mark; drag in the axis: move it',
  ],
  [
    'Space, Shift + Space',
    'play it, forwards or backwards, or pause; from the begin to the end of a selection',
  ],
  [
    '. and ,',
    'next and previous on the row, and T with them; when nothing is picked, T goes by a step of the picture or by events of the trace (⋯ in the bar says how many)',
  ],
  ['↑ ↓', 'the row above and below'],
  ['[ and ]', 'follow a message or wake-up back and forth'],
  ['Y', 'why the picked wait took so long'],
  ['L', 'go to the longest wait of the selection, or to its longest where nothing waits'],
  ['I, N, H', 'list its instances; narrow it by a term or a range; hold it as A'],
  ['C', 'copy the table of the pane as CSV'],
  ['/', 'search names, FILE:LINE, durations (1.2 ms, > 5ms); Enter and Shift+Enter go from hit to hit'],
  ['M', 'mark the time under the pointer, or the selection'],
  ['X', 'maximise a panel, and back'],
  ['T', 'picture or table'],
  [
    'click or Enter on a row of a table',
    'list what it counts; of a listed thing, all about it; double click or Enter: go there',
  ],
  ['O', 'another trace'],
  ['F1, Ctrl+Shift+P, >', 'all commands'],
  ['?', 'these keys'],
  ['Esc', 'clear'],
  ['browser’s Back', 'undo a zoom'],
];

// The keys of the page, and those of VIEW, if it has some.
export function openKeys(view) {
  const rows = [...(view?.keys || []).map(({ key, help }) => [key, `${view.title}: ${help}`]), ...sheet];
  const close = element('button', { type: 'button', onclick: () => node.close() }, 'Close');
  const node = dialog(
    'sheet',
    'Keys',
    element('h2', {}, 'Keys and pointer'),
    element(
      'table',
      {},
      element(
        'tbody',
        {},
        ...rows.map(([keys, text]) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row' }, element('kbd', {}, keys)),
            element('td', {}, text),
          ),
        ),
      ),
    ),
    close,
  );
  close.focus({ preventScroll: true });
  node.scrollTop = 0;
}

// FAULT returns why a text is not accepted, or ''.
export function askText(title, value, done, fault) {
  const input = element('input', {
    type: 'text',
    value,
    'aria-label': title,
    oninput: () => input.setCustomValidity(fault(input.value)),
  });
  const node = dialog(
    'ask',
    title,
    element(
      'form',
      {
        method: 'dialog',
        onsubmit: (e) => {
          e.preventDefault();
          node.close();
          done(input.value);
        },
      },
      element('label', {}, title, input),
      element('button', {}, 'OK'),
    ),
  );
  input.focus();
  input.select();
}

export { dialog };
