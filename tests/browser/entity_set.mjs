// SPDX-License-Identifier: Apache-2.0
// The page's sets of entities (entity_set.js), outside of a browser: against a plain Set, with
// texts that this file writes itself.  TAP on standard output; SOURCE names the source folder.
import { readFileSync } from 'node:fs';
import { strict as assert } from 'node:assert';

const source = readFileSync(process.env.SOURCE + '/src/serve/page/entity_set.js', 'utf8');
const { has, idOfRow, size, toggled } = await import('data:text/javascript,' + encodeURIComponent(source));

const CONTAINERS = 0xffffffn, END = 1n << 40n, ALL = 1n << 32n;
const id = (track, ordinal) => String(track << 40n | ordinal);
const set = (...ids) => ids.reduce((text, each) => toggled(text, each, false), '');

const tests = {
  'a click puts in, the next takes out': () => {
    assert.equal(toggled('', id(12n, 5n), false), 't12:5');
    assert.equal(toggled('t12:5', id(12n, 5n), false), '');
    assert.equal(toggled('t12:0-99999,100003;t13:5', id(12n, 500n), false), 't12:0-499,501-99999,100003;t13:5');
    assert.equal(toggled('t12:0-499,501-99999', id(12n, 500n), false), 't12:0-99999');
    assert.equal(toggled('t12:5;t13:7', id(12n, 5n), false), 't13:7');
    assert.equal(toggled('t1:5', id(1n, END - 1n), false), `t1:5,${END - 1n}`);
  },
  'tracks by number, containers last': () => {
    assert.equal(set(id(CONTAINERS, 3n), id(10n, 1n), id(9n, 1n), id(CONTAINERS, 2n)), 't9:1;t10:1;#2-3');
    assert.equal(set(id(CONTAINERS, ALL + 3n), id(CONTAINERS, 4n), id(CONTAINERS, ALL + 4n)), '#4,#3-4+');
  },
  'what others wrote is put in order': () =>
    assert.equal(toggled('t2:9,1-5,3-7;#4;t1:0', id(2n, 8n), false), 't1:0;t2:1-9;#4'),
  'nodes of a task DAG by their numbers': () => {
    assert.equal(toggled('node:5', id(0xfffffen, 7n), false), 't16777214:5,7');
    assert.equal(has('t1:3;node:5-9', id(0xfffffen, 7n), false), true);
    assert.equal(size('node:5-9', false), 5);
    assert.equal(toggled('processor:9', id(0xfffffdn, 9n), false), '');
    assert.equal(toggled('processor:9', id(0xfffffdn, 3n), false), 't16777213:3,9');
  },
  'a list of containers keeps its names': () => {
    assert.equal(toggled('', idOfRow('#5+'), true), '#5');
    assert.equal(toggled('#5', idOfRow('#5'), true), '');
    assert.equal(toggled('#5,#7+,main;t1:4,a thread+', idOfRow('#6'), true), 'main;t1:4,a thread+,#5-6,#7+');
    assert.equal(toggled('main,#6', idOfRow('#6'), true), 'main');
    assert.equal(has('main,#6', idOfRow('#6'), true), true);
    assert.equal(has('main,#6+', idOfRow('#6'), true), false);
    assert.equal(size('main,#6-9,#6+', true), 6);
    assert.equal(size('', true), 0);
  },
  'like a plain set': () => {
    let seed = 7;
    const roll = (n) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % 65536 % n;
    const starts = [END - 8n, (1n << 40n), (1n << 40n) * 5n + 70n, (CONTAINERS << 40n), (CONTAINERS << 40n) + ALL];
    const plain = new Set();
    let text = '';
    for (let step = 0; step < 5000; step++) {
      const each = String(starts[roll(starts.length)] + BigInt(roll(8)));
      text = toggled(text, each, false);
      if (!plain.delete(each)) plain.add(each);
      assert.equal(size(text, false), plain.size);
      for (const start of starts)
        for (let i = 0n; i < 8n; i++) assert.equal(has(text, String(start + i), false), plain.has(String(start + i)), text);
    }
  },
};

console.log(`1..${Object.keys(tests).length}`);
let number = 0, failed = 0;
for (const [name, run] of Object.entries(tests)) {
  number++;
  try {
    run();
    console.log(`ok ${number} - ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${number} - ${name}\n# ${error.message.replace(/\n/g, '\n# ')}`);
  }
}
process.exit(failed ? 1 : 0);
