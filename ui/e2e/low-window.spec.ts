/** A low window with the log and a banner open: the settings of a step keep their room, and what runs the step stays in reach. */
import { expect, test } from './host.ts';
import { openDocument, shot } from './document.ts';

const PART = {
  settings: { errorPolicy: 'fail' },
  nodes: {
    start: { type: 'trigger.manual', title: 'Start' },
    fetch: { type: 'http.request', title: 'Fetch it', config: { url: 'http://127.0.0.1:9/nobody', method: 'GET' } },
    done: { type: 'flow.stop', config: { stopId: 'done' } },
  },
  edges: [{ from: 'start.success', to: 'fetch' }, { from: 'fetch.success', to: 'done' }],
  layout: { start: [0, 0], fetch: [248, 0], done: [496, 0] },
};

for (const [width, height] of [[1280, 800], [1440, 900]] as const) {
  test(`at ${width} x ${height} a failed step shows its settings under the banner and above the log`, async ({ open, host }) => {
    const { page } = await openDocument<typeof PART>(open, host, `Low ${height}`, PART);
    await page.setViewportSize({ width, height });
    await page.reload();
    await page.locator('.cv .react-flow__viewport').waitFor();
    await page.keyboard.press('F5');
    const banner = page.locator('.wb-banners .banner');
    await expect(banner).toBeVisible();
    await banner.getByRole('button', { name: 'Open step' }).click();
    const body = page.locator('.node-panel .tabpanel');
    await expect(page.getByLabel('Address', { exact: true })).toBeInViewport({ ratio: 1 });
    await expect.poll(async () => (await body.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(320);
    // The ways to run it and the breakpoint are wholly seen, in one line.
    const runs = page.getByRole('group', { name: 'Run', exact: true });
    for (const name of ['Run this step', 'Run to here', 'Run from here']) await expect(runs.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('switch', { name: 'Stop before this step' })).toBeInViewport({ ratio: 1 });
    await shot(page, `low-${height}`);
    // A change marks the result as stale, and the settings keep their room.
    await page.locator('.cv-node[data-node=fetch]').click();
    await page.keyboard.press('d');
    await expect(page.locator('.rr-line > p')).toHaveAttribute('title', /This result is out of date: the step changed/);
    expect((await body.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(320);
    await shot(page, `low-stale-${height}`);
  });
}
