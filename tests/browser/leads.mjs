// SPDX-License-Identifier: Apache-2.0
// Each row of a table leads to what it counts: the selection that the page makes of it is right for
// the trace, and lists as many things as the row says.  TAP; no browser is needed.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { WEFT, BUILD, SOURCE } = process.env;
const { leads, whereOf } = await import(join(SOURCE, 'src/serve/page/selections.js'));
const folder = mkdtempSync(join(tmpdir(), 'weft-leads-'));
const MOST = 2000; // instances that are compared
const ROWS = 60; // rows of a table that are looked at
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

// The columns that say how many things a row counts, and by which column's click these are
// listed: the row's own, or that cell's.  PARTS: not listed, since the trace has no links of them.
// SPLIT: so many may be listed as two: a hold is two states where another thread comes meanwhile.
const counts = {
  'comm-matrix': [{ name: 'messages', parts: 'in_collectives' }],
  'region-summary': [], // it counts regions, which are a state of each of their threads
  'lock-summary': [
    { name: 'acquisitions', clicked: 'acquisitions', split: 'contended' },
    { name: 'contended', clicked: 'contended' },
  ],
};
// What the things of a row last in all; not where moments inside of two things count once.
const totals = {
  'state-summary': { name: 'total_ns' },
  'lock-summary': { name: 'wait_total_ns', clicked: 'wait_total_ns' },
  times: { name: 'total_ns' },
};
// Waits by partner and waker, in traces whose calls do not lie in others.
const ofFlatWaits = (view, name, row) =>
  view.name === 'times' && name.endsWith('.trf') && (row.partner || row.waker);

const asked = ({ begin, end }) => (begin === undefined ? {} : { begin, end });
const ofRun = ['dag-tasks']; // they count the whole run, whatever the range

const instances = (ask, where, range) =>
  ask('view/instances.rows', { trace: 0, where, most: MOST, limit: MOST, ...asked(range) });

async function checkRow(ask, name, view, settings, row, clicked, range) {
  const where = whereOf(view, settings, row, clicked);
  let found;
  if (where === null) return null; // this row leads nowhere
  try {
    found = await instances(ask, where, range);
  } catch (error) {
    return `${where}: ${error.message}`;
  }
  if (ofFlatWaits(view, name, row))
    return checkTotal(view, settings, row, clicked, found, where, range);
  const known = (counts[view.name] || [{ name: 'count' }]).find((c) => c.clicked === clicked);
  if (clicked && !known) return null; // only that it is right
  if (!known || !(known.name in row)) return null; // there is no number
  const counted = row[known.name];
  if (counted === null) return null; // not known
  const listed = counted - (row[known.parts] ?? 0);
  const most = Math.min(listed + (row[known.split] ?? 0), MOST);
  if (found.total < Math.min(listed, MOST) || found.total > most)
    return `${where}: ${found.total}, not ${listed}`;
  return checkTotal(view, settings, row, clicked, found, where, range);
}

// Lengths are clipped to the range; a row has each to the nearest ns.
function checkTotal(view, { by }, row, clicked, found, where, range) {
  const total = totals[view.name],
    nested = ['container', 'type'].includes(by) || ['OpenMP', 'Task interval'].includes(row.type);
  if (!total || nested || total.clicked !== clicked || found.total >= MOST) return null;
  let sum = 0;
  for (const { begin_ns: from, end_ns: to } of found.rows)
    sum += Math.min(to, range.end_ns ?? to) - Math.max(from, range.begin_ns ?? from);
  return Math.abs(sum - row[total.name]) <= found.total + 1
    ? null
    : `${where}: ${sum} ns, not ${row[total.name]}`;
}

async function checkView(ask, name, view, settings, range) {
  const { rows } = await ask(`view/${view.name}.rows`, {
    trace: 0,
    limit: ROWS,
    ...settings,
    ...asked(range),
  });
  let fault = null;
  for (const row of rows)
    for (const clicked of [undefined, ...view.columns.filter((c) => c.narrows).map((c) => c.name)])
      fault ||= await checkRow(ask, name, view, settings, row, clicked, range);
  const of = range.begin === undefined ? name : `a part of ${name}`;
  ok(`${view.name} ${JSON.stringify(settings)} of ${of}: ${rows.length} rows`, fault);
}

// The middle half of a trace, in its ticks and, clipped to whole ns, in ns.
function part({ begin: first, end: last, ticks_per_second: frequency }) {
  const begin = Math.round((last - first) * 0.25),
    end = Math.round((last - first) * 0.75);
  return { begin, end, begin_ns: (begin / frequency) * 1e9, end_ns: (end / frequency) * 1e9 };
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
      for (const settings of variants(view))
        for (const range of ofRun.includes(view.name) ? [{}] : [{}, part(facts)])
          await checkView(ask, name, view, settings, range);
  });
}

const recording = join(folder, 'locks.weft');
execFileSync(WEFT, ['record', '-o', recording, '--', join(BUILD, 'examples', 'contended_lock')], {
  stdio: 'ignore',
});
await check('small.paje', join(SOURCE, 'tests/cli/small.paje'), ['state-summary', 'comm-matrix']);
await check('a recording', recording, ['wait-summary', 'lock-summary', 'threads']);
const reference = join(SOURCE, 'tests/domains/messages/reference/traces');
for (const name of ['blocking', 'collectives', 'nonblocking', 'tachyon', 'equal_times', 'self'])
  await check(`${name}.trf`, join(reference, `${name}.trf`), ['comm-matrix']);
await check(
  'master_worker.trf',
  join(SOURCE, 'examples/picl/master_worker.trf'),
  ['wait-summary', 'task-count', 'task-status', 'task-summary', 'task-surface'],
);
await check(
  'stencil.trf',
  join(SOURCE, 'examples/picl/stencil.trf'),
  ['wait-summary', 'comm-matrix'],
);
const roles = join(SOURCE, 'tests/golden/roles');
for (const tool of ['extrae', 'eztrace', 'score-p', 'simgrid', 'smpi', 'starpu']) {
  const trace = join(folder, `${tool}.paje`),
    definitions = join(roles, 'definitions');
  writeFileSync(trace, readFileSync(definitions) + readFileSync(join(roles, `${tool}.events`)));
  await check(tool, trace, ['state-summary']);
}
const sort = join(BUILD, 'examples', 'task_sort_gcc');
// Where the compiler or the runtime of OpenMP is missing, there is none.
const tasks = join(folder, 'tasks.weft');
if (existsSync(sort))
  spawnSync(WEFT, ['record', '--with', 'omp', '-o', tasks, '--', sort, '20000']);
if (existsSync(tasks)) await check('tasks', tasks, ['dag-tasks', 'region-summary']);
rmSync(folder, { recursive: true });
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
