// SPDX-License-Identifier: Apache-2.0
// Makes scenes of the frames of the server.  A worker draws what is large in them; without
// one, the page does when it shows them.
import source from 'frame_worker.txt';
import { decode, MANY } from './scene.js';

const waiting = new Map(); // by number of the frame
let worker,
  frames = 0;

// [family, source, weight] of each font of the page.
function faces() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .map(({ style }) =>
      ['font-family', 'src', 'font-weight'].map((name) => style.getPropertyValue(name)),
    );
}

function finish(number, made) {
  waiting.get(number)?.(made);
  waiting.delete(number);
}

function start() {
  if (worker !== undefined) return;
  worker = null;
  if (typeof OffscreenCanvas === 'undefined') return;
  try {
    const script = new Blob([source], { type: 'text/javascript' });
    worker = new Worker(URL.createObjectURL(script));
  } catch {
    return; // the browser forbids it
  }
  worker.onmessage = ({ data }) => finish(data.number, data.made);
  worker.onerror = () => {
    worker = null;
    for (const number of [...waiting.keys()]) finish(number, []);
  };
  worker.postMessage({ faces: faces() });
}

// Returns the scene of a frame, whose large groups are drawn for RATIO pixels a unit.
export async function sceneOf(buffer, ratio) {
  const scene = decode(buffer);
  if (!scene.groups.some((each) => each.marks > MANY)) return scene;
  start();
  if (!worker) return scene;
  const number = ++frames;
  const made = await new Promise((done) => {
    waiting.set(number, done);
    worker.postMessage({ number, buffer, ratio });
  });
  for (const { index, canvas, box } of made)
    Object.assign(scene.groups[index], { canvas, box, ratio });
  return scene;
}
