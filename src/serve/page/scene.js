// SPDX-License-Identifier: Apache-2.0
// A scene as the server packs it (src/draw/packed.c): decoding, and where it is when the
// window moves.  scene_draw.js draws it, scene_search.js finds what is under the pointer.
// Independent of the meaning of marks.

const FIXED = 0,
  MOVES_X = 1,
  MOVES_Y = 2;
export const moves = { FIXED, MOVES_X, MOVES_Y };
export const MANY = 400; // marks of a group; a larger group is drawn once, then moved
export const isRaster = (mark) => mark[0] === 'raster' || mark[0] === 'bands';

export function decode(buffer) {
  const head = new DataView(buffer);
  const length = head.getUint32(8, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 12, length));
  const scene = JSON.parse(text);
  scene.pixels = 12 + length;
  for (const layer of scene.layers)
    for (const mark of layer.marks)
      if (mark[0] === 'rects') unpackRects(mark, buffer, scene.pixels + mark[2]);
  scene.buffer = buffer;
  if (scene.frame.begin !== undefined) {
    scene.hasTime = true;
    scene.frame.begin = BigInt(scene.frame.begin);
    scene.frame.end = BigInt(scene.frame.end);
  }
  scene.groups = group(scene.layers);
  return scene;
}

// Rectangles come in arrays of numbers, since an object for each would be slow.
function unpackRects(mark, buffer, at) {
  const n = mark[1];
  mark.boxes = new Float32Array(buffer, at, 4 * n);
  mark.fills = new Uint32Array(buffer, (at += 16 * n), n);
  mark.strokes = new Uint32Array(buffer, (at += 4 * n), n);
  mark.ids = new Uint32Array(buffer, (at += 4 * n), 2 * n);
  mark.hatches = new Uint8Array(buffer, (at += 8 * n), n);
  mark.widths = new Uint8Array(buffer, at + n, n);
}

export function idOf(mark, i) {
  const id = (BigInt(mark.ids[2 * i + 1]) << 32n) | BigInt(mark.ids[2 * i]);
  return id === 0xffffffffffffffffn ? undefined : String(id);
}

// Returns one of those rectangles as an object like the other marks.
export function rectOf(mark, i) {
  const [x, y, w, h] = mark.boxes.subarray(4 * i, 4 * i + 4),
    f = mark.fills[i];
  const fill =
    '#' +
    [0, 8, 16].map((shift) => ((f >>> shift) & 255).toString(16).padStart(2, '0')).join('');
  return ['rect', x, y, w, h, { id: idOf(mark, i), fill }];
}

// Neighbouring layers that move alike form a group; a group with many marks is drawn once
// onto a canvas of its own, which is then moved.
function group(layers) {
  const groups = [];
  for (const layer of layers) {
    if (!layer.marks.length) continue;
    let last = groups[groups.length - 1];
    if (!last || last.moves !== layer.moves)
      groups.push((last = { moves: layer.moves, layers: [], marks: 0 }));
    last.layers.push(layer);
    for (const mark of layer.marks)
      last.marks += isRaster(mark) ? MANY + 1 : mark[0] === 'rects' ? mark[1] : 1;
  }
  return groups;
}

export const release = (scene) => {
  for (const each of scene?.groups || []) {
    each.canvas?.close?.();
    each.canvas = null;
  }
};

// The place of a moving scene on the canvas: x * sx + tx, y * sy + ty.
export const still = { sx: 1, sy: 1, tx: 0, ty: 0, scale: 1 };

export function place(moves, move) {
  if (move.uniform) return still; // its frame arrives in a moment
  const x = moves & MOVES_X,
    y = moves & MOVES_Y;
  return {
    sx: x ? move.sx : 1,
    sy: y ? (move.sy ?? 1) : 1,
    tx: x ? move.tx : 0,
    ty: y ? move.ty : 0,
    limit: moves === MOVES_X ? move.limit : 0,
    least: move.least,
    taken: move.taken,
  };
}
