// SPDX-License-Identifier: Apache-2.0 Where nodes of a picture stand, as lines "node x y"
// (src/model/placement.h): what dragging one changes.  WORDS are what such a setting may
// say instead of lines.

const part = (at) => String(Math.round(Math.max(0, Math.min(1, at)) * 1e4) / 1e4);

// TEXT with node ID at X, Y, parts of the plot's width and height; its other lines stay.
export function placed(text, words, id, x, y) {
  const lines = words.includes(text)
    ? []
    : text.split(/[\n;]/).map((line) => line.replace(/#.*/, '').trim());
  return [
    ...lines.filter((line) => line && line.split(/\s+/)[0] !== id),
    `${id} ${part(x)} ${part(y)}`,
  ].join(';');
}

// The same as people keep it in a file.
export const asFile = (text) => text.split(';').join('\n') + '\n';
