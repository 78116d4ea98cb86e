/** Spans are turned on in the settings, tried against a collector, and a step of a run leads to its trace. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { shot } from './document.ts';
import { expect, test } from './host.ts';
import { makeWorkflow } from './people.ts';

const NODES = { start: { type: 'trigger.manual', title: 'Start' }, set: { type: 'data.set', title: 'Greet', config: { assign: { text: 'hello' } } } };

test('O-10: a collector is set, tried and used, and a step has a link to its trace', async ({ open, host }) => {
  const asked: string[] = [];
  let answer = 200;
  const collector = createServer((request, response) => {
    asked.push(`${String(request.method)} ${String(request.url)}`);
    request.resume().on('end', () => { response.writeHead(answer).end(); });
  });
  await new Promise<void>((ready) => { collector.listen(0, '127.0.0.1', ready); });
  try {
    const address = `http://127.0.0.1:${String((collector.address() as AddressInfo).port)}`;
    const page = await open('#/settings/telemetry');
    const section = page.getByRole('region', { name: 'Telemetry' });
    const on = section.getByRole('switch', { name: 'Send traces of runs' });
    await expect(on).not.toBeChecked();
    await section.getByLabel('Collector address').fill(address);
    await section.getByLabel('Link to a trace').fill('https://traces.example/trace/{traceId}?span={spanId}');
    await section.getByRole('button', { name: 'Save' }).click();
    answer = 401;
    await section.getByRole('button', { name: 'Send a test span' }).click();
    await expect(section.getByText('The test span did not arrive')).toBeVisible();
    answer = 200;
    await section.getByRole('button', { name: 'Send a test span' }).click();
    await expect(section.getByText(/took the test span/)).toBeVisible();
    expect(asked).toEqual(['POST /v1/traces', 'POST /v1/traces']);
    await on.click();
    await expect(on).toBeChecked();
    await expect(section.getByText(/0 spans sent since the start/)).toBeVisible();
    await shot(page, 'telemetry');
    const { ref } = await makeWorkflow(host, { signalbox: 1, id: 'traced', name: 'Traced', nodes: NODES, edges: [{ from: 'start.success', to: 'set' }], layout: { start: [0, 0], set: [248, 0] } });
    const { runId } = await host.rpc<{ runId: string }>('run_start', { ref, params: {} });
    await expect.poll(async () => (await host.rpc<{ sent: number }>('telemetry_get')).sent).toBeGreaterThan(1);
    await page.evaluate((hash) => { window.location.hash = hash; }, `#/run/${runId}`);
    await page.locator('[data-node="set"]').click();
    const panel = page.getByRole('complementary', { name: 'Step settings' });
    await panel.getByRole('tab', { name: /Output/ }).click();
    await expect(panel.getByRole('link', { name: 'Open trace' })).toHaveAttribute('href', /^https:\/\/traces\.example\/trace\/[0-9a-f]{32}\?span=[0-9a-f]{16}$/);
    await shot(page, 'telemetry-step');
  } finally {
    collector.close();
  }
});
