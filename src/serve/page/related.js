// SPDX-License-Identifier: Apache-2.0
// Lights things that belong to the one under the pointer: asks the server when the pointer
// rests, and outlines them in the pictures.
import { askJson } from './api.js';
import { idOf, place, rectOf } from './scene.js';
import { setRelated, state } from './state.js';

const REST = 60; // ms of rest until the server is asked
const MOST_LINES = 6; // in a tooltip
const MOST_NAMES = 4; // in a line
const LEAST = 5; // pixels of an outline's width and height

let resting = 0;
let asked = 0; // the number of the latest request: late answers to others are dropped

// Asks what belongs to ID at TIME (ticks), as FILTERS leave the trace, and tells DONE;
// null: to nothing.
export function relateTo(id, time, filters, done) {
  clearTimeout(resting);
  const mine = ++asked;
  if (!id) return setRelated(null);
  if (state.related && state.related.id !== id) setRelated(null);
  resting = setTimeout(async () => {
    try {
      const at = Math.floor(time);
      const related = await askJson('related', { trace: state.trace, id, at, filters });
      if (mine !== asked) return;
      setRelated(related);
      done?.(related);
    } catch {
      // an outline is not worth a message
    }
  }, REST);
}

// The names of related things, a line for each relation.
export function linesOfRelated({ things, cut }) {
  const then = things.find((thing) => thing.relation === 'the object then')?.name;
  const names = new Map();
  for (const { relation, of, name } of things) {
    if (relation === 'the object then') continue;
    const list = names.get(relation) || [];
    if (!list.includes(of || name)) list.push(of || name);
    names.set(relation, list);
  }
  return [...names].slice(0, MOST_LINES).map(([relation, list]) => {
    const rest = list.length - MOST_NAMES;
    const more = rest > 0 ? ` and ${rest}${cut ? ' or' : ''} more` : '';
    const text = list.slice(0, MOST_NAMES).join(', ') + more;
    return `${relation}: ${text}${relation === 'object' && then ? ` (${then} then)` : ''}`;
  });
}

// Calls RUN(mark, id, moves) for the marks of a scene whose ids are in the map WANTED.
// Whole ids are compared only where their lower halves are equal.
function eachWanted(scene, wanted, run) {
  const halves = new Set([...wanted.keys()].map((id) => Number(BigInt(id) & 0xffffffffn)));
  for (const { marks, moves } of scene.layers)
    for (const mark of marks) {
      const { id } = mark[mark.length - 1];
      if (mark[0] !== 'rects') {
        if (id && wanted.has(id)) run(mark, id, moves);
        continue;
      }
      for (let i = 0; i < mark[1]; i++)
        if (halves.has(mark.ids[2 * i]) && wanted.has(idOf(mark, i)))
          run(rectOf(mark, i), idOf(mark, i), moves);
    }
}

// The marks of a scene that show related things; for a thing that is drawn together with
// others its row's head and its times; for a container its row's head.
function marksOfRelated(scene, things) {
  const wanted = new Map(things.map((thing) => [thing.id, thing])),
    shown = new Set(),
    rows = new Map(),
    found = [];
  eachWanted(scene, wanted, (mark, id, moves) => {
    shown.add(id);
    found.push({ mark, moves });
  });
  for (const { marks, moves } of scene.layers)
    for (const mark of marks) {
      const { row } = mark[mark.length - 1];
      if (row && !rows.has(row.replace('+', '')))
        rows.set(row.replace('+', ''), { mark, moves });
    }
  for (const thing of things) {
    const head = rows.get(thing.row);
    if (!head || shown.has(thing.id)) continue;
    found.push(thing.relation === 'object' ? head : { ...head, thing });
  }
  return found;
}

// Outlines the related things in a picture.
export function outlineRelated(picture, context) {
  const { scene } = picture,
    { related } = state;
  if (!related || !scene?.hasTime) return;
  if (picture.lit?.scene !== scene || picture.lit.related !== related)
    picture.lit = { scene, related, marks: marksOfRelated(scene, related.things) };
  const move = picture.move();
  context.save();
  context.setLineDash([4, 2]);
  for (const { mark, moves, thing } of picture.lit.marks) {
    const at = place(moves, move);
    if (!thing) {
      picture.frameMark(context, { mark, at, moves }, LEAST);
      continue;
    }
    const left = picture.xAt(thing.begin),
      rect = ['rect', left, mark[2] + at.ty, picture.xAt(thing.end) - left, mark[4]];
    picture.frameMark(context, { mark: rect, at: place(0, move), moves: 3 }, LEAST);
  }
  context.restore();
}
