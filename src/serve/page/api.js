// SPDX-License-Identifier: Apache-2.0
// Requests to the server.  Addresses are relative to the page's own, so that it works
// behind any path prefix; the token goes in a header.

import { emit, filtersOf, state } from './state.js';
import { damagedText } from './formatting.js';

const query = new URLSearchParams(location.search);
const token = query.get('token') || '';
const base = new URL('.', location.href);
const client = Math.random().toString(36).slice(2);
// For measuring with a slow network: ?delay=30 waits so many milliseconds before each
// answer.
const delay = Number(query.get('delay')) || 0;

export class AskError extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// Called when the server does not answer, and when a trace's file has changed
// (connection.js).
export const trouble = { lost: () => {}, changed: () => {} };

// These show the trace as filters leave it: those of the panel that was used last, if not
// told otherwise.  No filters are told, too: the server has a chain for requests without.
const filtered = /^(view|point)\/|^(detail|related|step|containers)$|^search\b/;

function address(path, parameters) {
  const url = new URL(path, base),
    all = filtered.test(path)
      ? { filters: filtersOf(state.active), ...parameters }
      : parameters;
  for (const [name, value] of Object.entries(all || {}))
    if (value !== undefined && value !== null && (value !== '' || name === 'filters'))
      url.searchParams.set(name, value);
  return url;
}

// Turns an exception of fetch() into the error to throw.
function lost(error) {
  // the server answered, but not JSON
  if (error.name === 'AbortError' || error instanceof SyntaxError) return error;
  trouble.lost();
  return new AskError(0, 'The server does not answer: is weft view still running?');
}

export async function ask(path, parameters, options = {}) {
  let answer;
  try {
    answer = await fetch(address(path, parameters), {
      method: options.post !== undefined ? 'POST' : 'GET',
      body: options.post,
      headers: { Authorization: 'Bearer ' + token },
      signal: options.signal,
    });
  } catch (error) {
    throw lost(error);
  }
  if (delay) await new Promise((done) => setTimeout(done, delay));
  if (!answer.ok) {
    let text = answer.statusText;
    try {
      text = (await answer.json()).error;
    } catch {
      /* no sentence: the status will do */
    }
    if (answer.status === 410 && !options.opens) trouble.changed(text);
    throw new AskError(answer.status, text);
  }
  return answer;
}

// Reads an answer's content AS 'json', 'arrayBuffer' or 'blob': the connection may break in
// the middle.
export async function contentOf(answer, as) {
  try {
    return await answer[as]();
  } catch (error) {
    throw lost(error);
  }
}

export const askJson = async (path, parameters, options) =>
  contentOf(await ask(path, parameters, options), 'json');
export const askBytes = async (path, parameters, options) =>
  contentOf(await ask(path, parameters, options), 'arrayBuffer');

// The name of a panel in requests: when it sends a newer one, the server cancels the older.
// It is unique to this page, since requests of other pages must not cancel it.
export const panelName = (number) => client + '-' + number;

// Returns true if a failed request is to be repeated in a while: the server did not answer,
// was overloaded, or another page has cancelled it.
export const LATER = 1000; // ms
export const isForNow = (error) =>
  [0, 503].includes(error.status) ||
  (error.status === 409 && !/cannot fill/.test(error.message));

// Returns how many damaged parts of the trace an answer leaves out.
export const damagedOf = (answer) => Number(answer.headers.get('Weft-Damaged')) || 0;

// Saves an answer as a file.
export async function save(path, parameters, name, options) {
  const answer = await ask(path, parameters, options);
  saveBlob(await contentOf(answer, 'blob'), name);
  if (damagedOf(answer))
    emit('error', `${name} is not of the whole trace: ${damagedText(damagedOf(answer))}`);
}

export function saveBlob(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
