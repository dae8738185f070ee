// SPDX-License-Identifier: Apache-2.0
// Places of nodes in a picture, as lines "node x y"
// (src/domains/messages/model/node_diagram_layout.h), which dragging changes.  WORDS are
// the other values that such a setting may have.

const part = (at) => String(Math.round(Math.max(0, Math.min(1, at)) * 1e4) / 1e4);

// Returns TEXT with node ID at X, Y, parts of the plot's width and height; its other lines
// stay.
export function placed(text, words, id, x, y) {
  const lines = words.includes(text)
    ? []
    : text.split(/[\n;]/).map((line) => line.replace(/#.*/, '').trim());
  return [
    ...lines.filter((line) => line && line.split(/\s+/)[0] !== id),
    `${id} ${part(x)} ${part(y)}`,
  ].join(';');
}

// The same as the content of a file.
export const asFile = (text) => text.split(';').join('\n') + '\n';
