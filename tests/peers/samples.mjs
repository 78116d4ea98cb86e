// The samples of the gallery that need something set up: with the file server of the protocol's own project, and with a model
// by script, or a real one where one is named: SIGNALBOX_TEST_MODEL='KIND ADDRESS MODEL' (openai, anthropic, ollama; without a key).
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { server } from './servers.mjs';
import { Signalbox } from './signalbox.mjs';

const sample = (id) => join(import.meta.dirname, '../../src-tauri/crates/app/samples', `${id}.signalbox.json`);

/** What the model says to whom: the first line whose words stand in the question. */
const SAYS = [
  ["You mend what was read from an invoice", '{"supplier": "Lamps & Co", "net": 1200}'],
  ['Who sent this invoice', '{"supplier": "Lamps & Co", "net": "twelve hundred"}'],
  ["Choose 'refund'", '{"product": "lamp", "amount": 49, "reason": "It flickers.", "_next_node": "refund"}'],
  ['Write an outline', 'One. Two. Three.'],
  ['Write one short paragraph', 'Lighthouses blink so that ships know which one it is.'],
];

/** Speaks chat completions. */
async function scripted() {
  const host = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const words = JSON.parse(Buffer.concat(chunks).toString('utf8')).messages.map((one) => one.content).join('\n');
      const [, content] = SAYS.find(([asked]) => words.includes(asked)) ?? [undefined, 'OK'];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({
        model: 'scripted', choices: [{ message: { content }, finish_reason: 'stop' }], usage: { prompt_tokens: 100, completion_tokens: 50 },
      }));
    });
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  return host;
}

/** A place whose default model costs 3 and 15 a million tokens. */
async function withModel(kind, address, model) {
  const place = new Signalbox();
  const set = await place.run('models', 'set', 'house', '--kind', kind, '--url', address, '--model', `${model}=3/15`);
  assert.equal(set.code, 0, `${JSON.stringify(set.json)}${set.err}`);
  assert.equal((await place.run('models', 'default', 'house', model)).code, 0);
  return place;
}

const asks = async (place) => (await place.run('tasks', 'list')).json;

const MODEL = {
  async 'extract-validate-heal'(place) {
    const done = (await place.run('run', sample('extract-validate-heal'))).json;
    // A real model may read it right at once, or leave it to a person.
    assert.ok(['completed', 'paused'].includes(done.status), JSON.stringify(done.error));
    if (done.status === 'completed') assert.match(done.output[0].line, /Lamps.*1428/);
  },
  async 'triage-with-a-gate'(place) {
    const waiting = (await place.run('run', sample('triage-with-a-gate'))).json;
    assert.equal(waiting.status, 'paused', JSON.stringify(waiting));
    const [task] = await asks(place);
    assert.match(task.title, /^Refund 49 for /);
    assert.equal((await place.run('tasks', 'complete', task.id, '--action', 'approve')).code, 0);
    const done = (await place.run('resume', waiting.runId)).json;
    assert.equal(done.status, 'completed', JSON.stringify(done.error));
    assert.match(done.output[0].line, /^Refund of 49 for /);
    assert.equal(done.steps.reply.state, 'SKIPPED');
  },
  async 'a-budget-that-asks'(place) {
    const waiting = (await place.run('run', sample('a-budget-that-asks'))).json;
    assert.equal(waiting.status, 'paused', JSON.stringify(waiting));
    const [task] = await asks(place);
    const { error } = (await place.run('tasks', 'show', task.id)).json;
    assert.deepEqual([error.details.code, error.details.scope], ['BUDGET_EXCEEDED', 'run']);
    assert.equal((await place.run('tasks', 'complete', task.id, '--action', 'retry', '--budget', '1')).code, 0);
    const done = (await place.run('resume', waiting.runId)).json;
    assert.equal(done.status, 'completed', JSON.stringify(done.error));
    assert.ok(done.output[0].text.length > 0);
  },
};

async function files() {
  const place = new Signalbox();
  try {
    const folder = join(place.folder, 'files');
    mkdirSync(folder);
    await place.server('files', '--', process.execPath, server('filesystem'), folder);
    const done = (await place.run('run', sample('files-by-a-tool-server'), '--set', 'note="From a test"')).json;
    assert.equal(done.status, 'completed', JSON.stringify(done.error));
    assert.equal(done.output[0].note, 'From a test');
    assert.match(done.output[0].refused, /no such file|ENOENT/i);
    assert.equal(readFileSync(join(folder, 'signalbox-note.txt'), 'utf8'), 'From a test');
  } finally {
    place.end();
  }
}

/** Reports each sample. */
export async function samples(report) {
  await report('samples: files-by-a-tool-server', files);
  const real = process.env.SIGNALBOX_TEST_MODEL?.split(' ');
  const host = real ? undefined : await scripted();
  const [kind, address, model] = real ?? ['openai', `http://127.0.0.1:${host.address().port}/v1`, 'scripted'];
  for (const [id, one] of Object.entries(MODEL)) {
    await report(`samples: ${id} with ${model}`, async () => {
      const place = await withModel(kind, address, model);
      try {
        await one(place);
      } finally {
        place.end();
      }
    });
  }
  host?.close();
  host?.closeAllConnections();
}
