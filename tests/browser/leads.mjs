// SPDX-License-Identifier: Apache-2.0
// Each row of a table leads to what it counts: the selection that the page makes of it is right for
// the trace, and lists as many things as the row says.  TAP; no browser is needed.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { WEFT, BUILD, SOURCE } = process.env;
const { leads, whereOf } = await import(join(SOURCE, 'src/serve/page/selections.js'));
const folder = mkdtempSync(join(tmpdir(), 'weft-leads-'));
const MOST = 1000; // rows that are compared
let number = 0,
  failed = 0;

function ok(what, fault) {
  number++;
  failed += Boolean(fault);
  console.log(`${fault ? 'not ok' : 'ok'} ${number} - ${what}`);
  if (fault) console.log('# ' + fault);
}

// Runs weft view of a trace; CHECK gets a function that asks it.
async function served(trace, check) {
  const server = spawn(WEFT, ['view', '--no-browser', trace], {
    env: { ...process.env, XDG_STATE_HOME: folder },
  });
  const url = await new Promise((done) => {
    let text = '';
    server.stdout.on('data', (part) => (text += part).includes('\n') && done(text.trim()));
  });
  const [base, token] = url.split('?token=');
  try {
    await check(async (path, parameters = {}) => {
      const address = new URL(path, base);
      for (const [name, value] of Object.entries(parameters))
        address.searchParams.set(name, value);
      const answer = await fetch(address, { headers: { Authorization: 'Bearer ' + token } });
      const content = await answer.json();
      if (!answer.ok) throw new Error(content.error);
      return content;
    });
  } finally {
    server.kill();
  }
}

// All values of the view's first choices, one setting at a time.
const variants = (view) => [
  {},
  ...view.parameters
    .filter((p) => p.kind === 'choice' && ['by', 'of'].includes(p.name))
    .flatMap((p) => p.choices.split('|').map((value) => ({ [p.name]: value }))),
];

async function checkRow(ask, view, settings, row, clicked) {
  const where = whereOf(view, settings, row, clicked);
  let found;
  if (where === null) return null; // this row leads nowhere
  try {
    found = (await ask('view/instances.rows', { trace: 0, where, most: MOST })).total;
  } catch (error) {
    return `${where}: ${error.message}`;
  }
  const counted = row.count ?? row.messages ?? null;
  if (clicked) return null; // only that it is right
  if (counted === null) return found ? null : `${where}: nothing`;
  return found === Math.min(counted, MOST) ? null : `${where}: ${found}, not ${counted}`;
}

async function checkView(ask, name, view, settings) {
  const { rows } = await ask(`view/${view.name}.rows`, { trace: 0, limit: 30, ...settings });
  let fault = null;
  for (const row of rows)
    for (const clicked of [undefined, ...view.columns.filter((c) => c.narrows).map((c) => c.name)])
      fault ||= await checkRow(ask, view, settings, row, clicked);
  ok(`${view.name} ${JSON.stringify(settings)} of ${name}: ${rows.length} rows`, fault);
}

// WANTED: views that the trace fills; ONLY: no others are checked.
async function check(name, trace, wanted, only = false) {
  await served(trace, async (ask) => {
    const { views } = await ask('catalogue');
    let facts;
    do {
      facts = await ask('trace', { trace: 0 });
      await new Promise((done) => setTimeout(done, 50));
    } while (facts.state !== 'ready');
    const filled = views.filter((v) => leads(v) && facts.fills.includes(v.name));
    const missing = wanted.filter((one) => !filled.some((v) => v.name === one));
    ok(`${name} fills ${wanted.join(', ')}`, missing.join(', '));
    for (const view of filled.filter((v) => !only || wanted.includes(v.name)))
      for (const settings of variants(view)) await checkView(ask, name, view, settings);
  });
}

const recording = join(folder, 'locks.weft');
execFileSync(WEFT, ['record', '-o', recording, '--', join(BUILD, 'examples', 'contended_lock')], {
  stdio: 'ignore',
});
await check('small.paje', join(SOURCE, 'tests/cli/small.paje'), ['state-summary', 'comm-matrix']);
await check('a recording', recording, ['wait-summary', 'lock-summary', 'threads']);
await check(
  'blocking.trf',
  join(SOURCE, 'tests/domains/messages/reference/traces/blocking.trf'),
  ['comm-matrix'],
);
// Rows of its wait-summary, by partner, list the waits for others, too: no term says partner.
await check(
  'master_worker.trf',
  join(SOURCE, 'examples/picl/master_worker.trf'),
  ['task-count', 'task-status', 'task-summary', 'task-surface'],
  true,
);
rmSync(folder, { recursive: true });
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
