// SPDX-License-Identifier: Apache-2.0
// The list of views at the left, in their groups; those that the trace cannot fill are
// behind "more", grey, and tell what they need.
import { openView, panels } from './layout.js';
import { on, state } from './state.js';
import { element } from './formatting.js';

let all = false; // also those that the trace cannot fill

function entry(view, isOpen) {
  const can = fits(view);
  const text = can
    ? view.explanation
    : `This trace cannot fill it. It needs ${view.needs}.`;
  return element(
    'li',
    {},
    element(
      'button',
      {
        type: 'button',
        title: text,
        className: isOpen ? 'open' : '',
        'aria-disabled': String(!can),
        'data-view': view.name,
        onclick: () => openView(view.name),
      },
      view.title,
      can ? null : element('small', {}, 'needs ' + view.needs),
    ),
  );
}

const fits = (view) => !state.facts || state.facts.fills.includes(view.name);

function more(views) {
  const others = views.filter((view) => !fits(view)).length;
  return others
    ? element(
        'button',
        {
          type: 'button',
          className: 'more-views',
          'aria-expanded': String(all),
          title: 'Views that need something that this trace does not have',
          onclick: () => {
            all = !all;
            fill();
            document.querySelector('.more-views').focus();
          },
        },
        all ? 'Fewer' : `${others} more, not for this trace`,
      )
    : null;
}

function fill() {
  const nav = document.getElementById('catalogue'),
    groups = new Map(),
    { views } = state.catalogue;
  const open = new Set(panels().map((panel) => panel.view.name));
  for (const view of views) {
    if (!all && !fits(view) && !open.has(view.name)) continue;
    if (!groups.has(view.group)) groups.set(view.group, []);
    groups.get(view.group).push(view);
  }
  nav.replaceChildren(
    ...[...groups].flatMap(([group, members]) => [
      element('h2', {}, group),
      element('ul', {}, ...members.map((view) => entry(view, open.has(view.name)))),
    ]),
    ...[more(views)].filter(Boolean),
  );
  stops(nav);
}

// The list is one Tab stop; arrows go to the other views.
function stops(nav) {
  const buttons = [...nav.querySelectorAll('button')];
  buttons.forEach((button, i) => {
    button.tabIndex = i ? -1 : 0;
  });
  nav.onkeydown = (e) => {
    const at = buttons.indexOf(document.activeElement);
    const last = buttons.length - 1,
      to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[e.key];
    if (at < 0 || to === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    e.stopPropagation();
    buttons[to]?.focus();
  };
}

export function startCatalogue() {
  on('trace', fill);
  on('layout', fill);
  fill();
}
