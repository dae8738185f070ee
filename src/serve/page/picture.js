// SPDX-License-Identifier: Apache-2.0
// A view's picture on a canvas.  It requests a frame whenever the present one does not show
// what is wanted; until the next arrives, the last one is shifted and scaled.  Frames reach
// beyond the visible part, so that small moves need no request.
import { ask, askBytes, isForNow, LATER, panelName } from './api.js';
import { boxOfId, Morph } from './morph.js';
import { sceneOf } from './framing.js';
import { release } from './scene.js';
import { clipMoving, draw, drawMark } from './scene_draw.js';
import { markAt, markOf, marksOf } from './scene_search.js';
import { outlineRelated } from './related.js';
import { emit, on, state, themeNow } from './state.js';
import { momentText } from './formatting.js';

const OVERSCAN = 0.12; // of the width, on either side
const FAR = 2 ** 62; // ticks: times are between -FAR and FAR (store/schema.h)
const OVERSCAN_ROWS = 200; // pixels, above and below
const RIGHT = 8; // pixels that the frame keeps free at its right
const REST = 150; // ms; views without a time axis wait until the window rests
const TURN = 1500; // ms that summaries wait at most for the first timeline
let panels = 0;
let timelineShown = false;

export class Picture {
  constructor(host, view, settings, lack) {
    this.host = host;
    this.view = view;
    this.lights = view.parameters.some((p) => p.kind === 'entities' && p.name === 'lit');
    this.settings = settings;
    this.lack = lack; // why no request can be made, or null
    this.name = panelName(++panels);
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    host.append(this.canvas);
    this.scene = null;
    this.scroll = 0;
    this.busy = null;
    this.failed = null;
    this.listeners = {};
    this.alive = true;
    this.width = this.height = 0;
    this.patience = performance.now() + TURN;
    this.ends = [
      on('window', () => this.windowChanged()),
      on('theme', () => this.change()),
      on('picked', () => this.paintSoon()),
      on('related', () => this.paintSoon()),
      on('pointed', () => this.lights && this.paintSoon()),
      on('trace', () => this.restart()),
      on('frame', () => {
        if (!this.scene) this.request();
      }),
    ];
  }

  dispose() {
    this.alive = false;
    clearTimeout(this.later);
    for (const end of this.ends) end();
    this.busy?.abort();
    release(this.scene);
  }

  when(what, run) {
    this.listeners[what] = run;
  }
  tell(what) {
    this.listeners[what]?.(this);
  }

  resize(width, height) {
    width = Math.floor(width);
    height = Math.floor(height);
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    const ratio = (this.ratio = window.devicePixelRatio || 1);
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
    this.paint();
    this.change();
  }

  // The next frame results from opening or closing the thing ID (or all of a level): shows
  // the transition.  One that is being shown turns round.
  morphTo(id, opening) {
    if (!this.scene || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    if (this.morph && id === this.morph.origin && opening !== this.morph.opening)
      this.morph.reverse(performance.now());
    else this.morph = null;
    this.coming = { id, opening };
  }

  // The mark of a thing at a point.  A thing that is being opened or closed covers its
  // present box, with all that it holds: a click there turns it round.
  shapeAt(x, y) {
    const { morph } = this,
      box = morph?.boxNow(performance.now());
    const [left, top, right, bottom] = box || [];
    return box && x >= left && x < right && y >= top && y < bottom
      ? markOf(this.scene, morph.origin, this.move())
      : markAt(this.scene, x, y, this.move());
  }

  restart() {
    this.morph = this.coming = null;
    release(this.scene);
    this.scene = null;
    this.scroll = 0;
    this.change();
    this.paintSoon();
  }

  // Settings, theme or size have changed: drops a frame that is being requested.
  change() {
    if (!this.alive) return;
    this.busy?.abort();
    this.busy = null;
    this.wanted = true;
    this.request();
  }

  // The requested frame is no longer needed: cancels it on the server, too.
  forget() {
    this.busy.abort();
    this.busy = null;
    ask('cancel', { panel: this.name }, { post: '' }).catch(() => {});
  }

  windowChanged() {
    if (!this.alive) return;
    this.paintSoon();
    if (this.scene && !this.scene.hasTime) {
      if (state.playing && this.view.moment === 'shown') {
        // frames follow one another as they come
        this.wanted = true;
        return this.request();
      }
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.change(), REST);
      if (this.busy) this.forget();
      return;
    }
    this.request();
  }

  setScroll(scroll) {
    if (!this.scene?.frame.scroll_height) return;
    const most = Math.max(
      0,
      this.scene.frame.scroll_height - (this.plot().height - this.scene.frame.pinned),
    );
    scroll = Math.max(0, Math.min(scroll, most));
    if (scroll === this.scroll) return;
    this.scroll = scroll;
    this.paintSoon();
    this.request();
    this.tell('scroll');
  }

  // The rectangle of the canvas that shows data: the frame's plot without the parts beyond
  // the edges.
  plot() {
    const plot = this.scene?.frame.plot || [0, 20, this.width, this.height - 20];
    return {
      x: plot[0],
      y: plot[1],
      width: Math.max(1, this.width - plot[0] - RIGHT),
      height: Math.max(1, this.height - plot[1]),
    };
  }

  timeAt(x) {
    const plot = this.plot();
    return state.begin + ((x - plot.x) / plot.width) * (state.end - state.begin);
  }

  xAt(time) {
    const plot = this.plot();
    return plot.x + ((time - state.begin) / (state.end - state.begin)) * plot.width;
  }

  // The place of the moment's time in the axis.
  momentLabel() {
    if (state.time === null || state.time < state.begin || state.time > state.end)
      return null;
    const width = momentText(state.time).length * 6.6 + 10,
      x = this.xAt(state.time);
    const left = Math.max(0, Math.min(this.width - width, x - width / 2));
    return { left, right: left + width, bottom: this.plot().y };
  }

  // The transformation of the scene that shows the window.
  move() {
    const frame = this.scene.frame;
    const ty = frame.scroll_height ? frame.scroll - this.scroll : 0;
    if (frame.anchor && !frame.again.some(Boolean)) return this.zoomMove();
    if (!this.scene.hasTime) return { sx: 1, tx: 0, ty, scale: 1 };
    const plot = this.plot();
    const ticksPerPixel = (this.scene.end - this.scene.begin) / frame.plot[2];
    const sx = (ticksPerPixel * plot.width) / (state.end - state.begin);
    const left =
      plot.x + ((this.scene.begin - state.begin) / (state.end - state.begin)) * plot.width;
    return {
      sx,
      tx: left - frame.plot[0] * sx,
      ty,
      limit: this.width,
      least: plot.x,
      taken: this.momentLabel(),
    };
  }

  // The same for a scene that zooms both ways.
  zoomMove() {
    const { frame, asked } = this.scene,
      plot = frame.plot,
      now = this.settings();
    if (frame.zoom) return this.pointwiseMove(now);
    const of = (settings, kind) => {
      const p = this.view.parameters.find((each) => each.kind === kind);
      return Number(settings[p.name] ?? p.fallback);
    };
    const scale = of(now, 'zoom') / of(asked, 'zoom');
    const x = frame.anchor[0] + (of(now, 'place_x') - of(asked, 'place_x')) * plot[2];
    const y = frame.anchor[1] + (of(now, 'place_y') - of(asked, 'place_y')) * plot[3];
    return {
      sx: 1,
      scale,
      tx: x - frame.anchor[0] * scale,
      ty: y - frame.anchor[1] * scale,
      uniform: true,
    };
  }

  // The wanted zoom and place, or, if they are not set, those that the view has chosen.
  zoomNow(settings = this.settings()) {
    const { frame } = this.scene,
      plot = frame.plot;
    const of = (kind, chosen) => {
      const p = this.view.parameters.find((each) => each.kind === kind),
        value = settings[p.name];
      return value === undefined ||
        (Number(value) === 0 && kind !== 'place_x' && kind !== 'place_y')
        ? chosen
        : Number(value);
    };
    const fits = !Number(
      settings[this.view.parameters.find((p) => p.kind === 'zoom').name] ?? 0,
    );
    const at = [
      (frame.anchor[0] - plot[0]) / plot[2],
      (frame.anchor[1] - plot[1]) / plot[3],
    ];
    return fits
      ? { zoom: frame.zoom[0], tall: frame.zoom[1], x: at[0], y: at[1] }
      : {
          zoom: of('zoom', frame.zoom[0]),
          tall: of('tall', 1),
          x: of('place_x', at[0]),
          y: of('place_y', at[1]),
        };
  }

  // The same for a scene whose texts and outlines are not stretched.
  pointwiseMove(now) {
    const { frame } = this.scene,
      plot = frame.plot,
      { zoom, tall, x, y } = this.zoomNow(now);
    const sx = zoom / frame.zoom[0],
      sy = (sx * tall) / frame.zoom[1];
    const left = plot[0] + x * plot[2],
      top = plot[1] + y * plot[3];
    return {
      sx,
      sy,
      scale: sx,
      tx: left - frame.anchor[0] * sx,
      ty: top - frame.anchor[1] * sy,
      pointwise: true,
    };
  }

  // Returns the request for what is wanted now, or nothing if the present frame shows it.
  wish() {
    const plot = this.plot(),
      wide = Boolean(this.scene?.hasTime);
    const scrolls = Boolean(this.scene?.frame.scroll_height);
    const perPixel = (state.end - state.begin) / plot.width,
      zero = Number(state.facts?.begin ?? 0);
    const room = Math.floor(
      Math.min(state.begin + zero + FAR, FAR - zero - state.end) / perPixel,
    );
    const beyond = wide
      ? Math.max(0, Math.min(Math.round(plot.width * OVERSCAN), room))
      : 0;
    return {
      trace: state.trace,
      theme: themeNow(),
      bare: 1,
      panel: this.name,
      begin: Math.floor(state.begin - beyond * perPixel),
      end: Math.ceil(state.end + beyond * perPixel),
      ...(beyond
        ? { shown_begin: Math.floor(state.begin), shown_end: Math.ceil(state.end) }
        : {}),
      width: this.width + 2 * beyond,
      height: this.height + (scrolls ? 2 * OVERSCAN_ROWS : 0),
      shown_height: this.height,
      ...this.settings(),
      ...(scrolls || this.scroll
        ? { scroll: Math.max(0, Math.floor(this.scroll - OVERSCAN_ROWS)) }
        : {}),
    };
  }

  isShown() {
    if (this.wanted || this.failed || !this.scene) return false;
    if (!this.scene.hasTime)
      return JSON.stringify(this.settings()) === JSON.stringify(this.scene.asked);
    const perPixel = (this.scene.end - this.scene.begin) / this.scene.frame.plot[2];
    const now = (state.end - state.begin) / this.plot().width;
    const seen = this.scene.frame.scroll_height
      ? this.scroll >= this.scene.frame.scroll &&
        this.scroll + this.height <= this.scene.frame.scroll + this.scene.height + 1
      : true;
    const last = Math.max(0, state.begin),
      end = Math.min(state.span, state.end);
    return (
      Math.abs(perPixel / now - 1) < 0.002 &&
      this.scene.begin <= last &&
      this.scene.end >= end &&
      seen
    );
  }

  async request() {
    if (
      !this.alive ||
      this.busy ||
      !this.width ||
      !this.height ||
      !state.facts ||
      this.isShown()
    )
      return;
    if (!timelineShown && !this.view.point && performance.now() < this.patience) {
      // At the start the other panels wait for the timeline, since a summary of a long
      // trace may take a second.
      this.turn ||= setTimeout(() => this.request(), TURN + 10);
      return;
    }
    const fills = state.facts.fills.includes(this.view.name);
    if (!fills || this.lack()) {
      this.failed = fills
        ? this.lack()
        : `This trace cannot fill ${this.view.title}: it needs ${this.view.needs}.`;
      this.wanted = false;
      this.answered = JSON.stringify(this.wish());
      return this.paintSoon();
    }
    const wish = this.wish(),
      key = JSON.stringify(wish),
      began = performance.now();
    // An answered request, even with an error, is not repeated.
    if (!this.wanted && key === this.answered) return;
    const asked = this.settings();
    const busy = (this.busy = new AbortController());
    this.wanted = false;
    try {
      const buffer = await askBytes('view/' + this.view.name + '.packed', wish, {
        signal: busy.signal,
      });
      if (this.busy !== busy || !this.alive) return;
      const scene = await sceneOf(buffer, this.ratio || 1);
      if (this.busy !== busy || !this.alive) return release(scene);
      this.answered = key;
      scene.asked = asked;
      this.take(scene, began);
    } catch (error) {
      if (error.name === 'AbortError' || this.busy !== busy) return;
      // The last picture stays until there is another.  This page does not wait for
      // requests that it cancels: another page has cancelled this one, or the reading of
      // the trace.
      if (isForNow(error)) {
        this.wanted = true;
        this.busy = null;
        this.delayed = error.status === 503 ? error.message : null;
        this.paintSoon();
        this.later ||= setTimeout(() => {
          this.later = 0;
          this.request();
        }, LATER);
        return;
      }
      this.answered = key;
      // If the trace has changed, the line above the panels tells it, and offers to reload.
      if (error.status !== 410 || !this.scene) this.failed = error.message;
      this.tell('failed');
      this.paintSoon();
    }
    if (this.busy === busy) this.busy = null;
    this.request();
  }

  take(scene, began) {
    const before = this.scene,
      { coming } = this;
    this.coming = null;
    if (coming && before) this.keepInPlace(before, scene, coming.id);
    if (this.morph && (!coming || this.morph.origin === coming.id)) this.morph.take(scene);
    else if (coming && before?.frame.zoom && scene.frame.zoom) {
      const pair = coming.opening ? [before, scene] : [scene, before];
      this.morph = new Morph(...pair, coming.id, coming.opening, performance.now());
    } else this.morph = null;
    if (!this.morph) release(before);
    this.failed = this.delayed = null;
    if (scene.hasTime) {
      const zero = BigInt(state.facts.begin);
      scene.begin = Number(scene.frame.begin - zero);
      scene.end = Number(scene.frame.end - zero);
    }
    this.scene = scene;
    if (scene.frame.scroll_height) {
      // there may be fewer rows than before
      const most = Math.max(
        0,
        scene.frame.scroll_height - (this.plot().height - scene.frame.pinned),
      );
      this.scroll = Math.min(this.scroll, most);
    }
    timelineShown ||= scene.hasTime;
    this.frames = (this.frames || 0) + 1;
    this.latency = performance.now() - began;
    this.canvas.setAttribute('aria-label', scene.title + ', ' + scene.frame.subtitle);
    this.tell('frame');
    emit('frame', this);
    this.paintSoon();
  }

  paintSoon() {
    if (this.painting || !this.alive) return;
    this.painting = requestAnimationFrame(() => {
      this.painting = 0;
      this.paint();
    });
  }

  paint() {
    const context = this.canvas.getContext('2d', { alpha: false });
    const ratio = this.ratio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle =
      this.scene?.background || getComputedStyle(this.host).backgroundColor;
    context.fillRect(0, 0, this.width, this.height);
    if (this.failed) return this.say(context, this.failed);
    if (!this.scene)
      return this.say(context, state.facts ? this.delayed || 'Drawing …' : '');
    // A finished transition stays until its last frame has arrived.
    if (this.morph?.isOver(performance.now()) && !(this.coming && this.busy))
      this.morph = null;
    if (this.morph) this.paintMorph(context, ratio);
    else draw(context, this.scene, this.move(), this.plot(), ratio);
    this.outline(context);
    this.painted = performance.now();
    this.tell('painted');
    emit('painted', this);
  }

  // Keeps the opened or closed thing in its place, unless all is made to fit.
  keepInPlace(before, scene, id) {
    const [was, is] = [before, scene].map(
      (each) => each.frame.zoom && id && boxOfId(each, id),
    );
    if (!was || !is || !Number(this.settings().zoom)) return;
    scene.shift = [(was[0] + was[2] - is[0] - is[2]) / 2, was[1] - is[1]];
    this.listeners.shift?.(
      ...scene.shift.map((pixels, i) => pixels / scene.frame.plot[2 + i]),
    );
  }

  paintMorph(context, ratio) {
    const { groups } = this.scene;
    const still = { ...this.scene, groups: groups.filter((each) => !each.moves) };
    draw(context, still, this.move(), this.plot(), ratio);
    context.save();
    clipMoving(context, { moves: 3 }, this.plot(), this.scene);
    this.morph.draw(context, performance.now(), drawMark);
    context.restore();
    this.paintSoon();
  }

  say(context, text) {
    context.fillStyle = getComputedStyle(this.host).color;
    context.font = "12px 'Weft Sans', sans-serif";
    context.textAlign = 'center';
    const words = text.split(' '),
      lines = [''];
    for (const word of words) {
      const longer = lines[lines.length - 1] + (lines[lines.length - 1] ? ' ' : '') + word;
      if (context.measureText(longer).width > this.width - 40) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    lines.forEach((line, i) =>
      context.fillText(line, this.width / 2, this.height / 2 + (i - lines.length / 2) * 18),
    );
  }

  // Outlines the picked thing, and all that belongs to the thing under the pointer: a frame
  // around each mark, or a thicker line for a link.
  outline(context) {
    if (this.morph) return;
    if (this.lights && state.pointed)
      for (const found of marksOf(this.scene, state.pointed, this.move()))
        if (found.mark[0] !== 'glyph') this.frameMark(context, found);
    outlineRelated(this, context);
    const found = state.picked && markOf(this.scene, state.picked.id, this.move());
    if (found) this.frameMark(context, found);
  }

  // A rectangle's frame is at least LEAST pixels wide and high.
  frameMark(context, { mark, at, moves }, least = 2) {
    const plot = this.plot();
    context.save();
    context.beginPath();
    if (moves) {
      const left = moves & 1 ? plot.x : 0;
      context.rect(left, plot.y, plot.x + plot.width - left, plot.height);
      context.clip();
    }
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue(
      '--accent',
    );
    context.lineWidth = 2;
    context.beginPath();
    if (mark[0] === 'rect') {
      const width = Math.max(least, mark[3] * at.sx),
        height = Math.max(least, mark[4] * at.sy);
      context.rect(
        (mark[1] + mark[3] / 2) * at.sx + at.tx - width / 2,
        (mark[2] + mark[4] / 2) * at.sy + at.ty - height / 2,
        width,
        height,
      );
    } else if (mark[0] === 'line' || mark[0] === 'polygon') {
      for (let i = 0; i < mark[1].length; i += 2)
        context.lineTo(mark[1][i] * at.sx + at.tx, mark[1][i + 1] * at.sy + at.ty);
      if (mark[0] === 'polygon') context.closePath();
    } else if (mark[0] === 'glyph')
      context.arc(
        mark[2] * at.sx + at.tx,
        mark[3] * at.sy + at.ty,
        Math.max(8, mark[4] / 2 + 1),
        0,
        2 * Math.PI,
      );
    else if (mark[0] === 'sector') {
      context.arc(mark[1], mark[2], mark[4], mark[5], mark[5] + mark[6]);
      context.arc(mark[1], mark[2], mark[3], mark[5] + mark[6], mark[5], true);
      context.closePath();
    }
    context.stroke();
    context.restore();
  }
}
