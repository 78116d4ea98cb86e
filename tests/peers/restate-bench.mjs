// What a step on Restate costs: runs of workers, and a bare service with as many `ctx.run`, written with the same SDK, on the same
// server and turn about; the same runs without Restate, in one process. `cargo xtask peers restate --bench`. RESTATE_ROUNDS (3).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Killable, Postgres, balancer, restateServer } from './restate-cluster.mjs';
import { freePort } from './sinks.mjs';
import { until } from './signalbox.mjs';

const ROUNDS = Number(process.env.RESTATE_ROUNDS ?? 3);
const TARGET = process.env.CARGO_TARGET_DIR ?? resolve(import.meta.dirname, '../../target');
const PROGRAM = process.env.RESTATE_BENCH ?? join(TARGET, 'counts/examples/restate_bench');
/** A chain in one run, and short runs side by side. */
const WORK = {
  chain: { steps: 100, count: 5, atOnce: 1 },
  runs: { steps: 5, count: 320, atOnce: 64 },
};

/** Ticks of 10 ms that a process has used, and its parent; with `gone` also those of its children that have ended. */
function used(pid, gone = false) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1).trim().split(' ');
    const [user, system, ...ended] = fields.slice(11, 15).map(Number);
    return { parent: Number(fields[1]), ticks: user + system + (gone ? ended[0] + ended[1] : 0) };
  } catch {
    return { parent: 0, ticks: 0 };
  }
}

/** The server of a history and its processes. */
function usedByPostgres(pg) {
  const main = Number(readFileSync(join(pg.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => used(pid));
  return used(main, true).ticks + all.filter((one) => one.parent === main).reduce((sum, one) => sum + one.ticks, 0);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

class Bench {
  static async start() {
    assert.ok(existsSync(PROGRAM), `${PROGRAM} is missing: cargo xtask peers restate --bench builds it`);
    const bench = new Bench();
    bench.folder = mkdtempSync(join(tmpdir(), 'signalbox-restate-bench-'));
    bench.pg = new Postgres(await freePort());
    bench.restate = await restateServer(bench.folder);
    bench.at = ['--restate', bench.restate.ingress, '--restate-admin', bench.restate.admin, '--history', bench.pg.url];
    const ports = [];
    for (let n = 0; n < 4; n += 1) ports.push(await freePort());
    bench.balancer = await balancer(ports);
    const url = `http://127.0.0.1:${bench.balancer.address().port}`;
    bench.workers = ports.map((port, n) => bench.program(`worker-${n}`, ['worker', ...bench.at, '--listen', `127.0.0.1:${port}`, '--url', url]));
    const bare = await freePort();
    bench.bare = bench.program('bare', ['bare', '--listen', `127.0.0.1:${bare}`]).start();
    await until('the bare service', async () => {
      const body = JSON.stringify({ uri: `http://127.0.0.1:${bare}` });
      return (await fetch(`${bench.restate.admin}/deployments`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).ok;
    });
    return bench;
  }

  program(name, args) {
    return new Killable(name, join(this.folder, `${name}.log`), () => [PROGRAM, args, {}]);
  }

  /** So many workers, no more and no less. */
  async staff(count) {
    for (const [n, worker] of this.workers.entries()) {
      if (n < count && !worker.child) worker.start();
      if (n >= count && worker.child) await worker.end();
    }
    await until('the workers', async () => {
      const found = await (await fetch(`${this.restate.admin}/services`)).json();
      const logs = this.workers.slice(0, count).map((worker) => readFileSync(worker.log, 'utf8'));
      return found.services.some((one) => one.name === 'SignalboxRun') && logs.every((log) => /Registered/.test(log));
    });
  }

  ticks() {
    const workers = this.workers.map((worker) => (worker.child ? used(worker.child.pid).ticks : 0));
    const service = workers.reduce((sum, ticks) => sum + ticks, used(this.bare.child.pid).ticks);
    return { server: used(this.restate.server.child.pid).ticks, service, postgres: usedByPostgres(this.pg), workers };
  }

  /** Does the work once: seconds, and processor time in ms of each part. */
  async measure(of, { steps, count, atOnce }) {
    const before = this.ticks();
    const args = ['drive', '--of', of, ...this.at, '--steps', steps, '--count', count, '--at-once', atOnce].map(String);
    const out = await new Promise((done, fail) => {
      execFile(PROGRAM, args, { timeout: 300_000 }, (error, stdout, stderr) => (error ? fail(new Error(`${of}: ${stderr}`)) : done(JSON.parse(stdout))));
    });
    const after = this.ticks();
    const part = (name) => (after[name] - before[name]) * 10;
    const workers = after.workers.map((ticks, n) => (ticks - before.workers[n]) * 10);
    return { seconds: out.seconds, driver: out.cpu * 1_000, server: part('server'), service: part('service'), postgres: part('postgres'), workers };
  }

  async end() {
    for (const one of [...this.workers ?? [], this.bare, this.restate?.server]) if (one?.child) await one.end();
    this.balancer?.close();
    this.pg?.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** One line for each side; the medians of all rounds. */
async function turnAbout(bench, sides, work) {
  const found = new Map(sides.map((side) => [side, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of sides) found.get(side).push(await bench.measure(side, work));
  }
  const of = (side, value) => median(found.get(side).map(value));
  const units = work.atOnce === 1 ? work.steps * work.count : work.count;
  for (const side of sides) {
    const each = (name) => (of(side, (one) => one[name]) / units).toFixed(2);
    const rates = found.get(side).map((one) => units / one.seconds);
    const spread = `${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))}`;
    const spent = (of(side, (one) => one.driver + one.server + one.service + one.postgres) / units).toFixed(2);
    console.log(`        ${side.padEnd(8)} ${Math.round(median(rates))} ${work.atOnce === 1 ? 'steps' : 'runs'}/s (${spread}); ms of CPU each: Restate ${each('server')}, service ${each('service')}, PostgreSQL ${each('postgres')}, driver ${each('driver')}; all ${spent}`);
  }
  return (side, other) => (of(side, (one) => one.seconds) / of(other, (one) => one.seconds)).toFixed(2);
}

export async function restateBench(report) {
  let bench;
  await report('the bench starts', async () => { bench = await Bench.start(); });
  try {
    if (!bench) return;
    console.log(`        ${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`);
    await bench.staff(1);
    for (const [name, work] of Object.entries(WORK)) {
      await report(`${name}: ${work.count} runs of ${work.steps} steps, ${work.atOnce} at once, one worker`, async () => {
        const ratio = await turnAbout(bench, ['restate', 'bare', 'history', 'file'], work);
        console.log(`        a worker takes ${ratio('restate', 'bare')} x the time of a bare service; a file ${ratio('file', 'bare')} x`);
      });
    }
    for (const count of [2, 4]) {
      await bench.staff(count);
      await report(`runs with ${count} workers`, () => turnAbout(bench, ['restate'], WORK.runs));
    }
    console.log(`        load at the end ${loadavg()[0].toFixed(1)}`);
  } finally {
    if (!process.env.RESTATE_KEEP) await bench?.end();
  }
}
