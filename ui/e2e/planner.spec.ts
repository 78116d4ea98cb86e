/** A sentence becomes a proposal on the canvas; it is tried, corrected, and accepted part by part. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDocument, saved, shot } from './document.ts';
import { expect, test } from './host.ts';
import { answerInPieces, answerWhole, modelPeer } from './model-peer.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string; config?: Record<string, unknown> } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}

/** Answers with what it knows of a user, and counts what it is asked for. */
async function service() {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${String(request.method)} ${String(request.url)}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ login: 'torvalds', id: 1, bio: 'Kernel' }));
  });
  await new Promise<void>((done) => { server.listen(0, '127.0.0.1', done); });
  return { base: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, hits, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** Answers in order; the draft comes piece by piece, when the test wants it. */
async function planner(answers: readonly string[]) {
  let said: ReturnType<typeof answerInPieces> | undefined;
  const peer = await modelPeer((response, n) => {
    const asked = peer.asked[n] as unknown as { stream?: boolean };
    if (asked.stream) said = answerInPieces(response, 'small');
    else answerWhole(response, 'small', answers[n] ?? '{}', [100, 10]);
  });
  return { ...peer, say: (content: string) => said?.piece({ content }), end: () => said?.end('stop', [100, 10]) };
}

test('ts_130 a sentence is drafted on the canvas, tried, corrected and accepted', async ({ open, host }) => {
  const far = await service();
  const fix = { patch: [{ op: 'set', node: 'fetch', path: '/config/extract/name', value: '$.login' }] };
  const model = await planner([
    JSON.stringify({ kinds: ['http.request', 'data.set'], steps: ['Fetch the user', 'Keep the name'] }),
    '',
    JSON.stringify({ name: 'GitHub user', description: 'Fetches a user.', titles: { fetch: 'Fetch the user', keep: 'Keep the name', send: 'Send it' } }),
    JSON.stringify(fix),
  ]);
  try {
    await host.rpc('model_set', { name: 'house', kind: 'openai', baseUrl: model.base, models: [{ name: 'small' }] });
    await host.rpc('model_default_set', { default: { provider: 'house', model: 'small' } });
    const { page, made } = await openDocument<Doc>(open, host, 'Drafted', {});
    await page.keyboard.press('Control+i');
    const panel = page.getByRole('region', { name: 'Planner' });
    await expect(panel.getByText(/at most 6,000 tokens/)).toBeVisible();
    await panel.getByRole('textbox').fill('fetch the user torvalds from GitHub and keep the name');
    await panel.getByRole('button', { name: 'Plan', exact: true }).click();

    // The draft grows while it is written.
    await expect.poll(() => model.asked.length).toBe(2);
    model.say(`{"nodes":[{"id":"fetch","kind":"http.request","config":{"url":"${far.base}/user","extract":{"name":"$.username"}}},`);
    await expect(page.locator('.cv [data-node="fetch"]')).toBeVisible();
    await expect(page.locator('.cv [data-node="keep"]')).toHaveCount(0);
    await expect(panel.getByText('Writing the draft…')).toBeVisible();
    model.say('{"id":"keep","kind":"data.set","config":{"assign":{"name":"{{item.extracted.name}}"},"keep":false}},');
    model.say(`{"id":"send","kind":"http.request","config":{"method":"POST","url":"${far.base}/send","body":{"a":1}}}],"edges":[["fetch","keep"],["keep","send"]]}`);
    model.end();
    await expect(panel.getByText('The draft is ready.')).toBeVisible();
    await expect(page.locator('.cv [data-node="keep"] [data-mark="differs"]')).toHaveAttribute('title', 'New in the proposal');
    await shot(page, 'planner-proposal');
    expect(far.hits).toEqual([]);

    // Consent: what is called, and writes only when they are selected.
    await panel.getByRole('button', { name: 'Try it' }).click();
    const consent = page.getByRole('dialog', { name: 'Try the proposal' });
    await expect(consent.locator('[data-call="fetch"]')).toContainText(`GET ${far.base}`);
    await expect(consent.getByRole('checkbox')).toHaveCount(1);
    await expect(consent.getByRole('checkbox', { name: 'Call Send it for real' })).not.toBeChecked();
    await shot(page, 'planner-consent');
    await consent.getByRole('button', { name: 'Try it now' }).click();
    await expect(panel.getByText('Guessed: $.username')).toBeVisible();
    await expect(panel.getByText('There: login, id, bio')).toBeVisible();
    await expect(panel.getByText(/Changed \/nodes\/fetch\/config\/extract\/name/)).toBeVisible();
    await shot(page, 'planner-attempts');
    expect(far.hits).toEqual(['GET /user', 'GET /user']);

    // One part is rejected, one is accepted, then the rest: each is one step of undo.
    await panel.getByRole('button', { name: 'Reject Send it' }).click();
    await expect(page.locator('.cv [data-node="send"]')).toHaveCount(0);
    await panel.getByRole('button', { name: 'Accept Fetch the user' }).click();
    await expect(panel.locator('[data-part="step:fetch"]')).toHaveCount(0);
    await panel.getByRole('button', { name: 'Accept all' }).click();
    await expect(panel.getByRole('button', { name: 'Accept all' })).toHaveCount(0);
    await expect(page.locator('.cv [data-node]')).toHaveCount(2);
    await expect(page.getByRole('heading', { name: 'GitHub user' })).toBeVisible();
    await page.getByRole('button', { name: 'Undo: Accept proposal' }).click();
    await expect(page.locator('.cv [data-node="fetch"]')).toBeVisible();
    await page.getByRole('button', { name: 'Redo: Accept proposal' }).click();
    await expect(page.locator('.cv [data-node="keep"]')).toBeVisible();
    const file = await saved<Doc>(page, made);
    expect(Object.keys(file.nodes)).toEqual(['fetch', 'keep']);
    expect(file.nodes['fetch']?.config).toMatchObject({ extract: { name: '$.login' } });
    const { entries } = await host.rpc<{ entries: { event: string }[] }>('audit_list', { limit: 50 });
    expect(entries.filter((entry) => entry.event === 'PLAN_ACCEPTED')).toHaveLength(2);

    // What it does, without a model; a line leads to its step.
    await panel.getByRole('button', { name: 'What does this do?' }).click();
    const told = panel.getByRole('region', { name: 'What the workflow does' });
    await expect(told).toContainText(`GET ${far.base}`);
    await told.getByRole('button', { name: 'Keep the name' }).click();
    await expect(page.locator('.cv [data-node="keep"].is-sel')).toBeVisible();
    await panel.getByRole('button', { name: 'Delete conversation' }).click();
    await expect(panel.getByText('The draft is ready.')).toHaveCount(0);
  } finally {
    await host.rpc('model_default_set', {});
    await host.rpc('model_delete', { name: 'house' });
    model.stop();
    far.stop();
  }
});

test('without a model the panel says how to add one', async ({ open, host }) => {
  const { page } = await openDocument<Doc>(open, host, 'No model', { nodes: { start: { type: 'trigger.manual', title: 'Start' } }, edges: [], layout: { start: [0, 0] } });
  await page.locator('.bar').getByRole('button', { name: 'Plan' }).click();
  const panel = page.getByRole('region', { name: 'Planner' });
  await expect(panel.getByText('No model is configured')).toBeVisible();
  await panel.getByRole('button', { name: 'What does this do?' }).click();
  await expect(panel.getByRole('region', { name: 'What the workflow does' })).toContainText('Start');
  await shot(page, 'planner-no-model');
  await panel.getByRole('button', { name: 'Add a model' }).click();
  await expect(page.getByRole('heading', { name: 'Models' })).toBeVisible();
});
