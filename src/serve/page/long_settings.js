// SPDX-License-Identifier: Apache-2.0
// Settings that are too long for an address, kept by the server under a key
// (src/serve/long_settings.h).  The page knows the texts of the keys that it has seen.
import { askJson } from './api.js';
import { emit } from './state.js';

const LONGEST = 2000; // characters of a setting that goes into addresses as it is
const texts = new Map(); // by key
const coming = new Map(); // by key: promises of texts that were requested
const isKey = (value) => /^@[0-9a-f]{32}$/.test(value || '');

export const isKnown = (value) => !isKey(value) || texts.has(value);

// Fetches the text of a key.
export function fetchText(key) {
  if (!coming.has(key)) {
    coming.set(
      key,
      askJson('settings', { key })
        .finally(() => coming.delete(key))
        .then(({ text }) => {
          texts.set(key, text);
          emit('kept');
        }),
    );
  }
  return coming.get(key);
}

// The text of a setting, itself or that of its key, for showing; '' until it has arrived.
// A change must wait until it is known (isKnown).
export function plain(value) {
  if (!isKey(value)) return value;
  if (!isKnown(value)) fetchText(value).catch((error) => emit('error', error.message));
  return texts.get(value) ?? '';
}

export const isLong = (value) => typeof value === 'string' && value.length > LONGEST;

// Keeps a text on the server and returns its key.
export async function keep(text) {
  const { key } = await askJson('settings', {}, { post: text });
  texts.set(key, text);
  return key;
}
