// SPDX-License-Identifier: Apache-2.0
// The looks that a person keeps: the lines of a chain of filters that only say how things
// look (colours, names, shapes, heights).  A trace that is opened without a chain of its
// own begins with those of them that suit it.  A cookie holds them: every run of weft view
// may have another port, and what a browser stores otherwise is a port's own.
import { setChain } from './filters.js';

const LOOKS = /^(colou?r|name|shape|height)\s/,
  COOKIE = 'weft-looks',
  MOST = 3500, // bytes: browsers keep 4096
  YEAR = 365 * 24 * 3600;

export const looksOf = (filters) =>
  filters.filter(({ text, on }) => on && LOOKS.test(text));

export function keptLooks() {
  const found = document.cookie.split('; ').find((one) => one.startsWith(COOKIE + '='));
  const text = found ? decodeURIComponent(found.slice(COOKIE.length + 1)) : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ text: line, on: true }));
}

// Keeps the looks of a chain, none: forgets them.  Returns false if they are too long.
export function keepLooks(filters) {
  const text = encodeURIComponent(
    looksOf(filters)
      .map((filter) => filter.text)
      .join('\n'),
  );
  if (text.length > MOST) return false;
  const age = text ? YEAR : 0;
  document.cookie = `${COOKIE}=${text}; path=/; max-age=${age}; SameSite=Strict`;
  return true;
}

// Begins with the kept looks that suit the trace: those with a fault are left out.
export async function applyLooks() {
  let looks = keptLooks();
  while (looks.length) {
    const fault = await setChain(looks);
    if (!fault?.line) return;
    looks = looks.filter((_, i) => i + 1 !== fault.line);
  }
}
