// SPDX-License-Identifier: Apache-2.0
// Lines of places: what dragging a node of a picture changes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const source = readFileSync(new URL('../../src/serve/page/node_places.js', import.meta.url), 'utf8');
const { asFile, placed } = await import('data:text/javascript,' + encodeURIComponent(source));

const words = ['ring', 'mesh'];

test('the first node that is moved replaces a word', () => {
  assert.equal(placed('ring', words, '3', 0.25, 0.5), '3 0.25 0.5');
});
test('a node has one line, the last', () => {
  assert.equal(placed('3 0.25 0.5;10 1 0', words, '3', 0.5, 0.75), '10 1 0;3 0.5 0.75');
  assert.equal(placed('13 0 0\n3 1 1', words, '3', 0, 0), '13 0 0;3 0 0');
});
test('comments and empty lines of a file are left out', () => {
  assert.equal(placed('# mine\n\n 1 0.1 0.2 # left\n', words, '0', 1, 1), '1 0.1 0.2;0 1 1');
});
test('nothing is placed beyond the plot', () => {
  assert.equal(placed('', words, '0', -0.5, 1.01), '0 0 1');
  assert.equal(placed('', words, '0', 1 / 3, 2 / 3), '0 0.3333 0.6667');
});
test('a file has a line for each', () => {
  assert.equal(asFile('0 0 1;2 1 0'), '0 0 1\n2 1 0\n');
});
