// Agents of others: the official SDK for JavaScript as an agent that the real program asks, and as a client that asks workflows of the
// real program.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AgentCard, Message, Part, Role, SendMessageRequest, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent, generateAgentCardSignature } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { Signalbox } from './signalbox.mjs';

const said = (message) => message.parts.map((part) => Part.toJSON(part).text ?? '').join('');

/** Does what the first word of the message says; a second message to a task is the answer to its question. */
class Worker {
  canceled = [];

  seen = [];

  async execute(context, bus) {
    const { taskId, contextId, userMessage, task } = context;
    const text = said(userMessage);
    this.seen.push({ text, taskId, isNew: !task });
    const status = (state, words) => ({ state, ...(words ? { message: { messageId: `${taskId}-${words.length}`, role: 'ROLE_AGENT', taskId, contextId, parts: [{ text: words }] } } : {}) });
    const update = (state, words) => bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status: status(state, words) })));
    if (text.startsWith('quick')) {
      bus.publish(AgentEvent.message(Message.fromJSON({ messageId: 'q', role: 'ROLE_AGENT', contextId, parts: [{ text: 'Quick answer' }] })));
      bus.finished();
      return;
    }
    // The SDK wants every stream to begin with the task: here as it stood before the answer.
    if (task) bus.publish(AgentEvent.task(task));
    else bus.publish(AgentEvent.task(Task.fromJSON({ id: taskId, contextId, status: status('TASK_STATE_SUBMITTED'), history: [Message.toJSON(userMessage)] })));
    update('TASK_STATE_WORKING', 'on it');
    if (text.startsWith('fail')) update('TASK_STATE_FAILED', 'Out of paper');
    else if (text.startsWith('ask')) update('TASK_STATE_INPUT_REQUIRED', 'Which colour?');
    else if (text.startsWith('wait')) {
      // Until it is canceled.
      await new Promise((done) => { this.release = done; });
      update('TASK_STATE_CANCELED');
    } else {
      const piece = (words, append) => bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ taskId, contextId, append, lastChunk: append, artifact: { artifactId: 'a1', name: 'answer', parts: [{ text: words }] } })));
      piece('You said: ', false);
      piece(text, true);
      update('TASK_STATE_COMPLETED');
    }
    bus.finished();
  }

  cancelTask = async (taskId) => {
    this.canceled.push(taskId);
    this.release?.();
  };
}

/** An agent of the SDK on a free port; its card is signed when there is a key. */
async function agent({ streaming, sign, change = (card) => card }) {
  const app = express();
  const server = await new Promise((done) => { const one = app.listen(0, '127.0.0.1', () => done(one)); });
  const base = `http://127.0.0.1:${server.address().port}`;
  const card = AgentCard.fromJSON({
    name: 'Worker', description: 'Works.', version: '1.0.0', capabilities: { streaming },
    supportedInterfaces: [{ url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [{ id: 'work', name: 'Work', description: 'Works.', tags: ['work'] }],
  });
  const worker = new Worker();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (sign) await generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'k1', typ: 'JOSE', jku: `${base}/keys.json` })(card).then((signed) => { card.signatures = signed.signatures; });
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), worker);
  app.get('/.well-known/agent-card.json', (_, answer) => { answer.json(change(AgentCard.toJSON(card))); });
  app.get('/keys.json', (_, answer) => { answer.json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' }] }); });
  app.use('/rpc', jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
  return { base, worker, close: () => { server.closeAllConnections(); server.close(); } };
}

const asks = (place, base, message, more = {}) => place.file('ask.signalbox.json', {
  signalbox: 1, id: 'ask', name: 'Ask', settings: { errorPolicy: 'fail' },
  nodes: { ask: { type: 'a2a.agent', config: { url: base, message, ...more } } }, edges: [],
});

async function withAgent(options, work) {
  const place = new Signalbox();
  const other = await agent(options);
  try {
    await work(place, other);
  } finally {
    other.close();
    place.end();
  }
}

async function asClient(report) {
  for (const streaming of [true, false]) {
    const how = streaming ? 'streaming' : 'polling';
    await report(`a2a: a step asks an agent of the SDK, ${how}`, () => withAgent({ streaming }, async (place, other) => {
      const done = await place.run('run', asks(place, other.base, 'hello'));
      assert.equal(done.json.status, 'completed', JSON.stringify(done.json));
      assert.deepEqual([done.json.output[0].text, done.json.output[0].state], ['You said: hello', 'completed']);
      const quick = await place.run('run', asks(place, other.base, 'quick'));
      assert.equal(quick.json.output[0].text, 'Quick answer');
      const failed = await place.run('run', asks(place, other.base, 'fail'));
      assert.deepEqual([failed.json.status, failed.json.error.details.code], ['failed', 'AGENT_FAILED']);
      assert.match(failed.json.error.message, /Out of paper/);
    }));
    await report(`a2a: a question is answered in the inbox, ${how}`, () => withAgent({ streaming }, async (place, other) => {
      const paused = await place.run('run', asks(place, other.base, 'ask'));
      assert.equal(paused.json.status, 'paused', JSON.stringify(paused.json));
      const [task] = (await place.run('tasks', 'list')).json;
      await place.run('tasks', 'complete', task.id, '--action', 'submit', '--input', '{"answer":"green"}');
      const done = await place.run('resume', paused.json.runId);
      assert.deepEqual([done.json.status, done.json.output[0].text], ['completed', 'You said: green'], JSON.stringify(done.json));
      assert.deepEqual(other.worker.seen.map((one) => one.isNew), [true, false]);
    }));
  }
  await report('a2a: a time limit cancels the task', () => withAgent({ streaming: true }, async (place, other) => {
    const done = await place.run('run', asks(place, other.base, 'wait', { timeoutMs: 2_000 }));
    assert.equal(done.json.error.details.code, 'TIMEOUT', JSON.stringify(done.json));
    assert.equal(other.worker.canceled.length, 1);
  }));
  await report('a2a: a signed card holds, a changed one does not', async () => {
    const required = { signature: 'required' };
    await withAgent({ streaming: false, sign: true }, async (place, other) => {
      const done = await place.run('run', asks(place, other.base, 'hello', required));
      assert.equal(done.json.status, 'completed', JSON.stringify(done.json));
    });
    await withAgent({ streaming: false, sign: true, change: (card) => ({ ...card, description: 'Changed.' }) }, async (place, other) => {
      const done = await place.run('run', asks(place, other.base, 'hello'));
      assert.equal(done.json.error.details.code, 'AGENT_SIGNATURE', JSON.stringify(done.json));
    });
    await withAgent({ streaming: false }, async (place, other) => {
      const done = await place.run('run', asks(place, other.base, 'hello', required));
      assert.equal(done.json.error.details.code, 'AGENT_SIGNATURE', JSON.stringify(done.json));
    });
  });
}

const offered = (id, node) => ({
  signalbox: 1, id, name: id, description: `Does ${id}.`, settings: { errorPolicy: 'fail' },
  params: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  nodes: { start: { type: 'trigger.manual', config: { offerAsAgent: true } }, work: node }, edges: [{ from: 'start.success', to: 'work' }],
});

const message = (text) => SendMessageRequest.fromJSON({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } });

async function asServer(report) {
  const place = new Signalbox();
  const flows = [
    offered('greet', { type: 'data.set', config: { assign: { text: 'Hello {{params.name}}' }, keep: false } }),
    offered('fails', { type: 'flow.fail', config: { error: { message: 'Out of paper' } } }),
    offered('asks', { type: 'builtin.human_approval', config: { title: 'May it?' } }),
  ];
  for (const flow of flows) {
    const done = await place.run('activate', place.file(`${flow.id}.signalbox.json`, flow));
    assert.equal(done.code, 0, JSON.stringify(done.json));
  }
  const serving = place.watch('serve', '--addr', '127.0.0.1:0');
  try {
    await serving.until((line) => line.url);
    const { url, tokenFile } = serving.lines.find((line) => line.url);
    const token = readFileSync(tokenFile, 'utf8').trim().split(/\s+/).at(-1);
    const fetchImpl = (to, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(to, { ...init, headers });
    };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports: [new JsonRpcTransportFactory({ fetchImpl })] }));
    const base = new URL(url).origin;
    const client = (id) => factory.createFromUrl(base, `/a2a/${id}/.well-known/agent-card.json`);
    await report('a2a: the SDK asks a workflow', async () => {
      const task = await (await client('greet')).sendMessage(message('Ada'));
      assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED, JSON.stringify(task));
      assert.equal(Part.toJSON(task.artifacts[0].parts[0]).text, 'Hello Ada');
      const failed = await (await client('fails')).sendMessage(message('Ada'));
      assert.equal(failed.status.state, TaskState.TASK_STATE_FAILED);
      assert.equal(failed.status.message.role, Role.ROLE_AGENT);
      assert.match(said(failed.status.message), /Out of paper/);
    });
    await report('a2a: the SDK follows a workflow', async () => {
      const kinds = [];
      for await (const event of (await client('greet')).sendMessageStream(message('Ada'))) kinds.push(event.payload.$case);
      assert.equal(kinds[0], 'task');
      assert.ok(kinds.length === 1 || kinds.at(-1) === 'statusUpdate', kinds.join());
    });
    await report('a2a: a run that waits for a person is at work, and can be canceled', async () => {
      const asking = await client('asks');
      const task = await asking.sendMessage(message('Ada'));
      assert.equal(task.status.state, TaskState.TASK_STATE_WORKING);
      const again = await asking.getTask({ id: task.id });
      assert.equal(again.id, task.id);
      const ended = await asking.cancelTask({ id: task.id });
      assert.equal(ended.status.state, TaskState.TASK_STATE_CANCELED);
      await assert.rejects(asking.getTask({ id: 'nobody' }));
    });
  } finally {
    serving.kill();
    await serving.ended;
    place.end();
  }
}

export async function a2a(report) {
  await asClient(report);
  await asServer(report);
}
