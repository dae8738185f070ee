// SPDX-License-Identifier: Apache-2.0
// The table of a panel, which follows the window and the moment.
import { askJson, isForNow, LATER } from './api.js';
import { state } from './state.js';
import { page } from './table.js';
import { element, momentText } from './formatting.js';

const PAGE_ROWS = 1000; // of a table in a panel
const TABLE_REST = 200; // ms between two tables while the moment or the window moves

export const WithTable = (Base) =>
  class extends Base {
    // While a moment is played, the next table is requested only when the previous one has
    // arrived.
    async followTable() {
      this.behind = true;
      if (this.following) return;
      this.following = true;
      while (this.behind && this.mode === 'table' && !this.isDisposed) {
        this.behind = false;
        await this.fillTable();
        await new Promise((done) => setTimeout(done, TABLE_REST));
      }
      this.following = false;
    }

    tableSoon(rest = TABLE_REST, of = undefined) {
      clearTimeout(this.tableTimer);
      this.tableTimer = setTimeout(() => {
        if (this.mode === 'table' && !this.isDisposed) this.fillTable(of);
      }, rest);
    }

    // OF says which page of the table; without it, the first page, in the same order as
    // before.
    async fillTable(of) {
      if (!state.facts) return;
      const asked = (this.tableAsked = {}),
        { offset, order } = (this.rows = of || { offset: 0, order: this.rows.order });
      let content;
      try {
        if (this.lack()) throw new Error(this.lack());
        const answer = await askJson(`view/${this.view.name}.rows`, {
          ...this.query(),
          offset,
          limit: PAGE_ROWS,
          panel: this.picture.name + 't',
          ...(order ? { sort: order.name, direction: order.falling ? 'down' : 'up' } : {}),
        });
        const { at } = this.moment();
        content = page(answer, {
          offset,
          size: PAGE_ROWS,
          order,
          want: (other) => this.fillTable(other),
          save: () => this.saveAs('csv'),
          empty: at ? 'Nothing is there at this moment.' : 'No rows in this window.',
        });
        if (at)
          content.prepend(
            element(
              'p',
              { className: 'quiet' },
              `At ${momentText(state.time)} (Esc: no moment)`,
            ),
          );
      } catch (error) {
        if (this.tableAsked !== asked) return;
        if (isForNow(error)) return this.tableSoon(LATER, of);
        if (order && /no column/.test(error.message))
          return this.fillTable({ offset: 0, order: null });
        content = element('p', { className: 'quiet' }, error.message);
      }
      if (this.tableAsked !== asked || this.mode !== 'table') return;
      this.tableHost?.remove();
      this.tableHost = element('div', { className: 'table-host' }, content);
      this.body.append(this.tableHost);
    }
  };
