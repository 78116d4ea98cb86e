// Runs carried out by workers on a real Restate server (npm `@restatedev/restate-server`) with the history in PostgreSQL (Debian
// package `postgresql`). Run only when it is named; `cargo xtask peers restate` builds the program with the feature `restate`.
// While runs are started and people answer tasks, workers and the Restate server are killed with SIGKILL at random; in the
// end nothing is lost, no finished step ran again, and the audit chain verifies. RESTATE_SECONDS (60), or until RESTATE_KILLS
// processes were killed; RESTATE_SEED.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { restateBench } from './restate-bench.mjs';
import { Cluster } from './restate-cluster.mjs';
import { releases } from './restate-releases.mjs';
import { until } from './signalbox.mjs';

const SECONDS = Number(process.env.RESTATE_SECONDS ?? 60);
/** With a number of kills the time does not matter. */
const KILLS = Number(process.env.RESTATE_KILLS ?? 0);
const SEED = Number(process.env.RESTATE_SEED ?? 20_261_130);

/** The same numbers for the same seed. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What each step of each run came to in the history, and what arrived at the service. */
function compared(cluster, keys) {
  // A call that is cut off for the third time in a row ends in an error instead of beginning again.
  const third = "e.type = 'step_error' AND strpos(e.payload::text, '\"CRASH_LOOP\"') > 0";
  const events = cluster.pg.ask(`SELECT run.id, CASE WHEN ${third} THEN 'step_interrupted' ELSE e.type END, e.node, e.ts, coalesce(e.item, 0) FROM signalbox.run_event e JOIN signalbox.run ON run.no = (e.id >> 32) WHERE e.type IN ('step_done', 'step_interrupted') OR ${third}`);
  const of = (type) => events.filter(([, kind]) => kind === type).reduce((all, [run, , node, ts, item]) => all.set(`${run} ${node}`, [...all.get(`${run} ${node}`) ?? [], { at: Number(ts), item }]), new Map());
  const [done, cut] = [of('step_done'), of('step_interrupted')];
  const counts = { steps: 0, interrupted: [...cut.values()].flat().length, again: 0, wrong: [] };
  for (const [run, key] of keys) {
    for (const step of ['a', 'b1', 'b2', 'm', 'c']) {
      const ended = done.get(`${run} ${step}`) ?? [];
      const hits = cluster.service.hits.get(`/${step}/${key}`) ?? [];
      counts.steps += ended.length;
      // Both reads before them end in an item: the steps after them are called once for each.
      const items = new Set(ended.map((one) => one.item)).size;
      const called = hits.length > 0 || step !== 'm' ? items : 0;
      if (ended.length !== items) counts.wrong.push(`${run} ${step} ended ${ended.length} times with ${items} items`);
      if (hits.length < called) counts.wrong.push(`${run} ${step} was called ${hits.length} times for ${items} items`);
      if (hits.length > items + (cut.get(`${run} ${step}`)?.length ?? 0)) counts.wrong.push(`${run} ${step} was called ${hits.length} times for ${items} items`);
      if (hits.some((at) => at > Math.max(...ended.map((one) => one.at)) + 5)) counts.wrong.push(`${run} ${step} was called after it had ended`);
      counts.again += Math.max(0, hits.length - items);
    }
  }
  return counts;
}

async function underKills(cluster) {
  const next = random(SEED);
  const open = (runs) => {
    const statuses = cluster.statuses();
    return [...runs.keys()].filter((run) => !['completed', 'failed', 'cancelled'].includes(statuses.get(run)));
  };
  const [keys, answered] = [new Map(), new Map()];
  const targets = [...cluster.workers, cluster.restate.server];
  const killing = Date.now();
  const killed = () => targets.reduce((sum, target) => sum + target.kills, 0);
  const before = killed();
  const over = () => (KILLS > 0 ? killed() - before >= KILLS : Date.now() >= killing + SECONDS * 1_000);
  const starting = (async () => {
    for (let n = 0; !over(); n += 1) {
      keys.set(await cluster.startRun(n % 3 === 0 ? 'person' : 'write', `k${n}`), `k${n}`);
      await pause(150 + next() * 300);
      // A slow machine has no more to do at the end than a fast one.
      while (!over() && open(keys).length > 60) await pause(500);
    }
  })();
  const answering = (async () => {
    while (!over()) {
      await cluster.answer(answered);
      await pause(500);
    }
  })();
  while (!over()) {
    await pause(800 + next() * 2_200);
    const target = next() < 0.25 ? cluster.restate.server : targets[Math.floor(next() * cluster.workers.length)];
    await target.kill();
    await pause(next() * 500);
    target.start();
  }
  await Promise.all([starting, answering]);
  const began = Date.now();
  const killedFor = Math.round((began - killing) / 1_000);
  for (let left = open(keys); left.length > 0; left = open(keys)) {
    if (Date.now() - began > 180_000) throw new Error(`${left.length} of ${keys.size} runs have not ended: ${left.slice(0, 5).map((run) => `${run} ${cluster.statuses().get(run)}`).join(', ')}`);
    await cluster.answer(answered);
    await pause(1_000);
  }
  const statuses = cluster.statuses();
  const ended = [...keys.keys()].map((run) => statuses.get(run));
  const counts = compared(cluster, keys);
  const kills = targets.map((target) => `${target.name} ${target.kills}`).join(', ');
  console.log(`        ${keys.size} runs, ${counts.steps} steps, ${answered.size} answers; ${killed() - before} kills in ${killedFor} s: ${kills}; ${counts.interrupted} calls cut off, ${counts.again} requests again; last run ended ${Math.round((Date.now() - began) / 1_000)} s after the last kill`);
  assert.deepEqual(counts.wrong, []);
  assert.deepEqual(ended.filter((status) => status !== 'completed'), [], 'all runs complete');
  const states = new Map(cluster.pg.ask('SELECT id, state FROM signalbox.task'));
  assert.deepEqual([...answered.keys()].filter((task) => states.get(task) === 'open'), [], 'answers are kept');
  await cluster.verified();
}

/** The history alone is enough: a Restate server that has lost everything goes on from it. */
async function lostServer(cluster) {
  const run = await cluster.startRun('person', 'lost');
  await until('the question', () => cluster.statuses().get(run) === 'paused');
  await cluster.restate.server.kill();
  rmSync(join(cluster.folder, 'restate'), { recursive: true, force: true });
  cluster.restate.server.start();
  // Workers register when they start.
  for (const worker of cluster.workers) {
    await worker.kill();
    worker.start();
  }
  await until('the server', async () => (await fetch(`${cluster.restate.admin}/services`).catch(() => undefined))?.ok);
  await cluster.answer(new Map());
  await until('the end', () => cluster.statuses().get(run) === 'completed');
  assert.equal(cluster.service.hits.get('/a/lost').length, 1);
  await cluster.verified();
}

async function cancelled(cluster) {
  const run = await cluster.startRun('person', 'cancelled');
  await until('the question', () => cluster.statuses().get(run) === 'paused');
  const done = await cluster.front.run('cancel', run, '--history', cluster.pg.url);
  assert.equal(done.code, 0, JSON.stringify(done.json) + done.err);
  await until('the end', () => cluster.statuses().get(run) === 'cancelled');
}

export async function restate(report) {
  if (process.argv.includes('--bench')) return restateBench(report);
  let cluster;
  await report('workers on Restate start and register', async () => { cluster = await Cluster.start(); });
  try {
    if (!cluster) return;
    await report('a run is cancelled by another program', () => cancelled(cluster));
    const long = KILLS > 0 ? `${KILLS} times` : `for ${SECONDS} s`;
    if (KILLS > 0 || SECONDS > 0) await report(`workers and the server are killed at random ${long}`, () => underKills(cluster));
    await report('a server that has lost everything', () => lostServer(cluster));
    await releases(report, cluster);
  } finally {
    if (process.env.RESTATE_KEEP) console.log(`        kept: ${cluster?.folder}`);
    else await cluster?.end();
  }
}
