// SPDX-License-Identifier: Apache-2.0
// A panel: a view with its head (title, what is shown, controls), its picture or its table,
// and its legend.  Lumino docks it.
import { Widget } from '@lumino/widgets';
import { askJson, isForNow, LATER, save } from './api.js';
import { controls, isTyped } from './controls.js';
import { pickRow } from './drawer.js';
import { has, idOfRow, toggled } from './entity_set.js';
import { placed } from './places.js';
import { openMenu } from './commands.js';
import { fetchText, isKnown, isLong, keep, plain } from './kept.js';
import { Picture } from './picture.js';
import { hideTooltip, Pointer } from './pointer.js';
import { hatchInk, markOf } from './scene.js';
import { emit, numberOf, on, state, themeNow } from './state.js';
import { page } from './table.js';
import { element, exactTime, momentText } from './text.js';

const PAGE_ROWS = 1000; // of a table in a panel
const GLIDE = 400; // ms
const TABLE_REST = 200; // ms between two tables while the moment or the window moves

// What panels share that are not detached, by the names of parameters.
let shared = {};
// What was chosen last of the parameters that a panel offers to those that have chosen
// nothing.
let offered = {};
// Texts that are on their way to the server, which makes their keys (kept.js), of what is
// shared.
const sharedOnWay = {};
on('trace', () => {
  shared = {};
  offered = {};
  for (const name of Object.keys(sharedOnWay)) delete sharedOnWay[name];
});

export class Panel extends Widget {
  constructor(view, settings = {}, mode = 'picture', detached = false) {
    super();
    this.view = view;
    this.detached = detached;
    this.settings = { ...settings };
    this.onWay = {}; // as sharedOnWay, of what is this panel's alone
    for (const { name } of this.sharedParameters()) {
      if (this.settings[name] !== undefined) shared[name] = this.settings[name];
      else if (shared[name] !== undefined) this.settings[name] = shared[name];
    }
    this.takeOffers();
    this.mode = mode;
    this.rows = { offset: 0, order: null }; // what of the table is shown
    this.before = []; // roots that were shown until one looked into a subtree of theirs
    this.addClass('panel');
    this.title.label = view.title;
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
    this.ends = ['cursor', 'selection', 'marks', 'hits'].map((what) =>
      on(what, () => this.marks()),
    );
    this.ends.push(on('time', () => this.momentMoved()));
    this.ends.push(on('window', () => this.mode === 'table' && this.tableSoon()));
    this.ends.push(on('trace', () => this.mode === 'table' && this.fillTable()));
    this.ends.push(on('kept', () => this.fillHead()));
    this.ends.push(
      on('shared', ({ from, name, change }) => {
        if (from !== this && this.sharedParameters().some((p) => p.name === name))
          this.take(name, shared[name], change);
      }),
    );
    this.ends.push(on('find', () => this.finds() && this.picture.change()));
    this.ends.push(
      on('offered', ({ from, name }) => {
        const open = this.settings[name] === undefined || this.follows.has(name);
        if (
          from === this ||
          !open ||
          !this.view.parameters.some((p) => p.offered && p.name === name)
        )
          return;
        this.follows.add(name);
        this.take(name, offered[name]);
      }),
    );
    this.ends.push(on('glide', (id) => this.glideTo(id)));
    if (this.view.compares) this.ends.push(on('trace', () => this.fillHead()));
  }

  dispose() {
    for (const end of this.ends) end();
    this.observer.disconnect();
    this.picture.dispose();
    super.dispose();
    emit('layout');
  }

  // What the server is asked with: the settings that are not empty (an empty one is the
  // view's default), and the moment if the picture is of that moment.  Where the view only
  // marks the moment, the page draws the mark itself and the server is not asked.
  asked() {
    const settings = Object.fromEntries(
      Object.entries(this.settings).filter(([, value]) => value !== undefined),
    );
    if (state.find && !settings.find && this.finds()) settings.find = state.find;
    if (this.view.compares && this.other()) settings.with = String(numberOf(this.other()));
    return this.view.moment === 'shown' ? { ...settings, ...this.moment() } : settings;
  }

  // The trace that was chosen to be compared with, kept as "NUMBER NAME" (state.js); or
  // null.
  other() {
    const [, trace, name] = /^(\d+)(?: ([^]+))?$/.exec(this.settings.with) || [];
    return trace === undefined ? null : { trace: Number(trace), name };
  }

  // Why the server cannot be asked; or null.
  lack() {
    const other = this.view.compares && this.other();
    return other && numberOf(other) < 0
      ? `${other.name} is not there any more: choose another trace to compare with.`
      : null;
  }

  // Does the picture light what is searched for?
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

  momentMoved() {
    if (this.mode === 'table') return this.view.moment !== 'none' && this.followTable();
    if (this.view.moment === 'shown') this.picture.request();
    else this.picture.paintSoon(); // the line follows, and labels of the axis make room
  }

  // While a moment is played, the next table is asked for only when the one before has
  // come.
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

  onWayOf(name) {
    return this.sharedParameters().some((p) => p.name === name) ? sharedOnWay : this.onWay;
  }

  // A set of very many goes to the server first, and a key stands for it.  What is changed
  // until the key is here, changes the text that is on its way.
  async setLong(name, value, change) {
    const onWay = this.onWayOf(name),
      isLast = () => onWay[name] === value;
    onWay[name] = value;
    try {
      const key = await keep(value);
      if (isLast()) this.set(name, key, change);
    } catch (error) {
      if (!isLast()) return;
      delete onWay[name];
      emit('error', `${name} is not changed: ${error.message}`);
    }
  }

  // What a parameter says, as far as it is known.
  textOf({ name, fallback }) {
    return this.onWayOf(name)[name] ?? plain(this.settings[name]) ?? fallback;
  }

  // Change what a parameter says, as soon as that is known.
  change(parameter, run) {
    const { name } = parameter,
      { facts } = state,
      value = this.settings[name];
    if (this.onWayOf(name)[name] !== undefined || isKnown(value))
      return void run(this.textOf(parameter));
    fetchText(value).then(
      () => {
        if (facts === state.facts) this.change(parameter, run);
      },
      (error) => emit('error', `${name} is not changed: ${error.message}`),
    );
  }

  sharedParameters() {
    return this.detached ? [] : this.view.parameters.filter((p) => p.shared);
  }

  // Take what other panels offer where nothing has been chosen here, and follow it from
  // then on.
  takeOffers() {
    this.follows = new Set();
    for (const { name } of this.view.parameters.filter((p) => p.offered)) {
      this.settings[name] ??= offered[name];
      offered[name] ??= this.settings[name];
      if (this.settings[name] === undefined) delete this.settings[name];
      else if (this.settings[name] === offered[name]) this.follows.add(name);
    }
  }

  // Something was chosen here: the panels that follow get it.
  offer(name) {
    if (!this.view.parameters.some((p) => p.offered && p.name === name)) return;
    this.follows.delete(name);
    offered[name] = this.settings[name];
    emit('offered', { from: this, name });
  }

  // Have one's own, or again what the others have.
  setDetached(detached) {
    this.detached = detached;
    for (const { name } of this.sharedParameters()) this.take(name, shared[name]);
    this.fillHead();
    emit('layout');
  }

  // A setting that another panel has changed; CHANGE: what was opened or closed.
  take(name, value, change) {
    delete this.onWay[name];
    if (this.settings[name] === value) return;
    if (value === undefined) delete this.settings[name];
    else this.settings[name] = value;
    if (change) this.picture.morphTo(change.id, change.opening);
    this.fillHead();
    this.picture.change();
    if (this.mode === 'table') this.fillTable();
  }

  // Another depth opens or closes a whole level; 0 is the deepest.
  levelChange(name, value) {
    const { kind, shared: isShared } =
      this.view.parameters.find((p) => p.name === name) || {};
    const deep = (text) => Number(text ?? 0) || Infinity;
    return kind === 'number' && isShared
      ? { id: null, opening: deep(value) > deep(this.settings[name]) }
      : undefined;
  }

  set(name, value, change = this.levelChange(name, value)) {
    if (isLong(value)) return void this.setLong(name, value, change);
    delete this.onWayOf(name)[name];
    if (value === undefined || value === '') delete this.settings[name];
    else this.settings[name] = value;
    if (change) this.picture.morphTo(change.id, change.opening);
    if (this.sharedParameters().some((p) => p.name === name)) {
      shared[name] = this.settings[name];
      emit('shared', { from: this, name, change });
    }
    this.offer(name);
    if (name === 'root' || name === 'layout') {
      // another picture: all of it, and nothing said of the last
      this.unzoom();
      hideTooltip();
    }
    if (name === 'root' && !this.settings.root) this.before = [];
    if (name === 'row_height' || name === 'rows') this.picture.scroll = 0;
    this.fillHead();
    this.picture.change();
    if (this.mode === 'table') this.fillTable();
    emit('layout');
  }

  // ---- Head ----

  // Not under the hands of somebody who types into it: when the field is left.
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

  // The control that chooses the second trace, for views that compare two.
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

  tableSoon(rest = TABLE_REST, of = undefined) {
    clearTimeout(this.tableTimer);
    this.tableTimer = setTimeout(() => {
      if (this.mode === 'table' && !this.isDisposed) this.fillTable(of);
    }, rest);
  }

  // OF says what of the table: without it, the begin of what is there now, in the order of
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
            title: 'Search for ' + label,
            onclick: () => emit('search-for', label),
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

  // ---- Zooming and moving what has no time axis ----

  parameterOf(kind) {
    return this.view.parameters.find((p) => p.kind === kind);
  }

  // Enlarge by FACTOR about the point AT, or move by DX, DY.  The frame that is there is
  // shown enlarged or moved until the next one comes.
  zoomBy(factor, at, dx = 0, dy = 0) {
    if (this.picture.scene?.frame.zoom) return this.zoomShape(factor, factor, at, dx, dy);
    const zoom = this.parameterOf('zoom'),
      x = this.parameterOf('place_x'),
      y = this.parameterOf('place_y');
    const frame = this.picture.scene?.frame;
    if (!zoom || !x || !y || !frame?.anchor) return;
    const now = (p) => Number(this.settings[p.name] ?? p.fallback);
    // Where the picture shows the same plot twice, a point in the second one stands for the
    // same point in the first.
    const [dx2, dy2] = frame.again;
    if ((dx2 && at.x >= frame.plot[0] + dx2) || (dy2 && at.y >= frame.plot[1] + dy2))
      at = { x: at.x - dx2, y: at.y - dy2 };
    const move = this.picture.zoomMove();
    const anchor = [
      frame.anchor[0] * move.scale + move.tx,
      frame.anchor[1] * move.scale + move.ty,
    ];
    const size = Math.max(zoom.minimum, Math.min(zoom.maximum, now(zoom) * factor));
    factor = size / now(zoom);
    this.settings[zoom.name] = String(size);
    this.settings[x.name] = String(
      now(x) + ((at.x - anchor[0]) * (1 - factor) + dx) / frame.plot[2],
    );
    this.settings[y.name] = String(
      now(y) + ((at.y - anchor[1]) * (1 - factor) + dy) / frame.plot[3],
    );
    this.picture.paintSoon();
    this.picture.request();
    clearTimeout(this.headTimer);
    this.headTimer = setTimeout(() => {
      this.fillHead();
      emit('layout');
    }, 300);
  }

  // The same where widths and heights may be enlarged each by a factor of its own.
  zoomShape(fx, fy, at, dx = 0, dy = 0) {
    const { picture } = this,
      { frame } = picture.scene,
      now = picture.zoomNow(),
      move = picture.zoomMove();
    const { maximum } = this.parameterOf('zoom');
    const zoom = Math.max(1e-9, Math.min(maximum, now.zoom * fx)),
      tall = Math.max(1e-6, Math.min(1e6, (now.tall * fy) / fx));
    fx = zoom / now.zoom;
    fy = (fx * tall) / now.tall;
    const anchor = [
      frame.anchor[0] * move.sx + move.tx,
      frame.anchor[1] * move.sy + move.ty,
    ];
    this.placeShape({
      zoom,
      tall,
      x: now.x + ((at.x - anchor[0]) * (1 - fx) + dx) / frame.plot[2],
      y: now.y + ((at.y - anchor[1]) * (1 - fy) + dy) / frame.plot[3],
    });
    clearTimeout(this.headTimer);
    this.headTimer = setTimeout(() => {
      this.fillHead();
      emit('layout');
    }, 300);
  }

  placeShape({ zoom, tall, x, y }) {
    for (const [kind, value] of Object.entries({ zoom, tall, place_x: x, place_y: y }))
      this.settings[this.parameterOf(kind).name] = String(value);
    this.picture.paintSoon();
    this.picture.request();
  }

  // What the wheel does where the view lets people choose; false: it zooms both ways.
  turnWheel(factor, at) {
    const wheel = this.parameterOf('wheel'),
      does = wheel && (this.settings[wheel.name] ?? wheel.fallback);
    if (!does || does === 'zoom') return false;
    if (does === 'x' || does === 'y')
      this.zoomShape(does === 'x' ? factor : 1, does === 'y' ? factor : 1, at);
    else {
      const number = this.view.parameters.find((p) => p.name === does),
        now = Number(this.settings[does] ?? number.fallback);
      if (now)
        this.set(
          does,
          String(
            Math.max(number.minimum, Math.min(number.maximum, now * factor)).toPrecision(6),
          ),
        );
    }
    return true;
  }

  // Go to a thing, which the view marks and says the place of.
  glideTo(id) {
    if (
      !this.view.parameters.some((p) => p.kind === 'tall') ||
      !this.named('node') ||
      this.mode !== 'picture'
    )
      return;
    this.gliding = true;
    this.set('node', id);
  }

  // The frame has come that says where it is: move there unless it is well in sight.
  glide() {
    const { picture } = this,
      { frame } = picture.scene,
      plot = frame.plot;
    if (!this.gliding || !frame.marked) return;
    this.gliding = false;
    const [x, y, w, h] = frame.marked,
      from = picture.zoomNow(),
      move = picture.zoomMove();
    const inSight =
      x >= plot[0] &&
      y >= plot[1] &&
      x + w <= plot[0] + plot[2] &&
      y + h <= plot[1] + plot[3];
    if (inSight && Math.min(w, h) >= 8) return;
    const grow = Math.max(
      1,
      Math.min(plot[2] / 3 / w, plot[3] / 3 / h, 20 / Math.min(w, h)),
    ); // a node of 20 pixels, or a third of the plot
    const middle = { x: x + w / 2, y: y + h / 2 },
      anchor = [frame.anchor[0] * move.sx + move.tx, frame.anchor[1] * move.sy + move.ty];
    const to = {
      zoom: from.zoom * grow,
      tall: from.tall,
      x: (plot[2] / 2 + (anchor[0] - middle.x) * grow) / plot[2],
      y: (plot[3] / 2 + (anchor[1] - middle.y) * grow) / plot[3],
    };
    const began = performance.now(),
      quick = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const step = () => {
      const ratio = quick ? 1 : Math.min(1, (performance.now() - began) / GLIDE),
        rate = 1 - (1 - ratio) ** 2;
      if (this.isDisposed) return;
      const zoom = from.zoom * (to.zoom / from.zoom) ** rate;
      // The root's way that keeps the thing on a straight line to the middle.
      const part =
        to.zoom === from.zoom ? rate : (zoom - from.zoom) / (to.zoom - from.zoom);
      this.placeShape({
        zoom,
        tall: from.tall,
        x: from.x + (to.x - from.x) * part,
        y: from.y + (to.y - from.y) * part,
      });
      if (ratio < 1) requestAnimationFrame(step);
      else emit('layout');
    };
    step();
  }

  // Show the whole picture again.
  unzoom() {
    for (const kind of ['zoom', 'tall', 'place_x', 'place_y'])
      delete this.settings[this.parameterOf(kind)?.name];
  }

  zooms() {
    return Boolean(this.mode === 'picture' && this.picture.scene?.frame.anchor);
  }

  // What one key press does: zoom by FACTOR about the pointer, or move by parts of the
  // plot's size.
  stepBy(factor, dx = 0, dy = 0) {
    const { picture } = this,
      plot = picture.plot();
    this.zoomBy(
      factor,
      picture.pointer || { x: plot.x + plot.width / 2, y: plot.y + plot.height / 2 },
      dx * plot.width,
      dy * plot.height,
    );
  }

  showAll() {
    this.unzoom();
    this.set('zoom', undefined);
  }

  // The view's parameter with this name that takes an entity (root, node), if it has one.
  named(name) {
    return this.view.parameters.find((p) => p.kind === 'entity' && p.name === name);
  }

  // Show only a subtree; and go back, to the subtree before or to the whole.
  enter(id) {
    if (id === this.settings.root) return;
    this.before.push(this.settings.root);
    this.set('root', id);
  }
  leave() {
    if (this.settings.root) this.set('root', this.before.pop());
  }

  // The menu of an entity: one entry for each of the view's parameters that takes one.
  thingMenu(id, x, y) {
    const words = (p) => p.help[0].toUpperCase() + p.help.slice(1).replace(/ \(.*/, '');
    const items = this.view.parameters
      .filter((p) => p.kind === 'entity')
      .flatMap((p) => [
        {
          title: words(p),
          help: p.help,
          run: () => (p.name === 'root' ? this.enter(id) : this.set(p.name, id)),
        },
        ...(p.name === 'root' && this.before.some(Boolean)
          ? [{ title: 'Back to the subtree before', run: () => this.leave() }]
          : []),
        ...(this.settings[p.name]
          ? [
              {
                title:
                  p.name === 'root' ? 'Show the whole tree again' : `Forget the ${p.name}`,
                run: () => this.set(p.name, undefined),
              },
            ]
          : []),
      ]);
    items.push(...this.setItems('entities', id));
    if (items.length) openMenu(x, y, items);
    return items.length > 0;
  }

  // ---- What lies over the picture: cursor, selection, marks, hits ----

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

  // The line of the moment, and its time in the axis, moved inwards where the panel would
  // cut it.
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

  // ---- Rows ----

  showDrop(y) {
    this.drop.hidden = y === null;
    this.drop.style.top = (y || 0) + 'px';
  }

  // Whether the set of a parameter has the thing or container with this id.
  holds(parameter, id) {
    return has(this.textOf(parameter), id, parameter.kind === 'containers');
  }

  // Whether the thing is opened or closed by that, the view's picture says: by how it
  // changes.
  toggle(parameter, id, mark) {
    this.change(parameter, (text) => {
      const change = mark && {
        id: mark,
        opening: (parameter.name === 'closed') === this.holds(parameter, id),
      };
      this.set(parameter.name, toggled(text, id, parameter.kind === 'containers'), change);
    });
  }

  // Do what a mark's action says (weft_action in view/scene.h).
  act(action) {
    const opens = ['opened', 'closed'].includes(action.parameter);
    if (action.kind === 'toggle')
      this.toggle(
        this.view.parameters.find((p) => p.name === action.parameter),
        action.id,
        opens ? action.id : undefined,
      );
  }

  // The parameter of views whose things belong to one another and light up together.
  get lights() {
    return this.view.parameters.find((p) => p.kind === 'entities' && p.name === 'lit');
  }

  // Open everything one level deeper, or less deep.
  changeDepth(step) {
    const parameter = this.view.parameters.find((p) => p.name === 'depth' && p.shared),
      { levels } = this.picture.scene?.frame || {};
    if (parameter && levels) this.set('depth', String(Math.max(1, levels + step)));
  }

  // What a double click on the picked thing does (Enter).
  actOnPicked() {
    const { picture } = this,
      found =
        state.picked &&
        picture.scene &&
        markOf(picture.scene, state.picked.id, picture.move());
    const about = found?.mark[found.mark.length - 1];
    const action = [about?.action, about?.twice].find(
      (each) => each && each.parameter !== 'tags',
    );
    if (action) this.act(action);
  }

  // Put a node that is dragged to a point of the picture where its mark's action says.
  place(action, at) {
    const { plot } = this.picture.scene.frame,
      parameter = this.view.parameters.find((p) => p.name === action.parameter);
    const words = (parameter.choices || '').split('|'),
      x = (at.x - plot[0]) / plot[2],
      y = (at.y - plot[1]) / plot[3];
    this.change(parameter, (text) =>
      this.set(parameter.name, placed(text, words, action.id, x, y)),
    );
  }

  // The menu's entries that put an entity or container into one of the view's sets, or take
  // it out.
  setItems(kind, id) {
    return this.view.parameters
      .filter((p) => p.kind === kind)
      .map((parameter) => ({
        title: `${this.holds(parameter, id) ? '✓ ' : ''}${parameter.name}`,
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
    openMenu(x, y, items);
  }

  changeRowHeight(step) {
    if (!this.view.parameters.some((p) => p.name === 'row_height')) return;
    const now = Number(this.settings.row_height || 0) || 18;
    this.set(
      'row_height',
      String(Math.max(4, Math.min(120, Math.round(now * (step > 0 ? 1.25 : 0.8))))),
    );
  }

  // ---- The scroll bar of rows ----

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
    thumb.style.top = (this.picture.scroll / (frame.scroll_height - visible)) * room + 'px';
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
}
