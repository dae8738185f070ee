// SPDX-License-Identifier: Apache-2.0
// Pointer, wheel and touch on a picture: pan, zoom, select, hover, click, rows.
import { askJson } from './api.js';
import { markAt, rowAt, rowsBetween, titlesOfRows } from './scene_search.js';
import {
  emit,
  filtersOf,
  panBy,
  setCursor,
  setPointed,
  setSelection,
  setTime,
  setWindow,
  state,
  zoomAt,
} from './state.js';
import { duration, element, time } from './formatting.js';
import { pick, pickRow } from './drawer.js';
import { scrollList } from './playback.js';
import { linesOfRelated, relateTo } from './related.js';

const CLICK = 4; // pixels that a click may move
const EDGE = 4; // pixels around a selection's edge where it can be dragged
const POINT_AFTER = 40; // ms of rest until the server is asked about a dense place
const SECOND_CLICK = 220; // ms until a click counts as a single one
const LATE_CLICK = 600; // ms in which a second click may still follow
const MOST_NAMES = 4; // of rows, in a tooltip
const LIST_ROW = 40; // pixels that the wheel turns for an event of a list
const GESTURE = 150; // ms: a pinch stays a pinch, and a pan a pan

let tooltip;

// The rows under a drag in words: the names of a few, then how many more there are.
function namesOf(titles) {
  const rest = titles.length - MOST_NAMES;
  return titles.slice(0, MOST_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

// The properties of a found mark (id, title, action).
const aboutOf = (found) => found?.mark[found.mark.length - 1];

function showTooltip(x, y, lines) {
  tooltip ||= document.getElementById('tooltip');
  tooltip.replaceChildren(...lines.map((line) => element('div', {}, line)));
  tooltip.hidden = !lines.length;
  // At the right edge, the tooltip may have been laid out narrower.
  tooltip.style.left = '0';
  const { offsetWidth: w, offsetHeight: h } = tooltip;
  tooltip.style.left = Math.max(4, Math.min(x + 14, innerWidth - w - 4)) + 'px';
  tooltip.style.top = (y + 18 + h > innerHeight ? y - h - 10 : y + 18) + 'px';
}
export function hideTooltip() {
  if (tooltip) tooltip.hidden = true;
}

export class Pointer {
  constructor(picture, panel) {
    this.picture = picture;
    this.panel = panel;
    this.gestureAt = -Infinity;
    const canvas = picture.canvas;
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.moved(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', () => {
      this.drag = null;
    });
    canvas.addEventListener('pointerleave', () => this.leave());
    canvas.addEventListener('dblclick', (e) => this.doubled(e));
    canvas.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    canvas.addEventListener('contextmenu', (e) => this.menu(e));
  }

  at(event) {
    const box = this.picture.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  inPlot(x, y) {
    const plot = this.picture.plot();
    return x >= plot.x && x < plot.x + plot.width && y >= plot.y;
  }

  // Returns true above the plot, where the times are.
  inAxis(x, y) {
    const plot = this.picture.plot();
    return (
      Boolean(this.picture.scene?.hasTime) &&
      x >= plot.x &&
      x < plot.x + plot.width &&
      y < plot.y
    );
  }

  // ---- Wheel ----

  wheel(event) {
    const { picture } = this,
      { x } = this.at(event),
      now = performance.now();
    event.preventDefault();
    if (!picture.scene) return;
    const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1;
    let dx = event.deltaX * unit,
      dy = event.deltaY * unit;
    // Nothing scrolls: the wheel zooms, fingers move the picture.
    const free = Boolean(picture.scene.frame.anchor);
    if (
      free &&
      !event.ctrlKey &&
      !event.shiftKey &&
      !dx &&
      this.panel.turnWheel(
        Math.exp(-Math.max(-240, Math.min(240, dy)) * 0.0025),
        this.at(event),
      )
    )
      return;
    const pinch =
      event.ctrlKey ||
      event.metaKey ||
      ((state.wheelZooms || free) && !event.shiftKey && !dx);
    // Fingers on a touchpad move a little in every direction, so a gesture keeps the
    // meaning (zoom, pan, scroll) that it began with.
    if (now - this.gestureAt > GESTURE)
      this.gesture = pinch
        ? 'zoom'
        : Math.abs(dx) > Math.abs(dy) || event.shiftKey
          ? 'pan'
          : 'scroll';
    this.gestureAt = now;
    if (event.shiftKey && !dx) [dx, dy] = [dy, 0];
    if (this.gesture === 'zoom') {
      if (pinch && picture.scene.hasTime)
        zoomAt(picture.timeAt(x), Math.exp(Math.max(-240, Math.min(240, dy)) * 0.0025));
      else if (pinch)
        this.panel.zoomBy(
          Math.exp(-Math.max(-240, Math.min(240, dy)) * 0.0025),
          this.at(event),
        );
    } else if (this.gesture === 'pan') {
      if (picture.scene.hasTime)
        panBy((dx / picture.plot().width) * (state.end - state.begin));
      else this.panel.zoomBy(1, this.at(event), -dx, -dy);
    } else if (free) this.panel.zoomBy(1, this.at(event), -dx, -dy);
    else if (picture.scene.frame.list) scrollList(picture, dy / LIST_ROW);
    else if (event.altKey) this.panel.changeRowHeight(dy < 0 ? 1 : -1);
    else picture.setScroll(picture.scroll + dy);
    this.hover(event);
  }

  // ---- Buttons ----

  down(event) {
    const { picture } = this,
      at = this.at(event);
    if (event.button > 1 || !picture.scene) return;
    picture.canvas.focus({ preventScroll: true });
    picture.canvas.setPointerCapture(event.pointerId);
    hideTooltip();
    relateTo(null);
    const inPlot = this.inPlot(at.x, at.y);
    this.drag = {
      kind: 'click',
      from: at,
      begin: state.begin,
      end: state.end,
      scroll: picture.scroll,
    };
    if (picture.scene.frame.anchor) this.drag.wanted = 'move';
    const found = markAt(picture.scene, at.x, at.y, picture.move());
    if (found?.about.action?.kind === 'move')
      Object.assign(this.drag, { wanted: 'node', node: found.about });
    if (!picture.scene.hasTime) return;
    if (event.button === 1 || event.shiftKey || event.pointerType === 'touch')
      this.drag.wanted = 'pan';
    else if (this.inAxis(at.x, at.y)) this.drag.wanted = 'moment';
    else if (!inPlot && at.x < picture.plot().x) this.drag.wanted = 'row';
    else this.drag.wanted = this.edgeAt(at.x) || 'select';
    this.drag.row = rowAt(picture.scene, at.y, picture.move());
    this.drag.time = picture.timeAt(at.x);
  }

  // Returns 'begin' or 'end' if the pointer is on an edge of the selection.
  edgeAt(x) {
    const selection = state.selection;
    if (!selection || !this.picture.scene?.hasTime) return null;
    if (Math.abs(this.picture.xAt(selection.begin) - x) <= EDGE) return 'begin';
    if (Math.abs(this.picture.xAt(selection.end) - x) <= EDGE) return 'end';
    return null;
  }

  moved(event) {
    const at = this.at(event),
      { drag, picture } = this;
    if (!drag) return this.hover(event);
    if (
      drag.kind === 'click' &&
      Math.hypot(at.x - drag.from.x, at.y - drag.from.y) > CLICK &&
      drag.wanted
    )
      drag.kind = drag.wanted;
    if (drag.kind === 'move') {
      this.panel.zoomBy(
        1,
        at,
        at.x - (drag.last || drag.from).x,
        at.y - (drag.last || drag.from).y,
      );
      drag.last = at;
    } else if (drag.kind === 'pan') this.panTo(at);
    else if (drag.kind === 'node')
      showTooltip(event.clientX, event.clientY, [
        `Move ${drag.node.title.split(' · ')[0]}`,
      ]);
    else if (drag.kind === 'moment') setTime(picture.timeAt(at.x));
    else if (drag.kind === 'select') this.selectTo(event, at);
    else if (drag.kind === 'begin' || drag.kind === 'end')
      this.moveEdge(drag.kind, at, event);
    else if (drag.kind === 'row') this.dragRow(event, at);
  }

  panTo(at) {
    const { drag, picture } = this;
    const ticks = ((at.x - drag.from.x) / picture.plot().width) * (drag.end - drag.begin);
    const length = drag.end - drag.begin,
      begin = Math.max(0, Math.min(drag.begin - ticks, state.span - length));
    setWindow(begin, begin + length);
    picture.setScroll(drag.scroll - (at.y - drag.from.y));
  }

  // Snaps to the edges of the mark under the pointer; with Alt, to the exact place.
  snapped(x, y, free) {
    const { picture } = this,
      exact = picture.timeAt(x);
    if (free) return exact;
    let best = exact,
      nearest = 6;
    const found = markAt(picture.scene, x, y, picture.move());
    if (found && found.mark[0] === 'rect' && found.about.id) {
      for (const edge of [found.mark[1], found.mark[1] + found.mark[3]]) {
        const at = edge * found.at.sx + found.at.tx;
        if (Math.abs(at - x) < nearest) {
          nearest = Math.abs(at - x);
          best = picture.timeAt(at);
        }
      }
    }
    return best;
  }

  selectTo(event, at) {
    const { picture, drag } = this;
    const plot = picture.plot();
    const x = Math.max(plot.x, Math.min(at.x, plot.x + plot.width));
    const other = this.snapped(x, at.y, event.altKey);
    const rows = rowsBetween(
      picture.scene,
      Math.min(drag.from.y, at.y),
      Math.max(drag.from.y, at.y) + 1,
      picture.move(),
    );
    const top = Math.min(drag.from.y, at.y),
      bottom = Math.max(drag.from.y, at.y);
    setSelection({
      begin: Math.min(drag.time, other),
      end: Math.max(drag.time, other),
      rows,
      live: true,
      panel: picture.name,
      top,
      bottom,
    });
    showTooltip(event.clientX, event.clientY, [
      duration(Math.abs(other - drag.time)),
      namesOf(titlesOfRows(picture.scene, rows)),
    ]);
  }

  moveEdge(edge, at, event) {
    const selection = {
      ...state.selection,
      live: true,
      [edge]: this.snapped(at.x, at.y, event.altKey),
    };
    if (selection.begin > selection.end) {
      [selection.begin, selection.end] = [selection.end, selection.begin];
      this.drag.kind = edge === 'begin' ? 'end' : 'begin';
    }
    setSelection(selection);
    showTooltip(event.clientX, event.clientY, [
      duration(selection.end - selection.begin),
      `moves the ${this.drag.kind} of the selection`,
    ]);
  }

  dragRow(event, at) {
    const target = rowAt(this.picture.scene, at.y, this.picture.move());
    this.panel.showDrop(
      target && target.about.row !== this.drag.row?.about.row ? target.y : null,
    );
    showTooltip(event.clientX, event.clientY, [`Move ${this.drag.row?.about.title || ''}`]);
  }

  up(event) {
    const { drag, picture } = this,
      at = this.at(event);
    this.drag = null;
    if (!drag) return;
    hideTooltip();
    const onTime =
      picture.scene?.hasTime &&
      (this.inAxis(at.x, at.y) || (event.shiftKey && this.inPlot(at.x, at.y)));
    if (drag.kind === 'click' && event.button === 0 && onTime)
      setTime(this.snapped(at.x, at.y, event.altKey));
    else if (drag.kind === 'click' && event.button === 0) this.clicked(at);
    else if (drag.kind === 'node') this.panel.place(drag.node.action, at);
    else if (drag.kind === 'row') {
      const target = rowAt(picture.scene, at.y, picture.move());
      this.panel.showDrop(null);
      if (drag.row && target && target.about.row !== drag.row.about.row)
        this.panel.moveRow(drag.row.about.row, target.about.row);
    } else if (['select', 'begin', 'end'].includes(drag.kind) && state.selection) {
      setSelection({ ...state.selection, live: false });
    }
  }

  // Highlights what belongs to the thing at a point, or nothing.
  async light(at) {
    const { picture, panel } = this;
    const found = markAt(picture.scene, at.x, at.y, picture.move())?.about;
    const id = found?.id || (await this.point(at))?.id;
    if (id) panel.toggle(panel.lights, id);
  }

  async clicked(at) {
    const { picture, panel } = this;
    if (panel.lights && picture.scene) return this.light(at);
    if (picture.scene?.frame.zoom) return this.clickedShape(at);
    if (this.nearest) {
      const id = await this.thing(at);
      return id && this.picked(id);
    }
    const found = markAt(picture.scene, at.x, at.y, picture.move());
    if (['toggle', 'set'].includes(found?.about.action?.kind))
      return panel.act(found.about.action);
    if (found?.about.action?.kind === 'list') {
      // the list stays in sight
      panel.act(found.about.action);
      return found.about.id && pick(found.about.id, true);
    }
    if (found?.about.id) return this.picked(found.about.id);
    if (found?.about.row && (at.x < picture.plot().x || !picture.scene.hasTime))
      return pickRow(found.about.row);
    const facts = await this.point(at);
    if (facts?.id) this.picked(facts.id);
    else if (state.selection) setSelection(null);
  }

  // Picks the mark's thing at once, and does the mark's action if no second click follows.
  clickedShape(at) {
    const { picture, panel } = this,
      about = aboutOf(picture.shapeAt(at.x, at.y));
    clearTimeout(this.acting);
    if (!about?.id) return;
    pick(about.id);
    const act = () => {
      panel.act(about.action);
      this.acted = about.action;
      setTimeout(() => {
        this.acted = null;
      }, LATE_CLICK);
    };
    if (about.action) this.acting = setTimeout(act, about.twice ? SECOND_CLICK : 0);
  }

  // True if a click asks the server for the nearest node instead of taking the mark under
  // the pointer: in a tree one mark may stand for many nodes.
  get nearest() {
    return Boolean(
      this.picture.scene?.frame.anchor &&
      !this.picture.scene.frame.zoom &&
      this.panel.view.point,
    );
  }

  // Shows the entity in the drawer, and marks it if the view has a parameter for that.
  picked(id) {
    const parameter = this.panel.view.parameters.find(
      (p) => p.kind === 'entity' && p.name === 'node',
    );
    if (parameter) this.panel.set(parameter.name, id);
    return pick(id);
  }

  async doubled(event) {
    const at = this.at(event),
      { scene } = this.picture;
    if (scene?.frame.zoom) {
      const twice = aboutOf(this.picture.shapeAt(at.x, at.y))?.twice;
      clearTimeout(this.acting);
      if (!twice) return undefined;
      // the first click was taken for a single one: undo it
      if (this.acted) this.panel.act(this.acted);
      this.acted = null;
      return this.panel.act(twice);
    }
    const id = await this.thing(at);
    if (id && this.panel.named('root')) return this.panel.enter(id);
    if (id) {
      await pick(id);
      emit('focus-picked');
    }
  }

  leave() {
    hideTooltip();
    setPointed(null);
    clearTimeout(this.resting);
    emit('over', null);
    relateTo(null);
    setCursor(null);
  }

  // ---- Hover ----

  hover(event) {
    const { picture } = this,
      at = this.at(event),
      scene = picture.scene;
    if (!scene) return;
    picture.pointer = at;
    emit('over', this.panel);
    const inPlot = this.inPlot(at.x, at.y);
    if (scene.hasTime) setCursor(inPlot ? picture.timeAt(at.x) : null);
    const found = markAt(scene, at.x, at.y, picture.move());
    picture.canvas.style.cursor =
      this.edgeAt(at.x) && inPlot
        ? 'ew-resize'
        : this.inAxis(at.x, at.y)
          ? 'col-resize'
          : found?.about.action
            ? found.about.action.kind === 'move'
              ? 'grab'
              : 'pointer'
            : found?.about.row && at.x < picture.plot().x
              ? 'grab'
              : '';
    clearTimeout(this.resting);
    if (this.panel.lights) setPointed(found?.about.id || null);
    if (
      found?.about.title &&
      !this.nearest &&
      (found.about.id || !inPlot || !scene.hasTime)
    ) {
      showTooltip(event.clientX, event.clientY, found.about.title.split(' · '));
      return this.relate(event, at, found.about.id, found.about.title.split(' · '));
    }
    if (!found?.about.id) relateTo(null);
    if (!inPlot) return hideTooltip();
    if (!this.panel.view.point) return hideTooltip();
    // Shows what the marks say at once; where the picture is denser than marks, asks the
    // server when the pointer rests.
    const row = rowAt(scene, at.y, picture.move());
    // With many states, marks have no titles: the colour gives the value, the width the
    // duration.
    const value =
      found?.about.fill &&
      scene.frame.legend.find((entry) => entry[1] === found.about.fill)?.[0];
    const ticks =
      value && (found.mark[3] / scene.frame.plot[2]) * (scene.end - scene.begin);
    const known = this.nearest
      ? found?.about.title?.split(' · ') || []
      : [
          value && scene.hasTime && `${value} · about ${duration(ticks)}`,
          row ? row.about.title : '',
          scene.hasTime ? time(picture.timeAt(at.x)) : '',
        ];
    showTooltip(event.clientX, event.clientY, known.filter(Boolean));
    const { clientX, clientY } = event;
    const curve =
      this.nearest && found?.mark[0] === 'line' && found.mark[1].length > 4
        ? [found.about.title]
        : [];
    // false if another picture is shown by then
    const { root, layout } = this.panel.settings;
    const same = () =>
      picture.pointer === at &&
      root === this.panel.settings.root &&
      layout === this.panel.settings.layout;
    this.resting = setTimeout(async () => {
      const facts = await this.point(at);
      if (facts?.id && same() && this.panel.lights) setPointed(facts.id);
      if (!facts || !same() || this.drag) return;
      const lines = [
        ...curve,
        ...facts.facts.map((f) => (f.value ? `${f.name}: ${f.value}` : f.name)),
      ];
      showTooltip(clientX, clientY, lines);
      this.relate({ clientX, clientY }, at, facts.id, lines);
    }, POINT_AFTER);
  }

  // Lights what belongs to the thing ID under the pointer, and adds its names to the
  // tooltip.
  relate({ clientX, clientY }, at, id, lines) {
    const { picture } = this;
    if (!picture.scene.hasTime || this.drag) return relateTo(null);
    return relateTo(id, picture.timeAt(at.x), filtersOf(this.panel), (related) => {
      if (picture.pointer === at && !this.drag && related.things.length)
        showTooltip(clientX, clientY, [...lines, ...linesOfRelated(related)]);
    });
  }

  // Asks what is at a point: the server lays the same picture out and looks.
  async point(at) {
    const { picture, panel } = this;
    if (!panel.view.point || !picture.scene || !this.inPlot(at.x, at.y)) return null;
    const plot = picture.plot();
    const bottom = picture.scene.frame.scroll_height ? picture.scroll : 0;
    // The request has only the plot's visible width, but the same first row, so y must
    // include the pixels that are scrolled off of that row.
    const drawn = picture.scene.frame.scroll;
    const wish = {
      ...picture.wish(),
      begin: Math.floor(state.begin),
      end: Math.ceil(state.end),
      width: picture.width,
    };
    if (picture.scene.frame.scroll_height) wish.scroll = Math.floor(drawn);
    const inPinned = at.y < plot.y + picture.scene.frame.pinned;
    const y = at.y + (inPinned || !picture.scene.frame.scroll_height ? 0 : bottom - drawn);
    try {
      return await askJson('point/' + picture.view.name, {
        ...wish,
        panel: undefined,
        point_x: Math.floor(at.x),
        point_y: Math.floor(y),
      });
    } catch {
      return null; // a tooltip is not worth a message
    }
  }

  // Returns the entity at a point: the mark's, or else the one that the server finds there.
  async thing(at) {
    const { scene } = this.picture;
    const found =
      scene && !this.nearest ? markAt(scene, at.x, at.y, this.picture.move()) : null;
    return found?.about.id || (await this.point(at))?.id;
  }

  menu(event) {
    const at = this.at(event),
      { picture } = this;
    const row = picture.scene && rowAt(picture.scene, at.y, picture.move());
    event.preventDefault();
    if (row) return this.panel.rowMenu(row.about, event.clientX, event.clientY);
    this.thing(at).then(
      (id) => id && this.panel.thingMenu(id, event.clientX, event.clientY),
    );
  }
}
