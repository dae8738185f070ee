// SPDX-License-Identifier: Apache-2.0
// Finds marks of scenes (scene.js): those at a point, those of rows, those of an entity.
import { idOf, place, rectOf } from './scene.js';

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
