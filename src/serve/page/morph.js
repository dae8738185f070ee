// SPDX-License-Identifier: Apache-2.0 From one picture to the next while things in it are
// opened or closed, after DAGViz (Huynh 2015, section 3.5.1): marks go from where they
// stand in the picture with less to where they stand in the one with more, and what is only
// in the latter comes out of what is opened.

export const LENGTH = 400; // ms

// How far open something is, 0 to 1, when RATIO of the time has passed; and the ratio at
// which something is so far open: that of the other direction when it turns round.
export const rateOf = (ratio, opening) =>
  opening ? 1 - (1 - ratio) ** 2 : (1 - ratio) ** 2;
export const ratioAt = (rate, opening) =>
  opening ? 1 - Math.sqrt(1 - rate) : 1 - Math.sqrt(rate);
// How opaque is what fades in while opening, and out while closing.
export const alphaOf = (ratio, opening) => (opening ? ratio ** 2 : 1 - ratio ** 2);

const MOVES_BOTH = 3;

export function boxOf(mark) {
  switch (mark[0]) {
    case 'rect':
      return [mark[1], mark[2], mark[1] + mark[3], mark[2] + mark[4]];
    case 'glyph':
      return [
        mark[2] - mark[4] / 2,
        mark[3] - mark[4] / 2,
        mark[2] + mark[4] / 2,
        mark[3] + mark[4] / 2,
      ];
    case 'polygon': {
      const xs = mark[1].filter((_, i) => i % 2 === 0),
        ys = mark[1].filter((_, i) => i % 2);
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }
    default:
      return null;
  }
}

// Where each thing of a scene stands, by id: outer shapes come first and count.
function boxesOf(scene) {
  const boxes = new Map();
  for (const layer of scene.layers) {
    if (layer.moves !== MOVES_BOTH) continue;
    for (const mark of layer.marks) {
      const { id } = mark[mark.length - 1],
        box = id && boxOf(mark),
        [dx, dy] = scene.shift || [0, 0];
      if (box && !boxes.has(id))
        boxes.set(id, [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy]);
    }
  }
  return boxes;
}

export const boxOfId = (scene, id) => boxesOf(scene).get(id);

const between = (a, b, rate) => a.map((from, i) => from + (b[i] - from) * rate);

// What maps one box onto another: texts and outlines keep their size.
function mapping(from, to) {
  const sx = from[2] > from[0] ? (to[2] - to[0]) / (from[2] - from[0]) : 1;
  const sy = from[3] > from[1] ? (to[3] - to[1]) / (from[3] - from[1]) : 1;
  return { sx, sy, tx: to[0] - from[0] * sx, ty: to[1] - from[1] * sy, scale: 1 };
}

export class Morph {
  // SMALL is the scene with less, LARGE the one with more; ORIGIN is the id of what is
  // opened.
  constructor(small, large, origin, opening, now) {
    this.small = small;
    this.large = large;
    this.origin = origin;
    this.opening = opening;
    this.started = now;
    this.boxes = [boxesOf(small), boxesOf(large)];
  }

  ratio(now) {
    return Math.max(0, Math.min(1, (now - this.started) / LENGTH));
  }
  isOver(now) {
    return this.ratio(now) >= 1;
  }

  // Where what is opened or closed is drawn now, in the pixels of a picture; null: nowhere.
  boxNow(now) {
    const [small, large] = this.boxes.map((each) => each.get(this.origin));
    return small && large
      ? between(small, large, rateOf(this.ratio(now), this.opening))
      : null;
  }

  // Go back from where it is now.
  reverse(now) {
    const rate = rateOf(this.ratio(now), this.opening);
    this.opening = !this.opening;
    this.started = now - ratioAt(rate, this.opening) * LENGTH;
  }

  // The frame that was asked for has come: where it leads to.
  take(scene) {
    const at = this.opening ? 1 : 0;
    if (this.opening) this.large = scene;
    else this.small = scene;
    this.boxes[at] = boxesOf(scene);
  }

  // DRAW_MARK(context, scene, mark, at) draws one.
  draw(context, now, drawMark) {
    const ratio = this.ratio(now),
      rate = rateOf(ratio, this.opening),
      alpha = alphaOf(ratio, this.opening);
    const [small, large] = this.boxes,
      from = small.get(this.origin);
    const layers = (scene) => scene.layers.filter((layer) => layer.moves === MOVES_BOTH);
    const put = (scene, mark, at, opacity) => {
      if (opacity <= 0.01) return;
      context.globalAlpha = opacity;
      drawMark(context, scene, mark, at);
    };
    const plain = (scene) => ({
      sx: 1,
      sy: 1,
      tx: scene.shift?.[0] || 0,
      ty: scene.shift?.[1] || 0,
    });
    // A mark's box where its scene is shown: scenes may be moved against one another.
    const shown = (scene, mark) => {
      const own = boxOf(mark),
        [dx, dy] = scene.shift || [0, 0];
      return own && [own[0] + dx, own[1] + dy, own[2] + dx, own[3] + dy];
    };
    for (const layer of layers(this.large)) {
      for (const mark of layer.marks) {
        const { id } = mark[mark.length - 1],
          end = id && shown(this.large, mark);
        if (!end) {
          put(this.large, mark, plain(this.large), Math.max(0, 2 * rate - 1));
          continue;
        }
        const was = small.get(id),
          middle = [(end[0] + end[2]) / 2, (end[1] + end[3]) / 2];
        const begin = was || from || [...middle, ...middle];
        put(
          this.large,
          mark,
          mapping(boxOf(mark), between(begin, end, rate)),
          was && id !== this.origin ? 1 : alpha,
        );
      }
    }
    for (const layer of layers(this.small)) {
      for (const mark of layer.marks) {
        const { id } = mark[mark.length - 1],
          begin = id && shown(this.small, mark),
          then = large.get(id);
        if (!begin) put(this.small, mark, plain(this.small), Math.max(0, 1 - 2 * rate));
        else if (!then || id === this.origin)
          put(
            this.small,
            mark,
            mapping(boxOf(mark), between(begin, then || begin, rate)),
            1 - rate,
          );
      }
    }
    context.globalAlpha = 1;
  }
}
