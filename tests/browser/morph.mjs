// SPDX-License-Identifier: Apache-2.0
// How pictures go over into one another when something is opened or closed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const source = readFileSync(new URL('../../src/serve/page/morph.js', import.meta.url), 'utf8');
const { LENGTH, Morph, alphaOf, boxOf, rateOf, ratioAt } = await import('data:text/javascript,' + encodeURIComponent(source));

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const scene = (marks) => ({ layers: [{ moves: 3, marks }] });
const rect = (id, x, y, w, h) => ['rect', x, y, w, h, { id }];

test('it begins and ends slowly as the formulas say', () => {
  for (const [ratio, open, shut] of [[0, 0, 1], [0.5, 0.75, 0.25], [1, 1, 0]]) {
    near(rateOf(ratio, true), open);
    near(rateOf(ratio, false), shut);
  }
  near(alphaOf(0.5, true), 0.25);
  near(alphaOf(0.5, false), 0.75);
});
test('the ratio at which it turns round is that of the same rate', () => {
  for (let rate = 0; rate <= 1; rate += 0.05) for (const opening of [true, false]) near(rateOf(ratioAt(rate, opening), opening), rate);
});
test('what turns round goes on from where it is', () => {
  const morph = new Morph(scene([]), scene([]), '1', true, 1000);
  const before = rateOf(morph.ratio(1100), morph.opening);
  morph.reverse(1100);
  assert.equal(morph.opening, false);
  near(rateOf(morph.ratio(1100), morph.opening), before);
  assert.equal(morph.isOver(1100 + LENGTH), true);
});
test('things go from one place to the other, and new ones come out of what is opened', () => {
  const small = scene([rect('1', 0, 0, 10, 10), rect('2', 0, 40, 10, 10)]);
  const large = scene([rect('1', 0, 0, 100, 100), rect('3', 50, 50, 10, 10), rect('2', 0, 140, 10, 10)]);
  const morph = new Morph(small, large, '1', true, 0), drawn = [];
  const context = {};
  morph.draw(context, LENGTH / 2, (c, from, mark, at) => {
    const box = boxOf(mark);
    drawn.push([mark[5].id, from === large, c.globalAlpha, box[0] * at.sx + at.tx, box[1] * at.sy + at.ty, box[2] * at.sx + at.tx, box[3] * at.sy + at.ty]);
  });
  assert.deepEqual(drawn, [ // three quarters of the way
    ['1', true, 0.25, 0, 0, 77.5, 77.5],
    ['3', true, 0.25, 37.5, 37.5, 47.5, 47.5],
    ['2', true, 1, 0, 115, 10, 125],
    ['1', false, 0.25, 0, 0, 77.5, 77.5],
  ]);
  assert.equal(context.globalAlpha, 1);
});
test('a scene that is moved is shown where it is moved to', () => {
  const small = scene([rect('1', 0, 0, 10, 10)]), large = { ...scene([rect('1', 30, 0, 10, 10)]), shift: [-30, 0] };
  const morph = new Morph(small, large, '1', true, 0), lefts = [];
  morph.draw({}, LENGTH / 2, (c, from, mark, at) => lefts.push(boxOf(mark)[0] * at.sx + at.tx));
  assert.deepEqual(lefts, [0, 0]);
});
test('what is opened stands in between, where a click finds it', () => {
  const small = scene([rect('1', 0, 0, 10, 10)]), large = scene([rect('1', 0, 20, 100, 100)]);
  const morph = new Morph(small, large, '1', true, 0);
  assert.deepEqual(morph.boxNow(LENGTH / 2), [0, 15, 77.5, 92.5]); // three quarters of the way
  morph.reverse(LENGTH / 2);
  morph.boxNow(LENGTH / 2).forEach((each, i) => near(each, [0, 15, 77.5, 92.5][i]));
  assert.equal(new Morph(small, large, null, true, 0).boxNow(0), null, 'a whole level is nowhere');
});
