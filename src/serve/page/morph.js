// SPDX-License-Identifier: Apache-2.0
// The transition between two pictures when things are opened or closed, after DAGViz (Huynh
// 2015, section 3.5.1): marks move between their places in the picture with less and the
// picture with more; marks that are only in the latter come out of the opened thing.

export const LENGTH = 400; // ms

// How far open a thing is, 0 to 1, when RATIO of the time has passed; and the inverse, for
// turning round.
export const rateOf = (ratio, opening) =>
  opening ? 1 - (1 - ratio) ** 2 : (1 - ratio) ** 2;
export const ratioAt = (rate, opening) =>
  opening ? 1 - Math.sqrt(1 - rate) : 1 - Math.sqrt(rate);
// The opacity of marks that fade in while opening, and out while closing.
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

// Returns the box of each thing of a scene, by id: the outermost mark's, which comes first.
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

// Returns the transformation of one box into another: texts and outlines keep their size.
function mapping(from, to) {
  const sx = from[2] > from[0] ? (to[2] - to[0]) / (from[2] - from[0]) : 1;
  const sy = from[3] > from[1] ? (to[3] - to[1]) / (from[3] - from[1]) : 1;
  return { sx, sy, tx: to[0] - from[0] * sx, ty: to[1] - from[1] * sy, scale: 1 };
}

export class Morph {
  // SMALL is the scene with less, LARGE the one with more; ORIGIN is the id of the thing
  // that is opened or closed.
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

  // The box of the opened or closed thing as it is drawn now, in pixels of a picture; null
  // if it has none.
  boxNow(now) {
    const [small, large] = this.boxes.map((each) => each.get(this.origin));
    return small && large
      ? between(small, large, rateOf(this.ratio(now), this.opening))
      : null;
  }

  // Turns round from the present state.
  reverse(now) {
    const rate = rateOf(this.ratio(now), this.opening);
    this.opening = !this.opening;
    this.started = now - ratioAt(rate, this.opening) * LENGTH;
  }

  // Sets the requested frame, which the transition leads to.
  take(scene) {
    const at = this.opening ? 1 : 0;
    if (this.opening) this.large = scene;
    else this.small = scene;
    this.boxes[at] = boxesOf(scene);
  }

  // DRAW_MARK(context, scene, mark, at) draws one mark.
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
    // The box of a mark where its scene is shown: scenes may be shifted.
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
