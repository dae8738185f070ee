// SPDX-License-Identifier: Apache-2.0
// The page's rasters (raster.js), outside of a browser: what it makes of bands is what weft
// itself makes of them in a scene.  TAP on standard output; SOURCE names the source folder,
// WEFT the program.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { strict as assert } from 'node:assert';

globalThis.ImageData = class {
  constructor(data, width, height) {
    Object.assign(this, { data, width, height });
  }
};
const source = readFileSync(process.env.SOURCE + '/src/serve/page/raster.js', 'utf8');
const { imageOf } = await import('data:text/javascript,' + encodeURIComponent(source));
const folder = mkdtempSync(tmpdir() + '/raster-');

// THREADS threads change between five states, at random times.
function trace(threads) {
  const lines = [
    '%EventDef PajeDefineContainerType 0\n%Alias string\n%Type string\n%Name string\n%EndEventDef',
    '%EventDef PajeDefineStateType 1\n%Alias string\n%Type string\n%Name string\n%EndEventDef',
    '%EventDef PajeCreateContainer 2\n%Time date\n%Alias string\n%Type string\n%Container string\n%Name string\n%EndEventDef',
    '%EventDef PajeSetState 3\n%Time date\n%Type string\n%Container string\n%Value string\n%EndEventDef',
    '0 T 0 Thread\n1 S T State',
  ];
  for (let t = 0; t < threads; t++) lines.push(`2 0 t${t} T 0 thread${t}`);
  let seed = 7;
  const dice = (n) => (seed = (seed * 48271) % 0x7fffffff) % n;
  for (let at = 0; at < 400 * threads; at++)
    lines.push(`3 ${at / 1000} S t${dice(threads)} state${dice(5)}`);
  const file = `${folder}/${threads}.trace`;
  writeFileSync(file, lines.join('\n') + '\n');
  return file;
}

function render(file, format, height, more) {
  return execFileSync(process.env.WEFT,
    ['render', 'space-time', file, '--format', format, '--size', `700x${height}`, '-o', '-', ...more],
    { maxBuffer: 1 << 28 });
}

const rasters = (scene) => scene.layers.flatMap((layer) => layer.marks.filter((m) => ['raster', 'bands'].includes(m[0])));

function compare(threads, height, more = []) {
  const file = trace(threads);
  const wanted = rasters(JSON.parse(render(file, 'scene', height, more)));
  const bytes = render(file, 'packed', height, more);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const length = bytes.readUInt32LE(8);
  const scene = { ...JSON.parse(bytes.toString('utf8', 12, 12 + length)), buffer, pixels: 12 + length };
  const found = rasters(scene);
  assert.ok(found.some((mark) => mark[0] === 'bands'));
  assert.equal(found.length, wanted.length);
  found.forEach((mark, i) => {
    assert.deepEqual(mark.slice(1, 7), wanted[i].slice(1, 7));
    assert.ok(Buffer.from(wanted[i][7], 'base64').equals(Buffer.from(imageOf(scene, mark).data)));
  });
}

const tests = {
  'piles of tall rows': () => compare(3, 400),
  'lines of thin rows': () => compare(200, 300),
  'rows of three pixels': () => compare(60, 240),
  'a row higher than a pile can be': () => compare(1, 600),
  'in black and white': () => compare(20, 300, ['--theme', 'mono']),
};
let at = 0, failed = 0;
console.log('1..' + Object.keys(tests).length);
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    console.log(`ok ${++at} ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${++at} ${name}\n# ${String(error.stack).split('\n').slice(0, 4).join('\n# ')}`);
  }
}
process.exit(failed ? 1 : 0);
