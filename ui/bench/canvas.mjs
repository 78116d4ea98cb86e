/** Frame times of the canvas in a real browser: opens workflows of 1,000 and 5,000 steps, pans, zooms and drags a step, and
 * prints one line of JSON. `BENCH_SECONDS` is the time per gesture (4). */
import { figures, frames, measured, rpc, servedFrom } from './program.mjs';

const ROW = 25;

/** Rows of steps; every fifth asks a question whose other answer leads into the row below. */
function graph(count) {
  const nodes = {};
  const edges = [];
  const layout = {};
  for (let n = 0; n < count; n += 1) {
    const [row, column] = [Math.floor(n / ROW), n % ROW];
    const asks = column % 5 === 4 && column < ROW - 1;
    nodes[`s${n}`] = column === 0 ? { type: 'trigger.manual', title: `Row ${row}` }
      : asks ? { type: 'flow.if', title: `Big enough ${n}?`, config: { condition: `item.n${n - 1} > 0` } }
        : { type: 'data.set', title: `Set n${n}`, config: { assign: { [`n${n}`]: n } } };
    layout[`s${n}`] = [column * 248, row * 144];
    if (column < ROW - 1 && n + 1 < count) edges.push({ from: `s${n}.${asks ? 'true' : 'success'}`, to: `s${n + 1}` });
    if (asks && n + ROW + 1 < count) edges.push({ from: `s${n}.false`, to: `s${n + ROW + 1}` });
  }
  // Every other row has a group of eight steps, as people put steps together under a title.
  const groups = {};
  for (let row = 0; row * ROW + 10 < count; row += 2) {
    groups[`g${row}`] = { title: `Group ${row}`, note: 'What these steps are for', steps: Array.from({ length: 8 }, (_, n) => `s${row * ROW + 2 + n}`) };
  }
  layout.$groups = groups;
  return { nodes, edges, layout };
}

async function measure(browser, url, count) {
  const made = await rpc(url, 'workflow_create', { name: `${count} steps` });
  const document = { ...made.document, ...graph(count) };
  await rpc(url, 'workflow_save', { ref: made.ref, document, baseRevision: made.revision });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await servedFrom(page, url);
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const opened = Date.now();
  await page.evaluate((hash) => { window.location.hash = hash; }, `#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator(`.cv[data-nodes="${count}"]`).waitFor({ timeout: 60_000 });
  const open = Date.now() - opened;
  const box = await page.locator('.cv').boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  // From the whole graph to a size at which the cards are drawn.
  await page.mouse.move(middle.x, middle.y);
  await page.locator('.cv-tools.bottom .zoom').click();
  await page.locator('[data-node]').first().waitFor();

  await page.mouse.move(middle.x, middle.y);
  const free = await page.evaluate(({ x, y }) => {
    for (let dy = 0; dy < 200; dy += 8) if (document.elementFromPoint(x, y + dy)?.classList.contains('react-flow__pane')) return { x, y: y + dy };
    return { x, y };
  }, middle);
  await page.mouse.move(free.x, free.y);
  await page.mouse.down();
  const pan = await frames(page, (turn) => page.mouse.move(free.x + 320 * Math.sin(turn / 12), free.y + 200 * Math.cos(turn / 17)));
  await page.mouse.up();
  const zoom = await frames(page, async (turn) => {
    await page.mouse.move(middle.x, middle.y);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, Math.floor(turn / 10) % 2 ? 60 : -60);
    await page.keyboard.up('Control');
  });
  await page.locator('.cv-tools.bottom .zoom').click();
  const card = await page.evaluate(() => {
    for (const one of document.querySelectorAll('[data-node] .cv-hd')) {
      const at = one.getBoundingClientRect();
      const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
      if (one.contains(document.elementFromPoint(x, y)) && x > 300 && x < 1000 && y > 200 && y < 700) return { x, y };
    }
    return null;
  });
  let drag = [];
  if (card) {
    await page.mouse.move(card.x, card.y);
    await page.mouse.down();
    drag = await frames(page, (turn) => page.mouse.move(card.x + 120 * Math.sin(turn / 9), card.y + 80 * Math.sin(turn / 13)));
    await page.mouse.up();
  }
  await page.close();
  return { count, openMs: open, pan: figures(pan), zoom: figures(zoom), drag: figures(drag) };
}

await measured(async (browser, url) => {
  const rows = [];
  for (const count of [1000, 5000]) rows.push(await measure(browser, url, count));
  const words = ({ count, pan, zoom, drag }) =>
    `${count.toLocaleString('en')} nodes: p95 ${pan.p95} ms (median ${pan.median}), zooming ${zoom.p95}, dragging a step ${drag.p95}`;
  return { text: rows.map(words).join('; '), rows };
});
