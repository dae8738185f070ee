// SPDX-License-Identifier: Apache-2.0
// A scene as the server packs it (src/draw/json.c): decoding, drawing on a canvas, and
// finding what is under the pointer.  Independent of the meaning of marks.

import { imageOf } from './raster.js';

const FIXED = 0,
  MOVES_X = 1,
  MOVES_Y = 2;
const MANY = 400; // marks of a group; a larger group is drawn once, then moved
const fonts = {
  sans: "'Weft Sans', sans-serif",
  bold: "'Weft Sans', sans-serif",
  mono: "'Weft Mono', monospace",
};

const isRaster = (mark) => mark[0] === 'raster' || mark[0] === 'bands';

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

const colors = new Map(); // by the number in memory: red is the lowest byte
function colorOf(number) {
  let text = colors.get(number);
  if (!text) {
    if (colors.size > 5000) colors.clear();
    const byte = (shift) => (number >>> shift) & 255;
    text = `rgba(${byte(0)},${byte(8)},${byte(16)},${byte(24) / 255})`;
    colors.set(number, text);
  }
  return text;
}

function drawRects(context, mark, at) {
  const { boxes, fills, strokes, hatches, widths } = mark;
  let fill = -1,
    stroke = -1;
  for (let i = 0; i < mark[1]; i++) {
    const x = boxes[4 * i] * at.sx + at.tx,
      y = boxes[4 * i + 1] * at.sy + at.ty,
      w = boxes[4 * i + 2] * at.sx,
      h = boxes[4 * i + 3] * at.sy;
    if (fills[i] >>> 24) {
      if (fills[i] !== fill) {
        fill = fills[i];
        context.fillStyle = colorOf(fill);
      }
      context.fillRect(x, y, w, h);
    }
    if (hatches[i]) {
      hatch(
        context,
        hatches[i],
        x,
        y,
        w,
        h,
        ink(fills[i] >>> 24 ? light(fills[i]) > 128 : light(strokes[i]) < 128),
      );
      fill = -1;
    }
    if (widths[i]) {
      const width = widths[i] / 4;
      if (strokes[i] !== stroke) {
        stroke = strokes[i];
        context.strokeStyle = colorOf(stroke);
        context.lineWidth = width;
      }
      context.strokeRect(
        x + width / 2,
        y + width / 2,
        Math.max(0, w - width),
        Math.max(0, h - width),
      );
    }
  }
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
    last.marks += layer.marks.some((mark) => isRaster(mark) || mark[0] === 'rects')
      ? MANY + 1
      : layer.marks.length;
  }
  return groups;
}

export const release = (scene) => {
  for (const each of scene?.groups || []) each.canvas = null;
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

// The numbers of the hatches (weft_hatch in view/scene.h).
const DIAGONAL = 1,
  DOTS = 2,
  CROSS = 3,
  BACK_DIAGONAL = 4,
  HORIZONTAL = 5,
  VERTICAL = 6,
  GRID = 7;

function hatch(context, kind, x, y, w, h, color) {
  const step = 6; // pixels between the lines
  const from = (at) => Math.floor(at / step) * step;
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = color;
  context.fillStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  if (kind === DOTS) {
    for (let j = from(y); j < y + h; j += step)
      for (let i = from(x); i < x + w; i += step) context.rect(i + 2, j + 2, 1.5, 1.5);
    context.fill();
  }
  if (kind === DIAGONAL || kind === CROSS || kind === BACK_DIAGONAL) {
    for (let i = from(x - h); i < x + w; i += step) {
      if (kind !== BACK_DIAGONAL) {
        context.moveTo(i, y + h);
        context.lineTo(i + h, y);
      }
      if (kind !== DIAGONAL) {
        context.moveTo(i, y);
        context.lineTo(i + h, y + h);
      }
    }
    context.stroke();
  }
  if (kind === HORIZONTAL || kind === GRID)
    for (let j = from(y) + 0.5; j < y + h; j += step) {
      context.moveTo(x, j);
      context.lineTo(x + w, j);
    }
  if (kind === VERTICAL || kind === GRID)
    for (let i = from(x) + 0.5; i < x + w; i += step) {
      context.moveTo(i, y);
      context.lineTo(i, y + h);
    }
  if (kind >= HORIZONTAL) context.stroke();
  context.restore();
}

const light = (bytes) =>
  0.3 * (bytes & 255) + 0.59 * ((bytes >>> 8) & 255) + 0.11 * ((bytes >>> 16) & 255);
const lightOf = (color) =>
  light([5, 3, 1].reduce((all, i) => (all << 8) | parseInt(color.slice(i, i + 2), 16), 0));
const ink = (isDark) => (isDark ? 'rgba(0,0,0,.45)' : 'rgba(255,255,255,.5)');

// The colour of a hatch: black or white at half opacity, whichever contrasts with the fill;
// without a fill, as dark or light as the stroke.
export function hatchInk(fill, stroke = '#000000') {
  return ink(fill ? lightOf(fill) > 128 : lightOf(stroke) < 128);
}

function finish(context, paint) {
  if (paint.fill) {
    context.fillStyle = paint.fill;
    context.fill();
  }
  if (paint.stroke && paint.width) {
    context.strokeStyle = paint.stroke;
    context.lineWidth = paint.width;
    context.setLineDash(paint.dash ? [paint.dash, paint.dash] : []);
    context.stroke();
    if (paint.dash) context.setLineDash([]);
  }
}

function drawRect(context, mark, at) {
  const [, x0, y0, w0, h0] = mark,
    paint = mark[5];
  const x = x0 * at.sx + at.tx,
    w = w0 * at.sx,
    y = y0 * at.sy + at.ty,
    h = h0 * at.sy;
  if (paint.fill) {
    context.fillStyle = paint.fill;
    context.fillRect(x, y, w, h);
  }
  if (paint.hatch)
    hatch(context, paint.hatch, x, y, w, h, hatchInk(paint.fill, paint.stroke));
  if (paint.stroke && paint.width) {
    context.strokeStyle = paint.stroke;
    context.lineWidth = paint.width;
    context.strokeRect(
      x + paint.width / 2,
      y + paint.width / 2,
      Math.max(0, w - paint.width),
      Math.max(0, h - paint.width),
    );
  }
}

function drawGlyph(context, mark, at) {
  const [, which, x0, y0, size, angle] = mark,
    r = size / 2;
  context.save();
  context.translate(x0 * at.sx + at.tx, y0 * at.sy + at.ty);
  context.rotate(angle);
  context.beginPath();
  if (which === 'circle') context.arc(0, 0, r, 0, 2 * Math.PI);
  else {
    const shapes = {
      tick: [
        [-0.5, -r],
        [0.5, -r],
        [0.5, r],
        [-0.5, r],
      ],
      diamond: [
        [0, -r],
        [r, 0],
        [0, r],
        [-r, 0],
      ],
      triangle: [
        [0, -r],
        [r, r],
        [-r, r],
      ],
      square: [
        [-0.8 * r, -0.8 * r],
        [0.8 * r, -0.8 * r],
        [0.8 * r, 0.8 * r],
        [-0.8 * r, 0.8 * r],
      ],
      cross: [
        [-0.25 * r, -r],
        [0.25 * r, -r],
        [0.25 * r, -0.25 * r],
        [r, -0.25 * r],
        [r, 0.25 * r],
        [0.25 * r, 0.25 * r],
        [0.25 * r, r],
        [-0.25 * r, r],
        [-0.25 * r, 0.25 * r],
        [-r, 0.25 * r],
        [-r, -0.25 * r],
        [-0.25 * r, -0.25 * r],
      ],
      arrowhead: [
        [0, 0],
        [-size, -r * 0.8],
        [-size, r * 0.8],
      ],
    };
    for (const [i, j] of shapes[which]) context.lineTo(i, j);
    context.closePath();
  }
  finish(context, mark[6]);
  if (mark[6].hatch) hatchPath(context, [-r, -r, r, r], mark[6], still);
  context.restore();
}

// Fills the current path with the hatch.
function hatchPath(context, points, paint, at) {
  const xs = points.filter((_, i) => i % 2 === 0).map((x) => x * at.sx + at.tx);
  const ys = points.filter((_, i) => i % 2).map((y) => y * at.sy + at.ty);
  const x = Math.min(...xs),
    y = Math.min(...ys);
  context.save();
  context.clip();
  hatch(
    context,
    paint.hatch,
    x,
    y,
    Math.max(...xs) - x,
    Math.max(...ys) - y,
    hatchInk(paint.fill, paint.stroke),
  );
  context.restore();
}

export function drawMark(context, scene, mark, at, first) {
  switch (mark[0]) {
    case 'rect':
      drawRect(context, mark, at);
      break;
    case 'rects':
      drawRects(context, mark, at);
      break;
    case 'line':
    case 'polygon': {
      const points = mark[1];
      context.beginPath();
      for (let i = 0; i < points.length; i += 2)
        context.lineTo(points[i] * at.sx + at.tx, points[i + 1] * at.sy + at.ty);
      if (mark[0] === 'polygon') context.closePath();
      finish(context, mark[2]);
      if (mark[2].hatch) hatchPath(context, points, mark[2], at);
      break;
    }
    case 'sector': {
      const [, x, y, inner, outer, from, sweep, paint] = mark;
      context.beginPath();
      context.arc(x, y, outer, from, from + sweep);
      context.arc(x, y, inner, from + sweep, from, true);
      context.closePath();
      finish(context, paint);
      if (paint.hatch)
        hatchPath(context, [x - outer, y - outer, x + outer, y + outer], paint, still);
      break;
    }
    case 'glyph':
      drawGlyph(context, mark, at);
      break;
    case 'text': {
      const [, x, y, anchor, size, text, font, paint] = mark;
      context.font = `${font === 'bold' ? '700 ' : ''}${size}px ${fonts[font]}`;
      context.textAlign = anchor === 'middle' ? 'center' : anchor;
      context.fillStyle = paint.fill || '#000';
      // Labels of an axis are moved inwards where the picture's edge would cut them.
      const half = at.limit ? context.measureText(text).width / 2 : 0;
      const left = x * at.sx + at.tx;
      context.fillText(
        text,
        at.limit && left <= at.limit + 2 ? Math.min(left, at.limit - half - 2) : left,
        y * at.sy + at.ty,
      );
      break;
    }
    case 'raster':
    case 'bands':
      drawRaster(context, scene, mark, at, first);
      break;
  }
}

function drawRaster(context, scene, mark, at, first) {
  const [, x, y, w, h, columns, rows] = mark,
    data = imageOf(scene, mark);
  // Copy without scaling if nothing lies below and one pixel of the bitmap is one of the
  // canvas.
  if (first && context.plain && Math.round(w) === columns && Math.round(h) === rows) {
    context.putImageData(
      data,
      Math.round(x - context.originX),
      Math.round(y - context.originY),
    );
    return;
  }
  const canvas = document.createElement('canvas');
  canvas.width = columns;
  canvas.height = rows;
  canvas.getContext('2d').putImageData(data, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(
    canvas,
    Math.round(x * at.sx + at.tx),
    Math.round(y * at.sy + at.ty),
    Math.round(w * at.sx),
    h * at.sy,
  );
}

// Returns true if a tick or label of an axis has left the plot: it is not drawn.
function outsidePlot(mark, at) {
  const x = mark[0] === 'text' ? mark[1] : mark[0] === 'line' ? mark[1][0] : Infinity,
    place = x * at.sx + at.tx;
  return place < at.least - 0.5 || (mark[0] === 'text' && place > at.limit + 2);
}

// Returns true if a label of an axis would touch the moment's label: it is not drawn.
function isTaken(context, mark, at) {
  if (!at.taken || mark[0] !== 'text' || mark[2] > at.taken.bottom) return false;
  context.font = `${mark[4]}px ${fonts[mark[6]]}`;
  const x = mark[1] * at.sx + at.tx,
    half = context.measureText(mark[5]).width / 2 + 4;
  return x + half > at.taken.left && x - half < at.taken.right;
}

function drawLayers(context, scene, layers, at, clip) {
  let first = true;
  for (const layer of layers) {
    context.save();
    const [x, y, w, h] = layer.clip;
    if (clip) {
      context.beginPath();
      context.rect(x * at.sx + at.tx, y * at.sy + at.ty, w * at.sx, h * at.sy);
      context.clip();
    }
    for (const mark of layer.marks) {
      if (at.limit && (outsidePlot(mark, at) || isTaken(context, mark, at))) continue;
      first &&= isRaster(mark);
      drawMark(context, scene, mark, at, first);
    }
    context.restore();
  }
}

// Draws a large group on a canvas of its own, with the size of its layers' clips.
function prepare(scene, each, ratio) {
  const left = Math.min(...each.layers.map((l) => l.clip[0])),
    top = Math.min(...each.layers.map((l) => l.clip[1]));
  const right = Math.max(...each.layers.map((l) => l.clip[0] + l.clip[2]));
  const bottom = Math.max(...each.layers.map((l) => l.clip[1] + l.clip[3]));
  const x = Math.floor(left),
    y = Math.floor(top);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.ceil((right - x) * ratio));
  canvas.height = Math.max(1, Math.ceil((bottom - y) * ratio));
  const context = canvas.getContext('2d');
  context.plain = ratio === 1;
  context.originX = x;
  context.originY = y;
  context.setTransform(ratio, 0, 0, ratio, -x * ratio, -y * ratio);
  drawLayers(context, scene, each.layers, still, false);
  each.canvas = canvas;
  each.box = [x, y, canvas.width / ratio, canvas.height / ratio];
}

// Draws the scene, moved; PLOT is the present place of the data, which clips all that
// moves.
export function draw(context, scene, move, plot, ratio) {
  for (const each of scene.groups) {
    const zooms = move.uniform && each.moves;
    const at = zooms || move.uniform ? still : place(each.moves, move);
    context.save();
    clipMoving(context, each, plot, scene);
    if (zooms) {
      context.translate(move.tx, move.ty);
      context.scale(move.scale, move.scale);
    }
    const redrawn = move.pointwise && each.moves && (at.sx !== 1 || at.sy !== 1);
    if (redrawn) drawLayers(context, scene, each.layers, at, false);
    else if (each.marks > MANY) {
      if (!each.canvas || each.ratio !== ratio) {
        prepare(scene, each, ratio);
        each.ratio = ratio;
      }
      const [x, y, w, h] = each.box;
      context.imageSmoothingEnabled = false; // crisp and fast while it moves
      context.drawImage(each.canvas, x * at.sx + at.tx, y + at.ty, w * at.sx, h);
    } else {
      drawLayers(context, scene, each.layers, at, true);
    }
    context.restore();
  }
}

export function clipMoving(context, each, plot, scene) {
  if (each.moves === FIXED) return;
  context.beginPath();
  const axis = each.moves === MOVES_X; // labels above the plot belong to it
  const pinned = scene.frame.pinned;
  const x = each.moves & MOVES_X ? plot.x - (axis ? 40 : 0) : 0;
  const right = plot.x + plot.width + (axis ? 8 : 0);
  const y = axis ? 0 : plot.y + (each.moves & MOVES_Y ? pinned : 0);
  context.rect(x, y, right - x, plot.y + plot.height - y);
  context.clip();
}

// ---- Under the pointer ----

function distance(points, x, y, at) {
  let best = Infinity;
  for (let i = 0; i + 3 < points.length; i += 2) {
    const ax = points[i] * at.sx + at.tx,
      ay = points[i + 1] * at.sy + at.ty;
    const dx = points[i + 2] * at.sx + at.tx - ax,
      dy = points[i + 3] * at.sy + at.ty - ay;
    const t = Math.max(
      0,
      Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)),
    );
    best = Math.min(best, Math.hypot(x - ax - t * dx, y - ay - t * dy));
  }
  return best;
}

function contains(points, x, y, at) {
  let inside = false;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    const xi = points[i] * at.sx + at.tx,
      yi = points[i + 1] * at.sy + at.ty;
    const xj = points[j] * at.sx + at.tx,
      yj = points[j + 1] * at.sy + at.ty;
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

function touches(mark, x, y, at) {
  switch (mark[0]) {
    case 'rect': {
      const left = mark[1] * at.sx + at.tx,
        width = mark[3] * at.sx,
        spare = width < 3 ? 1 : 0,
        top = mark[2] * at.sy + at.ty;
      return (
        x >= left - spare &&
        x < left + width + spare &&
        y >= top &&
        y < top + mark[4] * at.sy
      );
    }
    case 'line':
      return distance(mark[1], x, y, at) < 4;
    case 'polygon':
      return contains(mark[1], x, y, at);
    case 'sector': {
      const [, cx, cy, inner, outer, from, sweep] = mark,
        r = Math.hypot(x - cx, y - cy);
      const angle = (Math.atan2(y - cy, x - cx) - from + 8 * Math.PI) % (2 * Math.PI);
      return r >= inner && r <= outer && angle <= sweep;
    }
    case 'glyph':
      return (
        Math.hypot(x - mark[2] * at.sx - at.tx, y - mark[3] * at.sy - at.ty) <=
        Math.max(5, mark[4] / 2)
      );
    case 'text':
      return (
        y > mark[2] + at.ty - mark[4] - 2 &&
        y < mark[2] + at.ty + 4 &&
        x >= mark[1] - 3 &&
        x < mark[1] + 13
      );
    default:
      return false;
  }
}

function rectAt(mark, x, y, at) {
  const { boxes } = mark;
  for (let i = mark[1] - 1; i >= 0; i--) {
    const top = boxes[4 * i + 1] * at.sy + at.ty;
    if (y < top || y >= top + boxes[4 * i + 3] * at.sy) continue;
    const left = boxes[4 * i] * at.sx + at.tx,
      width = boxes[4 * i + 2] * at.sx;
    if (x >= left && x < left + width) return rectOf(mark, i);
  }
  return null;
}

// Returns the topmost mark at a point that has an id, a row, an action or a title.
export function markAt(scene, x, y, move) {
  for (let l = scene.layers.length - 1; l >= 0; l--) {
    const layer = scene.layers[l],
      at = place(layer.moves, move);
    for (let m = layer.marks.length - 1; m >= 0; m--) {
      const mark = layer.marks[m],
        about = mark[mark.length - 1];
      if (mark[0] === 'rects') {
        const rect = rectAt(mark, x, y, at);
        if (rect) return { mark: rect, about: rect[5], at };
        continue;
      }
      if ((about.id || about.row || about.action || about.title) && touches(mark, x, y, at))
        return { mark, about, at };
    }
  }
  return null;
}

// Returns the row at a height: the mark of its head, wherever the pointer is along it.
export function rowAt(scene, y, move) {
  for (const layer of scene.layers) {
    const at = place(layer.moves, move);
    for (const mark of layer.marks) {
      const about = mark[mark.length - 1];
      if (about.row && y >= mark[2] + at.ty && y < mark[2] + at.ty + mark[4])
        return { mark, about, y: mark[2] + at.ty, height: mark[4] };
    }
  }
  return null;
}

// Returns all rows between two heights; of headings alone, all that is below them.
export function rowsBetween(scene, y0, y1, move) {
  const rows = [],
    headings = [];
  for (const layer of scene.layers) {
    const at = place(layer.moves, move);
    for (const mark of layer.marks) {
      const about = mark[mark.length - 1];
      if (
        about.row &&
        mark[2] + at.ty < y1 &&
        mark[2] + at.ty + mark[4] > y0 &&
        !rows.includes(about.row)
      )
        (about.heading ? headings : rows).push(about.row);
    }
  }
  return rows.length ? rows : headings.map((row) => row.replace('+', '') + '+');
}

// The titles of rows, by their ids.
export function titlesOfRows(scene, rows) {
  const titles = new Map();
  for (const { marks } of scene.layers)
    for (const mark of marks) {
      const { row, title } = mark[mark.length - 1];
      if (row) titles.set(row, title.replace(/ \([^()]*\)$/, ''));
    }
  return rows.map((row) => titles.get(row) ?? titles.get(row.replace('+', '')) ?? row);
}

// All marks of an entity, and where they are.
export function* marksOf(scene, id, move) {
  for (const layer of scene.layers) {
    const at = place(layer.moves, move),
      { moves } = layer;
    for (const mark of layer.marks) {
      if (mark[0] === 'rects') {
        for (let i = 0; i < mark[1]; i++)
          if (idOf(mark, i) === id) yield { mark: rectOf(mark, i), at, moves };
      } else if (mark[mark.length - 1].id === id) yield { mark, at, moves };
    }
  }
}

// The first of them, for outlining the picked entity.
export const markOf = (scene, id, move) => marksOf(scene, id, move).next().value || null;
