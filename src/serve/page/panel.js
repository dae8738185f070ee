// SPDX-License-Identifier: Apache-2.0
// A panel: a view with its head (title, subtitle, controls), its picture or its table, and
// its legend.  Lumino docks it.
import { Widget } from '@lumino/widgets';
import { save } from './api.js';
import { controls, isTyped } from './controls.js';
import { openMenu } from './commands.js';
import { Picture } from './picture.js';
import { Pointer } from './pointer.js';
import { verbsOfValue } from './filters.js';
import { isLong, keep } from './long_settings.js';
import { hatchInk } from './scene_draw.js';
import { emit, filtersOf, numberOf, on, setActive, state, themeNow } from './state.js';
import { element, exactTime, momentText } from './formatting.js';
import { WithActions } from './panel_thing_actions.js';
import { WithRows } from './panel_rows.js';
import { WithSettings } from './panel_settings.js';
import { WithTable } from './panel_table.js';
import { WithZoom } from './panel_zoom.js';

export class Panel extends WithActions(
  WithRows(WithZoom(WithTable(WithSettings(Widget)))),
) {
  // OWN: the text of a chain of filters of its own; '': it is raw.
  constructor(view, settings = {}, mode = 'picture', detached = false, own = null) {
    super();
    this.view = view;
    this.detached = detached;
    this.startSettings(settings);
    this.mode = mode;
    this.rows = { offset: 0, order: null }; // which page of the table is shown
    this.before = []; // roots that were shown before the present subtree
    this.addClass('panel');
    this.startOwn(own);
    this.title.caption = view.explanation;
    this.title.closable = true;
    this.subtitle = element('span', { className: 'subtitle' });
    this.tools = element('span', { className: 'tools' });
    this.buttons = element('span', { className: 'tools' });
    const crowded = view.parameters.filter((p) => p.seldom).length > 6 ? ' crowded' : '';
    this.head = element(
      'div',
      { className: view.parameters.length > 3 ? 'head many' + crowded : 'head' },
      this.subtitle,
      this.tools,
      this.buttons,
    );
    this.body = element('div', { className: 'body' });
    this.legend = element('div', { className: 'legend' });
    this.overlay = element('div', { className: 'overlay' });
    this.drop = element('div', { className: 'drop', hidden: true });
    this.bar = element('div', { className: 'scrollbar', hidden: true }, element('div'));
    this.node.append(this.head, this.body, this.legend);
    this.tools.addEventListener('focusout', (e) => {
      if ((this.stale || isTyped(e.target)) && !this.head.contains(e.relatedTarget))
        setTimeout(() => this.isDisposed || this.fillHead());
    });
    this.picture = new Picture(
      this.body,
      view,
      () => this.asked(),
      () => this.lack(),
    );
    this.body.append(this.overlay, this.drop, this.bar);
    this.pointer = new Pointer(this.picture, this);
    this.picture.when('frame', () => this.framed());
    this.picture.when('painted', () => this.marks());
    this.picture.listeners.shift = (dx, dy) => {
      const now = this.picture.zoomNow();
      this.settings.x = String(now.x + dx);
      this.settings.y = String(now.y + dy);
    };
    this.dragBar();
    this.listen();
    this.fillHead();
    this.observer = new ResizeObserver(() => this.sized());
    this.observer.observe(this.body);
    this.setMode(mode);
  }

  listen() {
    for (const what of ['pointerdown', 'focusin'])
      this.node.addEventListener(what, () => setActive(this), true);
    this.ends = ['cursor', 'selection', 'marks', 'hits'].map((what) =>
      on(what, () => this.marks()),
    );
    this.ends.push(on('time', () => this.momentMoved()));
    this.ends.push(on('window', () => this.mode === 'table' && this.tableSoon()));
    this.ends.push(on('trace', () => this.mode === 'table' && this.fillTable()));
    this.ends.push(on('filters', (of) => of || this.own || this.changed()));
    this.ends.push(on('picked', () => this.mode === 'table' && this.markPicked()));
    this.ends.push(on('kept', () => this.fillHead()));
    this.ends.push(on('find', () => this.finds() && this.picture.change()));
    this.ends.push(...this.listenToSettings());
    this.ends.push(on('glide', (id) => this.glideTo(id)));
    if (this.view.compares || this.view.parameters.some((p) => p.with_view))
      this.ends.push(on('trace', () => this.fillHead()));
  }

  onCloseRequest(message) {
    super.onCloseRequest(message);
    this.dispose();
  }

  dispose() {
    if (this.isDisposed) return;
    for (const end of this.ends) end();
    if (state.active === this) setActive(null);
    this.observer.disconnect();
    this.picture.dispose();
    super.dispose();
    emit('layout');
  }

  // The settings that the server gets: those that are not empty (an empty one is the view's
  // default), and the moment if the picture is of that moment.  If the view only marks the
  // moment, the page draws the mark itself without a request.
  asked() {
    const settings = Object.fromEntries(
      Object.entries(this.settings).filter(([, value]) => value !== undefined),
    );
    settings.filters = filtersOf(this);
    if (state.find && !settings.find && this.finds()) settings.find = state.find;
    if (this.view.compares && this.other()) settings.with = String(numberOf(this.other()));
    return this.view.moment === 'shown' ? { ...settings, ...this.moment() } : settings;
  }

  // The trace to compare with, kept as "NUMBER NAME" (state.js); or null.
  other() {
    const [, trace, name] = /^(\d+)(?: ([^]+))?$/.exec(this.settings.with) || [];
    return trace === undefined ? null : { trace: Number(trace), name };
  }

  // Returns why no request can be made; or null.
  lack() {
    const other = this.view.compares && this.other();
    return other && numberOf(other) < 0
      ? `${other.name} is not there any more: choose another trace to compare with.`
      : null;
  }

  // Returns true if the picture highlights what is searched for.
  finds() {
    return this.view.parameters.some((p) => p.name === 'find');
  }

  moment() {
    return state.time === null || this.view.moment === 'none'
      ? {}
      : { at: exactTime(state.time) };
  }

  query() {
    return {
      trace: state.trace,
      begin: Math.floor(state.begin),
      end: Math.ceil(state.end),
      ...this.asked(),
      ...this.moment(),
    };
  }

  // Returns through which filters it shows the trace: 'shared', 'raw' or 'own'.
  chainKind() {
    return !this.own ? 'shared' : this.own.text ? 'own' : 'raw';
  }

  // Takes a chain of filters of its own, { text, sent } (as state.filters and filtersSent);
  // null: the one that panels share.
  setOwn(own) {
    this.own = own;
    this.nameChain();
    this.changed();
    emit('filters', this);
  }

  // Starts with the text of such a chain; a long one is sent to the server first.
  startOwn(text) {
    this.own = text === null ? null : { text, sent: isLong(text) ? '' : text };
    this.nameChain();
    if (!isLong(text)) return;
    keep(text).then(
      (sent) => this.own?.text === text && this.setOwn({ text, sent }),
      (error) => emit('error', error.message),
    );
  }

  changeOwn(text) {
    this.startOwn(text);
    this.setOwn(this.own);
  }

  nameChain() {
    const words = { shared: '', raw: ' (raw)', own: ' (own filters)' };
    this.title.label = this.view.title + words[this.chainKind()];
  }

  // The trace is shown through other filters.
  changed() {
    if (this.mode === 'table') this.fillTable();
    else this.picture.change();
  }

  momentMoved() {
    if (this.mode === 'table') return this.view.moment !== 'none' && this.followTable();
    if (this.view.moment === 'shown') this.picture.request();
    else this.picture.paintSoon(); // moves the line, and labels of the axis make room
  }

  // ---- Head ----

  // Delayed while the reader types into the head, until the field is left.
  fillHead() {
    this.stale =
      this.tools.contains(document.activeElement) && isTyped(document.activeElement);
    if (this.stale) return;
    const focused = document.activeElement?.dataset?.parameter;
    this.tools.replaceChildren(
      ...(this.view.compares ? [this.otherTrace()] : []),
      ...controls(
        this.view,
        this.settings,
        (name, value) => this.set(name, value),
        this.tools,
      ),
    );
    this.buttons.replaceChildren(
      element(
        'button',
        {
          type: 'button',
          title: this.mode === 'table' ? 'Show the picture' : 'Show the numbers',
          onclick: () => this.setMode(this.mode === 'table' ? 'picture' : 'table'),
        },
        this.mode === 'table' ? 'Picture' : 'Table',
      ),
      ...(this.view.parameters.some((p) => p.shared)
        ? [
            element(
              'button',
              {
                type: 'button',
                'aria-pressed': String(this.detached),
                title: this.detached
                  ? 'Share again what is open in the other panels'
                  : 'Open and close here alone',
                onclick: () => this.setDetached(!this.detached),
              },
              this.detached ? 'Attach' : 'Detach',
            ),
          ]
        : []),
      element(
        'button',
        {
          type: 'button',
          title: 'Maximise, and back (X)',
          'aria-label': 'Maximise',
          onclick: () => emit('maximise', this),
        },
        '⤢',
      ),
      element(
        'button',
        {
          type: 'button',
          title: 'Save this panel',
          'aria-label': 'Save this panel',
          onclick: (e) => this.saveMenu(e),
        },
        '↓',
      ),
    );
    if (focused)
      this.tools.querySelector(`[data-parameter="${CSS.escape(focused)}"]`)?.focus();
  }

  // Makes the control that chooses the second trace, for views that compare two.
  otherTrace() {
    const { traces } = state.catalogue,
      other = this.other(),
      now = other ? numberOf(other) : (state.trace + 1) % traces.length;
    const gone =
      now < 0
        ? [
            element(
              'option',
              { value: this.settings.with, selected: true },
              `${other.name} (not there)`,
            ),
          ]
        : [];
    const select = element(
      'select',
      {
        'data-parameter': 'with',
        'aria-label': 'with: the other trace',
        onchange: () => this.set('with', select.value),
      },
      ...gone,
      ...traces.map((trace, i) =>
        element('option', { value: `${i} ${trace.name}`, selected: i === now }, trace.name),
      ),
    );
    return element(
      'label',
      { title: 'the other trace' },
      element('span', {}, 'with'),
      select,
    );
  }

  saveMenu(event) {
    const box = event.currentTarget.getBoundingClientRect();
    openMenu(
      box.left,
      box.bottom,
      ['png', 'svg', 'pdf', 'csv', 'json'].map((ending) => ({
        title: ending.toUpperCase(),
        run: () => this.saveAs(ending),
      })),
    );
  }

  saveAs(ending) {
    if (this.lack()) return emit('error', this.lack());
    const parameters = {
      ...this.query(),
      theme: themeNow(),
      width: Math.max(320, this.picture.width),
      height: Math.max(200, this.picture.height + 80),
    };
    return save(
      `view/${this.view.name}.${ending}`,
      parameters,
      `${this.view.name}.${ending}`,
    ).catch((error) => emit('error', error.message));
  }

  // ---- Picture or table ----

  setMode(mode) {
    this.mode = mode;
    this.node.dataset.mode = mode;
    this.tableHost?.remove();
    this.tableHost = null;
    this.picture.canvas.hidden =
      this.overlay.hidden =
      this.legend.hidden =
        mode === 'table';
    this.fillHead();
    if (mode === 'table') this.fillTable();
    else this.sized();
    emit('layout');
  }

  sized() {
    if (this.mode === 'picture')
      this.picture.resize(this.body.clientWidth, this.body.clientHeight);
    this.marks();
  }
  onResize() {
    this.sized();
  }
  onAfterShow() {
    this.sized();
  }

  framed() {
    const { frame } = this.picture.scene;
    this.subtitle.textContent = frame.subtitle || this.view.explanation;
    this.subtitle.title = this.subtitle.textContent;
    this.legend.replaceChildren(
      ...frame.legend.slice(0, 40).map(([label, color, hatch, share, tone]) => {
        const swatch = element('i', {
          className: hatch ? 'swatch hatch' + hatch : 'swatch',
        });
        swatch.style.setProperty('--ink', hatchInk(color));
        swatch.style.backgroundColor = color;
        if (tone) swatch.style.boxShadow = `inset -4px 0 ${tone}`;
        const text =
          share < 0
            ? ''
            : share > 0 && share < 0.001
              ? '<0.1 %'
              : (share * 100).toFixed(1) + ' %';
        return element(
          'button',
          {
            type: 'button',
            className: 'entry',
            title: share > -2 ? 'Search for ' + label : '',
            onclick: () => share > -2 && emit('search-for', label),
            oncontextmenu: (e) => this.valueMenu(e, label, color, share),
          },
          swatch,
          label,
          element('small', {}, text),
        );
      }),
    );
    this.showBar();
    this.glide();
  }

  // A share of -2 is no value's; only the timeline's legend is of values alone.
  valueMenu(event, label, color, share) {
    if (share === -2 || this.view.name !== 'space-time') return;
    event.preventDefault();
    const { left, bottom } = event.currentTarget.getBoundingClientRect();
    openMenu(left, bottom, verbsOfValue(label, color.slice(0, 7), this));
  }

  // ---- Above the picture: cursor, selection, marks, hits ----

  band(className, begin, end, title) {
    const { picture } = this,
      plot = picture.plot();
    const x0 = Math.max(plot.x, picture.xAt(begin)),
      x1 = Math.min(plot.x + plot.width, picture.xAt(end));
    if (x1 < plot.x || x0 > plot.x + plot.width || x1 < x0) return null;
    const node = element('div', { className, title: title || '' });
    node.style.left = x0 + 'px';
    node.style.width = Math.max(1, x1 - x0) + 'px';
    node.style.top = plot.y + 'px';
    return node;
  }

  // The moment's line, and its time in the axis, moved inwards where the panel would cut
  // it.
  momentLine() {
    const line = state.time !== null && this.band('moment', state.time, state.time);
    if (!line) return null;
    const label = element('span', {}, momentText(state.time)),
      { left, right } = this.picture.momentLabel();
    label.style.width = right - left + 'px';
    label.style.left = left - this.picture.xAt(state.time) + 'px';
    line.append(label);
    return line;
  }

  marks() {
    if (this.mode !== 'picture' || !this.picture.scene?.hasTime) {
      this.overlay.replaceChildren();
      return;
    }
    const nodes = [],
      { selection } = state;
    if (selection) {
      const node = this.band('selected', selection.begin, selection.end);
      if (
        node &&
        selection.panel === this.picture.name &&
        selection.bottom - selection.top > 4 &&
        selection.live
      ) {
        node.style.top = selection.top + 'px';
        node.style.height = selection.bottom - selection.top + 'px';
      }
      nodes.push(node);
    }
    const scale = state.ticksPerSecond / 1e9;
    for (const mark of state.marks)
      nodes.push(
        this.band(
          'mark',
          mark.begin_ns * scale,
          (mark.begin_ns + mark.length_ns) * scale,
          mark.note,
        ),
      );
    if (state.hits?.now)
      nodes.push(this.band('hit', state.hits.now.begin, state.hits.now.end));
    if (state.cursor !== null) nodes.push(this.band('cursor', state.cursor, state.cursor));
    nodes.push(this.momentLine());
    this.overlay.replaceChildren(...nodes.filter(Boolean));
    this.showBar();
  }

  // The parameter of views that highlight related things together.
  get lights() {
    return this.view.parameters.find((p) => p.kind === 'entities' && p.name === 'lit');
  }
}
