// SPDX-License-Identifier: Apache-2.0
// The page's worker: it draws the large groups of a frame, so that the page goes on moving
// the last one meanwhile (framing.js).
import { prepare } from './scene_draw.js';
import { decode, MANY } from './scene.js';

let fonts = null;

// FACES: [family, source, weight] of each font of the page.
function loadFonts(faces) {
  return Promise.allSettled(
    faces.map(([family, source, weight]) => {
      const font = new FontFace(family, source, { weight });
      self.fonts.add(font);
      return font.load();
    }),
  );
}

function drawGroups(scene, ratio) {
  const made = [];
  scene.groups.forEach((each, index) => {
    if (each.marks <= MANY) return;
    prepare(scene, each, ratio);
    made.push({ index, canvas: each.canvas.transferToImageBitmap(), box: each.box });
  });
  return made;
}

self.onmessage = async ({ data: { faces, number, buffer, ratio } }) => {
  if (faces) {
    fonts = loadFonts(faces);
    return;
  }
  await fonts;
  let made = [];
  try {
    made = drawGroups(decode(buffer), ratio);
  } catch {
    // a canvas may be too large for this browser: the page draws what it can
  }
  self.postMessage(
    { number, made },
    made.map(({ canvas }) => canvas),
  );
};
