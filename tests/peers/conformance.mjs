// The conformance suite of the protocol's own project for clients, one scenario after the other (beside each other they would
// measure this machine).
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';

export const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** What this client does not do, and why (docs/conformance.md). A scenario here that passes is a failure: the list is stale. */
const ENTERPRISE = 'signing in through the identity provider of a company (SEP-990) is an extension that is not spoken: ADR 60';
const NOT_DONE = { 'auth/cross-app-access-complete-flow': ENTERPRISE };
const notDone = (scenario) => NOT_DONE[scenario];

/** Node for the suite, which needs 22 or newer: this one, or the one that was installed beside it. */
export function nodeForSuite() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const own = join(import.meta.dirname, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (!existsSync(own)) throw new Error(`The conformance suite needs Node >= 22, and this is ${process.version}; ${own} is not there either.`);
  return own;
}

const run = (node, args, cwd) => new Promise((done) => {
  execFile(node, [SUITE, ...args], { cwd, maxBuffer: 1 << 26 }, (error, out, err) => done({ code: error ? error.code : 0, out, err }));
});

/** The scenarios for clients, as the suite names them. */
async function scenarios(node) {
  const { out } = await run(node, ['list']);
  const part = out.slice(out.indexOf('Client scenarios'));
  const names = [...part.matchAll(/^ {2}- (\S+) \[(\S+)\]/gm)].map(([, name, versions]) => ({ name, versions }));
  assert.ok(names.length > 0, `The suite lists no scenarios: ${out}`);
  return names;
}

/** It measures when the client comes back, and too late is a failure: on a machine that is busy the first try says little. */
const MEASURES_TIME = ['sse-retry'];

async function once(node, name, versions) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-suite-'));
  try {
    const client = `${process.execPath} ${join(import.meta.dirname, 'client.mjs')}`;
    const done = await run(node, ['client', '--command', client, '--scenario', name, '--output-dir', folder], folder);
    const checks = checksOf(folder);
    const of = (status) => checks.filter((check) => check.status === status).length;
    const row = { name, versions, ok: of('SUCCESS'), failed: of('FAILURE'), warned: of('WARNING'), why: notDone(name), said: `${done.out}\n${done.err}` };
    return { ...row, passed: done.code === 0 && row.ok > 0 && row.failed === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reports each scenario, those that are not done only with `all`; the rows of a table of them. */
export async function conformance(report, all) {
  const node = nodeForSuite();
  const rows = [];
  for (const { name, versions } of await scenarios(node)) {
    const why = notDone(name);
    if (why && !all) continue;
    await report(why ? `conformance: ${name} is still not done` : `conformance: ${name}`, async () => {
      let row = await once(node, name, versions);
      for (let more = 2; more > 0 && !row.passed && MEASURES_TIME.includes(name); more -= 1) row = await once(node, name, versions);
      rows.push(row);
      if (why) assert.ok(!row.passed, `It passes now: take it out of what is not done (${why}).`);
      else assert.ok(row.passed, row.said);
    });
  }
  return rows;
}

/** The suite writes one folder a scenario into the one that was named. */
function checksOf(folder) {
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('checks.json'));
  assert.ok(file, `The suite wrote no checks into ${folder}`);
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}
