// SPDX-License-Identifier: Apache-2.0
// Settings that are too long for an address, kept by the server under a key that stands for them
// (src/serve/kept.h).  The page knows the texts of the keys that it has seen.
import { askJson } from './api.js';
import { emit } from './state.js';

const LONGEST = 2000; // characters of a setting that goes into addresses as it is
const texts = new Map();
const isKey = (value) => /^@[0-9a-f]{32}$/.test(value || '');

// What a setting says: its own text, or that of its key; '' while that is on its way.
export function plain(value) {
  if (!isKey(value)) return value;
  if (!texts.has(value)) {
    texts.set(value, '');
    askJson('settings', { key: value }).then(({ text }) => { texts.set(value, text); emit('kept'); }, (error) => { texts.delete(value); emit('error', error.message); });
  }
  return texts.get(value);
}

export const isLong = (value) => typeof value === 'string' && value.length > LONGEST;

// The key that stands for a text.
export async function keep(text) {
  const { key } = await askJson('settings', {}, { post: text });
  texts.set(key, text);
  return key;
}
