// The servers of the protocol's own project, called through the real program: over standard input and output, and over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { Signalbox } from './signalbox.mjs';

/** The program of a server. */
export const server = (name) => join(import.meta.dirname, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');

/** The only item that a run of one step gives. */
function output(summary) {
  assert.equal(summary.status, 'completed', JSON.stringify(summary.error));
  return summary.output[0];
}

function failed(summary, type, code) {
  assert.equal(summary.status, 'failed', JSON.stringify(summary.output));
  assert.deepEqual([summary.error.type, summary.error.details.code], [type, code], summary.error.message);
  return summary.error;
}

/** A workflow of one step. */
const step = (tool, args, more = {}) => ({
  signalbox: 1, id: 'peer', name: 'Peer', settings: { errorPolicy: 'fail' }, edges: [],
  nodes: { call: { type: 'mcp.tool', config: { server: 'all', tool, arguments: args }, ...more } },
});

async function freePort() {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address();
  holder.close();
  await once(holder, 'close');
  return port;
}

/** `server-everything` over HTTP; it says when it listens. */
async function overHttp() {
  const port = await freePort();
  const child = spawn(process.execPath, [server('everything'), 'streamableHttp'], { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ready = new Promise((done, fail) => {
    let said = '';
    const hear = (chunk) => { said += chunk; if (/listening on port/i.test(said)) done(); };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => fail(new Error(`It ended: ${said}`)));
  });
  await ready;
  return { child, url: `http://127.0.0.1:${port}/mcp` };
}

/** What holds over either transport. */
const EITHER = {
  async 'its tools are shown and approved'(place) {
    const found = await place.run('tools', 'available');
    const names = found.json.map((tool) => tool.name ?? tool.tool);
    for (const name of ['echo', 'get-sum', 'get-structured-content', 'get-tiny-image']) assert.ok(names.includes(name), `${name} in ${names}`);
  },
  async 'text'(place) {
    assert.equal(output(await place.call('all', 'echo', { message: 'hä? ✓' })), 'Echo: hä? ✓');
    assert.equal(output(await place.call('all', 'get-sum', { a: 2, b: 3.5 })), 'The sum of 2 and 3.5 is 5.5.');
  },
  async 'structured content that fits its schema'(place) {
    const found = output(await place.call('all', 'get-structured-content', { location: 'Chicago' }));
    assert.deepEqual(Object.keys(found).sort(), ['conditions', 'humidity', 'temperature']);
  },
  async 'arguments that do not fit are refused before the call'(place) {
    const error = failed(await place.call('all', 'get-sum', { a: 'two', b: 3 }), 'ValidationError', 'INPUT_INVALID');
    assert.match(error.message, /get-sum/);
  },
  async 'a tool that is not there'(place) {
    failed(await place.call('all', 'nope'), 'ToolError', 'TOOL_NOT_FOUND');
  },
  async 'an image, links and a resource'(place) {
    const image = output(await place.call('all', 'get-tiny-image')).content.find((part) => part.type === 'image');
    assert.equal(image.mimeType, 'image/png');
    assert.deepEqual([...Buffer.from(image.data, 'base64').subarray(1, 4)], [...Buffer.from('PNG')]);
    const links = output(await place.call('all', 'get-resource-links', { count: 2 })).content.filter((part) => part.type === 'resource_link');
    assert.equal(links.length, 2);
    const resource = output(await place.call('all', 'get-resource-reference', { resourceType: 'Text', resourceId: 1 }));
    assert.ok(resource.content.some((part) => part.type === 'resource'));
  },
  async 'progress is told while it works, in order'(place) {
    const file = place.file('long.json', step('trigger-long-running-operation', { duration: 1, steps: 4 }));
    const done = await place.run('run', file, '--events');
    assert.equal(done.json.status, 'completed', JSON.stringify(done.json.error));
    const types = done.lines.filter((one) => one.stepId === 'call').map((one) => one.type);
    const told = done.lines.filter((one) => one.type === 'tool_message').map((one) => one.payload.data?.progress);
    assert.deepEqual(told, [1, 2, 3, 4]);
    assert.deepEqual(types.filter((type) => type !== 'tool_message'), ['step_start', 'tool_start', 'tool_done', 'step_done']);
    assert.ok(types.indexOf('tool_start') < types.indexOf('tool_message') && types.lastIndexOf('tool_message') < types.indexOf('tool_done'));
  },
  async 'progress does not carry a call over the time of its step'(place) {
    const file = place.file('slow.json', step('trigger-long-running-operation', { duration: 60, steps: 600 }, { timeoutMs: 1_500 }));
    const error = failed((await place.run('run', file)).json, 'Timeout', 'TIMEOUT');
    // What is written may have happened: a person decides (K-43).
    assert.deepEqual([error.retryable, error.details.effect], [false, 'unknown']);
  },
};

/** What a server asks back in the middle of a call (elicitation). */
const QUESTIONS = {
  async 'a question is answered in the inbox, and the call continues'(place) {
    const values = { name: 'Ada', check: true, titledSingleSelectEnum: 'hero-2', untitledMultipleSelectEnum: ['Piano', 'Bass'] };
    const { task, result } = await place.answering(place.call('all', 'trigger-elicitation-request'), 'submit', values);
    assert.equal(task.reason, 'question');
    const said = JSON.stringify(output(result));
    assert.match(said, /provided the requested information/);
    for (const part of ['Name: Ada', 'Agreed to terms: true', 'Favorite Integer: 42', 'hero-2', 'Piano']) assert.ok(said.includes(part), `${part} in ${said}`);
  },
  async 'a refusal is told to the server, and its answer is the result'(place) {
    const { result } = await place.answering(place.call('all', 'trigger-elicitation-request'), 'reject');
    assert.match(JSON.stringify(output(result)), /declined/);
  },
  async 'a question that nobody answers in time is cancelled'(place) {
    const file = place.file('ask.json', step('trigger-elicitation-request', {}));
    const flow = JSON.parse(readFileSync(file, 'utf8'));
    flow.nodes.call.config.answerWithinMs = 1_000;
    const done = await place.run('run', place.file('ask.json', flow));
    assert.match(JSON.stringify(output(done.json)), /cancelled|canceled/i);
  },
  async 'a step that declines asks nobody'(place) {
    const file = place.file('no.json', step('trigger-elicitation-request', {}));
    const flow = JSON.parse(readFileSync(file, 'utf8'));
    flow.nodes.call.config.onQuestion = 'decline';
    const done = await place.run('run', place.file('no.json', flow));
    assert.match(JSON.stringify(output(done.json)), /declined/);
  },
};

const STDIO = {
  async 'a process gets the variables that it was approved with, and few others'(place) {
    const env = output(await place.call('all', 'get-env'));
    assert.equal(env.PEER, 'yes');
    assert.deepEqual(Object.keys(env).filter((name) => /SIGNALBOX|CARGO|npm_/i.test(name)), []);
  },
};

const HTTP = {
  async 'a server that dies in mid-call ends the step, not the program'(place, { child }) {
    const file = place.file('cut.json', step('trigger-long-running-operation', { duration: 60, steps: 600 }));
    const running = place.watch('run', file, '--events');
    await running.until((event) => event.type === 'tool_message');
    child.kill('SIGKILL');
    const error = failed(await running.ended, 'NetworkError', 'CONNECTION');
    assert.deepEqual([error.retryable, error.details.effect], [false, 'unknown']);
  },
  async 'a server that is not there'(place) {
    failed(await place.call('all', 'echo', { message: 'x' }), 'NetworkError', 'CONNECTION');
  },
};

const FILES = {
  async 'a file is written, listed, changed and read'(place, { folder }) {
    const path = join(folder, 'note.txt');
    output(await place.call('all', 'write_file', { path, content: 'one\ntwo\n' }));
    assert.match(output(await place.call('all', 'list_directory', { path: folder })).content, /\[FILE\] note\.txt/);
    output(await place.call('all', 'edit_file', { path, edits: [{ oldText: 'two', newText: 'three' }] }));
    assert.equal(readFileSync(path, 'utf8'), 'one\nthree\n');
    assert.equal(output(await place.call('all', 'read_text_file', { path, head: 1 })).content, 'one');
  },
  async 'outside its folder the server refuses, and that is an error of the tool'(place) {
    const error = failed(await place.call('all', 'read_text_file', { path: '/etc/passwd' }), 'ToolError', 'TOOL_FAILED');
    assert.match(error.message, /denied|outside/i);
  },
  async 'a file that is not there'(place, { folder }) {
    const error = failed(await place.call('all', 'read_text_file', { path: join(folder, 'nope') }), 'ToolError', 'TOOL_FAILED');
    assert.match(error.message, /ENOENT|no such file/i);
  },
  async 'another folder among its arguments has to be approved again'(place, { folder }) {
    await place.run('tools', 'set', 'all', '--', process.execPath, server('filesystem'), folder, '/');
    failed(await place.call('all', 'list_directory', { path: '/' }), 'ToolError', 'TOOL_NOT_APPROVED');
  },
};

async function all(report, title, cases, place, more) {
  for (const [name, one] of Object.entries(cases)) await report(`${title}: ${name}`, () => one(place, more));
}

/** Reports each case by its name. */
export async function servers(report) {
  const stdio = new Signalbox();
  await stdio.server('all', '--env', 'PEER=yes', '--', process.execPath, server('everything'));
  await all(report, 'everything, stdio', { ...EITHER, ...QUESTIONS, ...STDIO }, stdio);
  stdio.end();

  const http = new Signalbox();
  const peer = await overHttp();
  try {
    await http.server('all', '--url', peer.url);
    await all(report, 'everything, HTTP', { ...EITHER, ...QUESTIONS, ...HTTP }, http, peer);
  } finally {
    peer.child.kill('SIGKILL');
    http.end();
  }

  const files = new Signalbox();
  const folder = join(files.folder, 'files');
  mkdirSync(folder);
  await files.server('all', '--', process.execPath, server('filesystem'), folder);
  await all(report, 'filesystem, stdio', FILES, files, { folder });
  files.end();
}
