// SPDX-License-Identifier: Apache-2.0
// The list of views at the left, in their groups; a view that the trace cannot fill is grey
// and tells what it needs.
import { openView, panels } from './layout.js';
import { on, state } from './state.js';
import { element } from './formatting.js';

function fill() {
  const nav = document.getElementById('catalogue'),
    groups = new Map();
  for (const view of state.catalogue.views) {
    if (!groups.has(view.group)) groups.set(view.group, []);
    groups.get(view.group).push(view);
  }
  const open = new Set(panels().map((panel) => panel.view.name));
  nav.replaceChildren(
    ...[...groups].flatMap(([group, views]) => [
      element('h2', {}, group),
      element(
        'ul',
        {},
        ...views.map((view) => {
          const can = !state.facts || state.facts.fills.includes(view.name);
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
                className: open.has(view.name) ? 'open' : '',
                'aria-disabled': String(!can),
                'data-view': view.name,
                onclick: () => openView(view.name),
              },
              view.title,
              can ? null : element('small', {}, 'needs ' + view.needs),
            ),
          );
        }),
      ),
    ]),
  );
}

export function startCatalogue() {
  on('trace', fill);
  on('layout', fill);
  fill();
}
