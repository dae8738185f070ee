// SPDX-License-Identifier: Apache-2.0
// The table of a panel, which follows the window and the moment.
import { askJson, isForNow, LATER } from './api.js';
import { pick, step } from './drawer.js';
import { leads, narrowedBy, whereOf, within } from './selections.js';
import { state } from './state.js';
import { focusRow, page } from './table.js';
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

    // Says what the rows of the table do: those that are things are picked, and gone to;
    // those that count things list them.
    lead(columns) {
      if (columns.includes('id'))
        return {
          title: 'Click: all about it; double click or Enter: go there',
          click: (row, name) => {
            const term = narrowedBy(this.view, this.settings, row, name);
            if (term) this.list(within(term, this.settings));
            else pick(row.id);
          },
          narrows: (name) => this.view.columns.some((c) => c.name === name && c.narrows),
          step: (row) => pick(row.id),
          twice: (row) => step(row.id),
        };
      if (!leads(this.view)) return undefined;
      return {
        title: 'Click or Enter: list what it counts, one by one',
        click: (row, name) => {
          const where = whereOf(this.view, this.settings, row, name);
          if (where !== null) this.list(where);
        },
      };
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
          lead: this.lead(answer.columns),
          slim: true,
          seldom: this.view.columns.filter((c) => c.seldom).map((c) => c.name),
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
      const focused = this.focusedRow();
      this.tableHost?.remove();
      this.tableHost = element('div', { className: 'table-host' }, content);
      this.body.append(this.tableHost);
      this.markPicked();
      this.focusAgain(this.takesFocus ? { at: 0 } : focused);
      this.takesFocus = false;
    }

    tableRows() {
      return [...(this.tableHost?.querySelectorAll('tbody tr') || [])];
    }

    // Returns which row has the focus, to give it to the same row of the next table; or
    // null.
    focusedRow() {
      const rows = this.tableRows(),
        at = rows.indexOf(document.activeElement);
      return at < 0 ? null : { at, id: rows[at].dataset.id };
    }

    focusAgain(focused) {
      if (!focused) return;
      const rows = this.tableRows();
      const same = focused.id && rows.find((row) => row.dataset.id === focused.id);
      const row = same || rows[focused.at];
      if (row) focusRow(row);
    }

    // Shows which row is the picked thing.
    markPicked() {
      for (const row of this.tableRows())
        row.classList.toggle(
          'picked',
          row.dataset.id !== undefined && row.dataset.id === String(state.picked?.id),
        );
    }
  };
