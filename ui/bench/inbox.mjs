/** Frame times of an inbox of 10,000 tasks in a real browser: scrolls through all of them and prints one line of JSON.
 * `BENCH_SECONDS` is the time of the gesture (4), `BENCH_TASKS` their number. */
import { figures, frames, measured, rpc } from './program.mjs';

const TASKS = Number(process.env.BENCH_TASKS ?? 10_000);
/** Runs that are started side by side. */
const AT_ONCE = 32;
/** A frame that missed its turn at 60 a second. */
const DROPPED_MS = 25;

async function wait(url) {
  const made = await rpc(url, 'workflow_create', { name: 'Ask' });
  const document = {
    ...made.document,
    nodes: {
      start: { type: 'trigger.manual', title: 'Start' },
      ask: { type: 'builtin.human_form', title: 'Ask', config: { title: 'Order {{item.order}}', schema: { type: 'object', properties: { answer: { type: 'string' } } } } },
    },
    edges: [{ from: 'start.success', to: 'ask' }], layout: { start: [0, 0], ask: [248, 0] },
    params: { type: 'object', properties: { order: { type: 'integer' } } },
  };
  await rpc(url, 'workflow_save', { ref: made.ref, document, baseRevision: made.revision });
  let next = 0;
  const starter = async () => {
    while (next < TASKS) {
      next += 1;
      await rpc(url, 'run_start', { ref: made.ref, params: { order: next } });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, starter));
  for (;;) {
    const { open } = await rpc(url, 'task_counts', { dayEnd: new Date(Date.now() + 86_400_000).toISOString() });
    if (open >= TASKS) return;
  }
}

await measured(async (browser, url) => {
  await wait(url);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.evaluate(() => { window.location.hash = '#/inbox'; });
  const list = page.locator('.ib-list');
  await list.locator('.ib-row').first().waitFor();
  const box = await list.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  // Down and up again, page after page is read while it goes.
  const down = await frames(page, (turn) => page.mouse.wheel(0, Math.floor(turn / 200) % 2 ? -600 : 600));
  const rows = await list.locator('.ib-row').count();
  const found = figures(down);
  const dropped = down.filter((ms) => ms > DROPPED_MS).length;
  return {
    text: `${TASKS.toLocaleString('en')} tasks: p95 ${found.p95} ms (median ${found.median}), ${dropped} of ${found.frames} frames later than ${DROPPED_MS} ms, ${rows} rows drawn`,
    tasks: TASKS, scroll: found, dropped, rows,
  };
});
