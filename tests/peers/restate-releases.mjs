// Releases of workers side by side on a real Restate server: each run goes on with the release that began it, new runs go to the
// newest, and what an old release is still needed for is said and holds.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './sinks.mjs';
import { until } from './signalbox.mjs';

/** `signalbox deployments …` at the cluster's server. */
async function deployments(cluster, ...args) {
  return cluster.front.run('deployments', ...args, ...cluster.atRestate);
}

async function listed(cluster, release) {
  const { json, code, err } = await deployments(cluster, 'list');
  assert.equal(code, 0, JSON.stringify(json) + err);
  return release === undefined ? json.deployments : json.deployments.find((one) => one.release === release);
}

/** The deployment that carried a run out, as the server remembers it. */
async function carriedBy(cluster, run) {
  const query = `SELECT pinned_deployment_id AS id FROM sys_invocation WHERE target_service_key = '${run}' AND target_handler_name = 'drive' ORDER BY created_at`;
  const answer = await fetch(`${cluster.restate.admin}/query`, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify({ query }) });
  return (await answer.json()).rows.map((row) => row.id);
}

/** A worker of another release at its own address. */
async function otherRelease(cluster, release) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const worker = cluster.worker(`worker-${release}`, port, url, '--release', release).start();
  cluster.others.push(worker);
  await until(`release ${release}`, async () => (await listed(cluster, release))?.takesNewRuns);
  return { worker, url };
}

async function asks(cluster, key) {
  const run = await cluster.startRun('person', key);
  await until('the question', () => cluster.statuses().get(run) === 'paused');
  return run;
}

const ended = (cluster, run) => until('the end', () => cluster.statuses().get(run) === 'completed');
const hits = (cluster, key) => ['a', 'b1', 'b2'].map((step) => cluster.service.hits.get(`/${step}/${key}`)?.length);

async function drained(cluster) {
  const [old] = await listed(cluster);
  const waits = await asks(cluster, 'begun-before');
  await otherRelease(cluster, 'next');

  const begun = await cluster.startRun('write', 'begun-after');
  await ended(cluster, begun);
  const next = await listed(cluster, 'next');
  assert.deepEqual(await carriedBy(cluster, begun), [next.id], 'new runs go to the new release');
  const kept = await listed(cluster, old.release);
  assert.deepEqual([kept.takesNewRuns, kept.runs, kept.standing, kept.canStop], [false, 1, 0, false]);
  const refused = await deployments(cluster, 'remove', old.id);
  assert.deepEqual([refused.code, refused.json.error.code], [2, 'DEPLOYMENT_IN_USE']);
  assert.match(refused.json.error.message, /1 run of release .* not ended/);

  // Stopped too early: the run stands still, the list says so, and it goes on with the worker that comes back.
  for (const worker of cluster.workers) await worker.kill();
  await cluster.answer(new Map());
  const standing = await until('a run that stands still', async () => {
    const found = await listed(cluster, old.release);
    return found.standing === 1 && found;
  });
  assert.match(standing.reason, /\S/);
  assert.notEqual(cluster.statuses().get(waits), 'completed');
  for (const worker of cluster.workers) worker.start();
  await ended(cluster, waits);
  assert.deepEqual(await carriedBy(cluster, waits), [old.id], 'the old run ended on the old release');
  assert.deepEqual(hits(cluster, 'begun-before'), [1, 1, 1]);
  assert.equal((await listed(cluster, 'next')).takesNewRuns, true, 'a worker of the old release that comes back takes no new runs');

  const over = await listed(cluster, old.release);
  assert.deepEqual([over.runs, over.canStop], [0, true]);
  for (const worker of cluster.workers) await worker.end();
  const removed = await deployments(cluster, 'remove', old.id);
  assert.equal(removed.code, 0, JSON.stringify(removed.json) + removed.err);
  assert.deepEqual((await listed(cluster)).map((one) => one.release), ['next']);
  const last = await deployments(cluster, 'remove', next.id);
  assert.deepEqual([last.code, last.json.error.code], [2, 'DEPLOYMENT_IN_USE'], 'new runs need somebody');
}

/** In place of another release, whose runs would be carried out by the wrong workers. */
async function addressTaken(cluster) {
  const waits = await asks(cluster, 'taken');
  const { url } = await listed(cluster, 'next');
  const [program, args, options] = cluster.worker('worker-wrong', await freePort(), url, '--release', 'wrong').command();
  const out = await new Promise((done) => {
    execFile(program, args, options, (error, stdout) => done({ code: error?.code ?? 0, json: JSON.parse(stdout.trim().split('\n').at(-1)) }));
  });
  assert.deepEqual([out.code, out.json.error.code], [2, 'OTHER_RELEASE']);
  assert.match(out.json.error.message, /address of release next, of which 1 run has not ended\. This worker is release wrong\./);
  return waits;
}

/** The workers of a release cannot be kept: its runs go on elsewhere, from where the history stands. */
async function moved(cluster, waits) {
  const old = await listed(cluster, 'next');
  const stays = await deployments(cluster, 'move', old.id);
  assert.deepEqual([stays.code, stays.json.error.code], [2, 'DEPLOYMENT_IN_USE'], 'there is nowhere to go');
  await otherRelease(cluster, 'last');
  await cluster.others[0].kill();
  const done = await deployments(cluster, 'move', old.id);
  assert.deepEqual([done.code, done.json], [0, { moved: 1 }], done.err);
  assert.equal((await deployments(cluster, 'remove', old.id)).code, 0);
  await cluster.answer(new Map());
  await ended(cluster, waits);
  assert.equal((await carriedBy(cluster, waits)).at(-1), (await listed(cluster, 'last')).id);
  assert.deepEqual(hits(cluster, 'taken'), [1, 1, 1], 'nothing ran again');
}

/** A worker makes something else of the same inputs, here of another definition: it is refused until both fit again. */
async function mismatch(cluster) {
  const [run, other] = [await asks(cluster, 'mismatch'), await cluster.startRun('write', 'other')];
  await ended(cluster, other);
  const sql = (text) => cluster.pg.ask(text)[0];
  const events = () => sql(`SELECT count(*), max(e.id) FROM signalbox.run_event e JOIN signalbox.run ON run.no = (e.id >> 32) WHERE run.id = '${run}'`);
  const define = (hash) => sql(`UPDATE signalbox.run SET definition_hash = '${hash}' WHERE id = '${run}' RETURNING 1`);
  const definition = (of) => sql(`SELECT definition_hash FROM signalbox.run WHERE id = '${of}'`)[0];
  const [worker, fits, before] = [cluster.others.at(-1), definition(run), events()];
  await worker.kill();
  define(definition(other));
  worker.start();
  await cluster.answer(new Map());
  const log = () => readFileSync(join(cluster.folder, 'worker-last.log'), 'utf8');
  await until('the refusal', () => /stands still.*is not the \w+ that follows from its journal; nothing was written/.test(log()));
  const standing = await until('the list', async () => (await listed(cluster, 'last')).reason);
  assert.match(standing, /nothing was written/);
  assert.deepEqual(events(), before, 'nothing was written');
  assert.equal(cluster.statuses().get(run), 'paused');
  define(fits);
  await ended(cluster, run);
  assert.deepEqual(hits(cluster, 'mismatch'), [1, 1, 1]);
}

export async function releases(report, cluster) {
  let waits;
  await report('a new release takes new runs, and the old one ends its own', () => drained(cluster));
  await report('the address of another release is refused', async () => { waits = await addressTaken(cluster); });
  await report('runs of a release that is gone are moved', () => moved(cluster, waits));
  await report('a journal that does not fit the history is refused', () => mismatch(cluster));
  await report('the history verifies', () => cluster.verified());
}
