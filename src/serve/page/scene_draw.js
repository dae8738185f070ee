// SPDX-License-Identifier: Apache-2.0
// Draws scenes (scene.js) on a canvas, in the page or in its worker.
import { imageOf } from './raster.js';
import { isRaster, MANY, moves, place, still } from './scene.js';

const { FIXED, MOVES_X, MOVES_Y } = moves;
const fonts = {
  sans: "'Weft Sans', sans-serif",
  bold: "'Weft Sans', sans-serif",
  mono: "'Weft Mono', monospace",
};

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

// A canvas that is never shown.
const hidden = (width, height) =>
  typeof OffscreenCanvas === 'undefined'
    ? Object.assign(document.createElement('canvas'), { width, height })
    : new OffscreenCanvas(width, height);

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
  const canvas = hidden(columns, rows);
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
export function prepare(scene, each, ratio) {
  const left = Math.min(...each.layers.map((l) => l.clip[0])),
    top = Math.min(...each.layers.map((l) => l.clip[1]));
  const right = Math.max(...each.layers.map((l) => l.clip[0] + l.clip[2]));
  const bottom = Math.max(...each.layers.map((l) => l.clip[1] + l.clip[3]));
  const x = Math.floor(left),
    y = Math.floor(top);
  const canvas = hidden(
    Math.max(1, Math.ceil((right - x) * ratio)),
    Math.max(1, Math.ceil((bottom - y) * ratio)),
  );
  const context = canvas.getContext('2d');
  context.plain = ratio === 1;
  context.originX = x;
  context.originY = y;
  context.setTransform(ratio, 0, 0, ratio, -x * ratio, -y * ratio);
  drawLayers(context, scene, each.layers, still, false);
  each.canvas = canvas;
  each.ratio = ratio;
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
      if (!each.canvas || each.ratio !== ratio) prepare(scene, each, ratio);
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
