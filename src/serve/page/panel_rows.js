// SPDX-License-Identifier: Apache-2.0
// The rows of a panel's picture: their order, height, menu and scroll bar.
import { pickRow } from './drawer.js';
import { idOfRow } from './entity_set.js';
import { openMenu } from './commands.js';
import { chainItems, sortKey, sortRows, verbsOf } from './filters.js';

// For the sets of rows that a view may have: putting a row in, and taking it out.
const verbs = {
  closed: ['Close', 'Open'],
  pinned: ['Pin to the top', 'Unpin'],
  unfolded: ['Show all its locks and the like', 'Fold its locks and the like'],
};

export const WithRows = (Base) =>
  class extends Base {
    showDrop(y) {
      this.drop.hidden = y === null;
      this.drop.style.top = (y || 0) + 'px';
    }

    // The menu's entries that toggle an entity or container in one of the view's sets.
    setItems(kind, id) {
      return this.view.parameters
        .filter((p) => p.kind === kind)
        .map((parameter) => ({
          title: verbs[parameter.name]
            ? verbs[parameter.name][this.holds(parameter, id) ? 1 : 0]
            : `${this.holds(parameter, id) ? '✓ ' : ''}${parameter.name}`,
          help: parameter.help,
          run: () => this.toggle(parameter, id),
        }));
    }

    moveRow(row, before) {
      const parameter = this.view.parameters.find((p) => p.kind === 'order');
      if (!parameter) return;
      this.change(parameter, (text) =>
        this.set(
          parameter.name,
          [
            ...(text || '').split(',').filter(Boolean),
            `${row.replace('+', '')}<${before.replace('+', '')}`,
          ].join(','),
        ),
      );
    }

    rowMenu(about, x, y) {
      const items = this.setItems('containers', idOfRow(about.row));
      const name = about.title.replace(/ \([^()]*\)$/, '');
      items.push({ title: 'Details', run: () => pickRow(about.row) });
      if (this.view.parameters.some((p) => p.name === 'rows'))
        items.push({ title: `Only ${name}`, run: () => this.set('rows', name) });
      const kind = / \(([^()]*)\)$/.exec(about.title)?.[1];
      items.push(
        ...verbsOf(about.row, kind, this),
        ...this.sortItems(),
        ...chainItems(this),
      );
      openMenu(x, y, items);
    }

    // The menu's entries that sort all rows: by name, begin, or the share of a value.
    sortItems() {
      const now = sortKey(this),
        legend = this.picture.scene?.frame.legend || [],
        // A share of -2: a shade of a reduced row, no value.
        values = legend.filter((entry) => entry[3] > -2).map(([name]) => name).slice(0, 3);
      const keys = ['name', 'begin', 'similarity', ...values.map((name) => `share ${name}`)];
      return [
        ...keys
          .filter((key) => key !== now)
          .map((key) => ({ title: `Sort rows by ${key}`, run: () => sortRows(key, this) })),
        ...(now ? [{ title: 'Rows in their own order', run: () => sortRows('', this) }] : []),
      ];
    }

    changeRowHeight(step) {
      if (!this.view.parameters.some((p) => p.name === 'row_height')) return;
      const now = Number(this.settings.row_height || 0) || 18;
      this.set(
        'row_height',
        String(Math.max(4, Math.min(120, Math.round(now * (step > 0 ? 1.25 : 0.8))))),
      );
    }

    showBar() {
      const frame = this.picture.scene?.frame,
        plot = this.picture.plot();
      const visible = plot.height - (frame?.pinned || 0);
      this.bar.hidden =
        this.mode !== 'picture' || !frame?.scroll_height || frame.scroll_height <= visible;
      if (this.bar.hidden) return;
      const thumb = this.bar.firstChild;
      this.bar.style.top = plot.y + frame.pinned + 'px';
      thumb.style.height = Math.max(24, (visible / frame.scroll_height) * visible) + 'px';
      const room = visible - Math.max(24, (visible / frame.scroll_height) * visible);
      thumb.style.top =
        (this.picture.scroll / (frame.scroll_height - visible)) * room + 'px';
    }

    dragBar() {
      this.bar.addEventListener('pointerdown', (event) => {
        const frame = this.picture.scene.frame,
          visible = this.picture.plot().height - frame.pinned;
        const from = event.clientY,
          scroll = this.picture.scroll;
        this.bar.setPointerCapture(event.pointerId);
        this.bar.onpointermove = (e) =>
          this.picture.setScroll(
            scroll + ((e.clientY - from) / visible) * frame.scroll_height,
          );
        this.bar.onpointerup = () => {
          this.bar.onpointermove = null;
        };
      });
    }
  };
