// The real program against the servers and the conformance suite of the protocol's own project, and the samples that need such a
// server or a model.
// `node run.mjs [servers|mcp-server|a2a|sign-in|graphql|samples|conformance|cel|llama|models|rest|hooks|sinks|objects|templates|kafka|telemetry|amqp|columnar|restate|source|programs|packages]`; the last fifteen only when they are named, because they need Python
// packages or servers (llama.py, models.py, rest.mjs, hooks.mjs, sinks.mjs, objects.mjs, templates.mjs, kafka.mjs, telemetry.mjs, amqp.mjs, columnar.mjs, restate.mjs) or minutes of CPU (source.mjs, packages.mjs), or root (programs.mjs, packages.mjs). `cel` is the language of expressions; with `--write` its list of differences is
// written anew (cel.mjs). `--table` also runs what is known to differ, and prints the table of docs/conformance.md.
import { conformance } from './conformance.mjs';
import { mcpServer } from './mcp-server.mjs';
import { llama } from './llama.mjs';
import { models } from './models.mjs';
import { rest } from './rest.mjs';
import { samples } from './samples.mjs';
import { servers } from './servers.mjs';

const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const counts = { passed: 0, failed: 0 };

async function report(name, work) {
  const began = performance.now();
  const took = () => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
  try {
    await work();
    counts.passed += 1;
    console.log(`ok      ${name} (${took()})`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${name} (${took()})\n${error.stack ?? error}`);
  }
}

const wants = (part) => only.length === 0 || only.includes(part);
// Loaded when it is wanted: the parts that need Python run without the packages of npm.
if (wants('cel')) await (await import('./cel.mjs')).cel(report, process.argv.includes('--write'));
if (wants('servers')) await servers(report);
if (wants('mcp-server')) await mcpServer(report);
if (wants('a2a')) await (await import('./a2a.mjs')).a2a(report);
if (wants('sign-in')) await (await import('./sign-in.mjs')).signIn(report);
if (wants('graphql')) await (await import('./graphql.mjs')).graphql(report);
if (wants('samples')) await samples(report);
if (only.includes('source')) await (await import('./source.mjs')).source(report);
if (only.includes('programs')) await (await import('./programs.mjs')).programs(report);
if (only.includes('packages')) await (await import('./packages.mjs')).packagesInRoots(report);
if (only.includes('llama')) await llama(report);
if (only.includes('rest')) await rest(report);
if (only.includes('hooks')) await (await import('./hooks.mjs')).hooks(report);
if (only.includes('sinks')) await (await import('./sinks.mjs')).sinks(report);
if (only.includes('objects')) await (await import('./objects.mjs')).objects(report);
if (only.includes('templates')) await (await import('./templates.mjs')).templates(report);
if (only.includes('telemetry')) await (await import('./telemetry.mjs')).telemetry(report);
if (only.includes('amqp')) await (await import('./amqp.mjs')).amqp(report);
if (only.includes('restate')) await (await import('./restate.mjs')).restate(report);
if (only.includes('columnar')) await (await import('./columnar.mjs')).columnar(report);
if (only.includes('kafka')) await (await import('./kafka.mjs')).kafka(report);
if (only.includes('models')) await models(report);
const rows = wants('conformance') ? await conformance(report, process.argv.includes('--table')) : [];
if (process.argv.includes('--table')) {
  console.log('\n| scenario | of | result | checks |\n|---|---|---|---|');
  for (const row of rows) {
    console.log(`| \`${row.name}\` | ${row.versions.replaceAll(',', ', ')} | ${row.passed ? 'passes' : `not done: ${row.why ?? 'FAILS'}`} | ${row.ok} of ${row.ok + row.failed + row.warned} |`);
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
