// The conformance cases of CEL's own project, as the package `@bufbuild/cel-spec` carries them, against the engine's example
// `expressions`. cel-differs.json lists the cases that come out differently, each with its group, and the groups with the reason.
// A case that differs and is not listed fails, and so does one that is listed and does not differ; docs/expressions.md names every
// group. `node run.mjs cel --write` makes the list from what differs now: new cases get the group '?', for a person to fill in.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const listed = new URL('cel-differs.json', import.meta.url);
const page = new URL('../../docs/expressions.md', import.meta.url);
const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;

// Files of the suite that are about something else than the language over JSON values.
const LEFT_OUT = {
  bindings_ext: 'extension library', block_ext: 'extension library', encoders_ext: 'extension library', math_ext: 'extension library',
  network_ext: 'extension library', optionals: 'extension library', proto2_ext: 'extension library', string_ext: 'extension library',
  macros2: 'extension library', dynamic: 'protocol buffers', enums: 'protocol buffers', proto2: 'protocol buffers',
  proto3: 'protocol buffers', wrappers: 'protocol buffers', namespace: 'containers of names', type_deduction: 'static types',
  unknowns: 'partial evaluation',
};
const MESSAGES = /google\.(protobuf\.(?!Timestamp|Duration)|type|rpc)|TestAllTypes|cel\.expr/;

class Unfit extends Error {}

const TIMES = { 'type.googleapis.com/google.protobuf.Timestamp': 'google.protobuf.Timestamp', 'type.googleapis.com/google.protobuf.Duration': 'google.protobuf.Duration' };

/** A value of the suite: its type, and what it is in the form in which the example answers. Throws for what is no value of ours. */
function expectedOf(value) {
  const [kind, inner] = Object.entries(value)[0] ?? [];
  switch (kind) {
    case 'nullValue': return { type: 'null_type', value: null };
    case 'boolValue': return { type: 'bool', value: inner };
    case 'int64Value': return { type: 'int', value: { int: inner } };
    case 'uint64Value': return { type: 'uint', value: { int: inner } };
    case 'doubleValue': return { type: 'double', value: { double: Number(inner) } };
    case 'stringValue': return { type: 'string', value: inner };
    case 'bytesValue': return { type: 'bytes', value: inner };
    case 'typeValue': return { type: 'type', value: inner };
    case 'listValue': return { type: 'list', value: (inner.values ?? []).map((one) => expectedOf(one).value) };
    case 'mapValue': return {
      type: 'map',
      value: { map: Object.fromEntries((inner.entries ?? []).map(({ key, value: one }) => [String(Object.values(key)[0]), expectedOf(one).value])) },
    };
    case 'objectValue': {
      const type = TIMES[inner['@type']];
      if (type === undefined) throw new Unfit('protocol buffers');
      return { type, value: type.endsWith('Duration') ? { int: String(Math.trunc(Number(inner.value.replace('s', '')) * 1000)) } : inner.value };
    }
    default: throw new Unfit(`a value of the kind ${kind}`);
  }
}

/** A binding of the suite as the JSON text of a name. */
function bindingOf(value) {
  const [kind, inner] = Object.entries(value)[0] ?? [];
  switch (kind) {
    case 'nullValue': return 'null';
    case 'boolValue': case 'stringValue': return JSON.stringify(inner);
    case 'int64Value': case 'uint64Value': return String(inner);
    case 'doubleValue': {
      const number = Number(inner);
      if (!Number.isFinite(number)) throw new Unfit('a name whose value JSON cannot say');
      return Number.isInteger(number) ? `${number}.0` : String(number);
    }
    case 'listValue': return `[${(inner.values ?? []).map(bindingOf).join(',')}]`;
    case 'mapValue': {
      const entries = inner.entries ?? [];
      if (entries.some(({ key }) => !('stringValue' in key))) throw new Unfit('a name whose value JSON cannot say');
      return `{${entries.map(({ key, value: one }) => `${JSON.stringify(key.stringValue)}:${bindingOf(one)}`).join(',')}}`;
    }
    // Bytes, times and durations come into an expression as texts; no name of a workflow has such a value.
    case 'bytesValue': case 'objectValue': case 'typeValue': throw new Unfit('a name whose value JSON cannot say');
    default: throw new Unfit(`a value of the kind ${kind}`);
  }
}

/** Equal, where a double is the same double (0 and -0 are: CEL says that they are equal). */
function same(expected, found) {
  if (expected === null || typeof expected !== 'object') return expected === found;
  if (found === null || typeof found !== 'object') return false;
  if ('double' in expected) return 'double' in found && Number(found.double) === expected.double;
  const keys = Object.keys(expected);
  return Array.isArray(expected) === Array.isArray(found) && keys.length === Object.keys(found).length && keys.every((key) => same(expected[key], found[key]));
}

/** Why an answer is not the right one; undefined when it is. */
function difference(test, answer) {
  if (test.evalError !== undefined) return answer.error === undefined ? `gives ${JSON.stringify(answer.value)}, should fail` : undefined;
  if (answer.error !== undefined) return `fails: ${answer.error}`;
  const expected = expectedOf(test.typedResult?.result ?? test.value ?? { boolValue: true });
  if (answer.type !== expected.type) return `is of the type ${answer.type}, should be ${expected.type}`;
  return same(expected.value, answer.value) ? undefined : `gives ${JSON.stringify(answer.value)}, should give ${JSON.stringify(expected.value)}`;
}

/** The cases that apply, by name, and how many are left out for which reason. */
function cases() {
  const all = new Map();
  const left = {};
  const leave = (why) => { left[why] = (left[why] ?? 0) + 1; };
  const take = (path, test) => {
    if (LEFT_OUT[path[0]]) return leave(LEFT_OUT[path[0]]);
    if (test.checkOnly || test.unknown || test.anyUnknowns) return leave('static types');
    if (test.container) return leave('containers of names');
    if (MESSAGES.test(test.expr)) return leave('protocol buffers');
    const names = Object.entries(test.bindings ?? {}).map(([name, bound]) => `${JSON.stringify(name)}:${bindingOf(bound.value)}`);
    if (test.evalError === undefined) expectedOf(test.typedResult?.result ?? test.value ?? { boolValue: true });
    const name = [...path, test.name].join('/');
    if (all.has(name)) throw new Error(`two cases have the name ${name}`);
    return all.set(name, { test, line: `{"text":${JSON.stringify(test.expr)},"names":{${names.join(',')}}}` });
  };
  const walk = (suite, path) => {
    const here = [...path, suite.name];
    for (const inner of suite.suites ?? []) walk(inner, here);
    for (const { original } of suite.tests ?? []) {
      try {
        take(here, original);
      } catch (error) {
        if (!(error instanceof Unfit)) throw error;
        leave(error.message);
      }
    }
  };
  for (const suite of conformance.suites) walk(suite, []);
  return { all, left };
}

/** What the engine says to each case, in their order. */
async function answers(all) {
  const program = spawn(`${target}/debug/examples/expressions`, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((done, failed) => { program.on('error', failed); program.on('close', done); });
  let out = '';
  program.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
  program.stdin.end([...all.values()].map(({ line }) => `${line}\n`).join(''));
  const code = await ended;
  const lines = out.trim().split('\n');
  if (code !== 0 || lines.length !== all.size) throw new Error(`the engine answered ${lines.length} of ${all.size} cases and ended with ${code}`);
  return lines.map((line) => JSON.parse(line));
}

/** Reports whether all cases come out as the specification or the list of differences says. */
export async function cel(report, write) {
  await report('CEL: the conformance cases', async () => {
    const { all, left } = cases();
    const { groups, cases: told } = JSON.parse(await readFile(listed, 'utf8'));
    const found = await answers(all);
    const wrong = [...all].flatMap(([name, { test }], at) => {
      const why = difference(test, found[at]);
      return why === undefined ? [] : [{ name, why: `${test.expr.replaceAll('\n', ' ')}: ${why}` }];
    });
    for (const [why, count] of Object.entries(left)) console.log(`        ${count} left out: ${why}`);
    console.log(`        ${all.size} apply, ${all.size - wrong.length} give what the specification says, ${wrong.length} differ`);
    if (write) {
      for (const { name, why } of wrong) if (told[name] === undefined) console.log(`        new: ${name}: ${why}`);
      const list = Object.fromEntries(wrong.map(({ name }) => [name, told[name] ?? '?']));
      await writeFile(listed, `${JSON.stringify({ groups, cases: list }, null, 2)}\n`);
      return;
    }
    const text = await readFile(page, 'utf8');
    const used = new Set(Object.values(told));
    const problems = [
      ...wrong.filter(({ name }) => told[name] === undefined).map(({ name, why }) => `differs and is not listed: ${name}: ${why}`),
      ...Object.keys(told).filter((name) => !wrong.some((one) => one.name === name)).map((name) => `is listed and does not differ: ${name}`),
      ...[...used].filter((group) => groups[group] === undefined).map((group) => `the group ${group} has no reason`),
      ...Object.keys(groups).filter((group) => !used.has(group)).map((group) => `no case is of the group ${group}`),
      ...Object.keys(groups).filter((group) => !text.includes(`| \`${group}\` |`)).map((group) => `docs/expressions.md does not name the group ${group}`),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
}
