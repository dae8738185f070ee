// SPDX-License-Identifier: Apache-2.0
// Zooms and moves the picture of a panel, by the wheel, by keys and by a glide.
import { emit } from './state.js';

const GLIDE = 400; // ms

export const WithZoom = (Base) =>
  class extends Base {
    parameterOf(kind) {
      return this.view.parameters.find((p) => p.kind === kind);
    }

    // Enlarges by FACTOR about the point AT, or moves by DX, DY.  The present frame is
    // shown enlarged or moved until the next one arrives.
    zoomBy(factor, at, dx = 0, dy = 0) {
      if (this.picture.scene?.frame.zoom) return this.zoomShape(factor, factor, at, dx, dy);
      const zoom = this.parameterOf('zoom'),
        x = this.parameterOf('place_x'),
        y = this.parameterOf('place_y');
      const frame = this.picture.scene?.frame;
      if (!zoom || !x || !y || !frame?.anchor) return;
      const now = (p) => Number(this.settings[p.name] ?? p.fallback);
      // If the picture shows the plot twice, a point in the second one stands for the same
      // point in the first.
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

    // Does the same with different factors for widths and heights.
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

    // Does what the view's wheel parameter says; false: the wheel zooms both ways.
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
              Math.max(number.minimum, Math.min(number.maximum, now * factor)).toPrecision(
                6,
              ),
            ),
          );
      }
      return true;
    }

    // Goes to a thing that the view marks, and whose place it tells.
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

    // The frame with its place has arrived: moves there unless it is well in sight.
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
        // Moves the anchor so that the thing goes to the middle on a straight line.
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

    // Shows the whole picture again.
    unzoom() {
      for (const kind of ['zoom', 'tall', 'place_x', 'place_y'])
        delete this.settings[this.parameterOf(kind)?.name];
    }

    zooms() {
      return Boolean(this.mode === 'picture' && this.picture.scene?.frame.anchor);
    }

    // Does what one key press does: zooms by FACTOR about the pointer, or moves by parts of
    // the plot's size.
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
  };
