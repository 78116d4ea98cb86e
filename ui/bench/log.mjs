/** The detail log in a real browser: a run is followed while it writes some 10,000 events a second, then one that writes as fast as it can, and a
 * long run that has ended is opened, all with the table of events open. Prints one line of JSON. `BENCH_PACED`, `BENCH_LIVE` and `BENCH_EVENTS` are the
 * events of the three runs (100,000, 200,000 and 1,000,000); those given as 0 are left out. */
import { figures, frames, measured, rpc } from './program.mjs';

const PACED = Number(process.env.BENCH_PACED ?? 100_000);
const LIVE = Number(process.env.BENCH_LIVE ?? 200_000);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
/** P10: no frame above this while events stream. */
const LATE_MS = 50;
/** A loop writes two events a turn. */
const TURN = 2;

/** Rounds of the paced run in one piece, and the time until the next piece, so that it writes about 10,000 events a second. */
const PIECE = 500;
const PIECE_MS = 70;

const saved = async (url, name, drawing) => {
  const made = await rpc(url, 'workflow_create', { name });
  const params = { type: 'object', properties: { count: { type: 'integer' } } };
  await rpc(url, 'workflow_save', { ref: made.ref, document: { ...made.document, params, ...drawing }, baseRevision: made.revision });
  return made.ref;
};

/** Counts in pieces, with a wait between them. */
const paced = (url) => saved(url, 'Count in pieces', {
  nodes: {
    p: { type: 'flow.loop', title: 'Pieces', config: { while: `_index * ${PIECE} < params.count`, maxIterations: 1_000_000, collect: 'null' } },
    w: { type: 'flow.wait', title: 'Wait', parent: 'p', config: { ms: PIECE_MS } },
    l: { type: 'flow.loop', title: 'Count', parent: 'p', config: { while: `_index < ${PIECE}`, maxIterations: 1_000_000, collect: 'null' } },
    b: { type: 'data.set', title: 'Number', parent: 'l', config: { assign: { n: '=_index' }, keep: false } },
    end: { type: 'flow.stop', title: 'End' },
  },
  edges: [{ from: 'w.success', to: 'l' }, { from: 'p.success', to: 'end' }],
  layout: { p: [0, 0], w: [24, 60], l: [300, 60], b: [24, 60], end: [900, 0] },
});

/** Counts as fast as it can. */
const workflow = (url) => saved(url, 'Count', {
  nodes: {
    l: { type: 'flow.loop', title: 'Count', config: { while: '_index < params.count', maxIterations: 1_000_000 } },
    b: { type: 'data.set', title: 'Number', parent: 'l', config: { assign: { n: '=_index' }, keep: false } },
    end: { type: 'flow.stop', title: 'End' },
  },
  edges: [{ from: 'l.success', to: 'end' }], layout: { l: [0, 0], b: [24, 60], end: [480, 0] },
});

const start = async (url, ref, events) => (await rpc(url, 'run_start', { ref, params: { count: Math.round(events / TURN) } })).runId;

async function ended(url, runId) {
  for (;;) {
    const run = await rpc(url, 'run_get', { runId });
    if (run.status === 'completed') return run;
    if (run.status !== 'running' && run.status !== 'created') throw new Error(`the run is ${run.status}`);
    await new Promise((done) => { setTimeout(done, 250); });
  }
}

/** The events that the page has taken. */
const taken = (page) => page.evaluate(() => Number(document.querySelector('.time-track input')?.getAttribute('max') ?? 0));

/** Frames until the page has all events, the time it took, and the memory of the page behind it. */
async function watched(page, all) {
  const began = Date.now();
  await page.evaluate(() => {
    window.gaps_ = [];
    let last = performance.now();
    const tick = (now) => {
      window.gaps_?.push(now - last);
      last = now;
      if (window.gaps_) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  let most = 0;
  const session = await page.context().newCDPSession(page);
  for (;;) {
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    most = Math.max(most, usedSize);
    if ((await taken(page)) >= (await all())) break;
    await new Promise((done) => { setTimeout(done, 200); });
  }
  const seconds = (Date.now() - began) / 1000;
  const gaps = await page.evaluate(() => { const found = window.gaps_; window.gaps_ = null; return found.slice(1); });
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return { seconds, most: Math.round(most / 1e6), kept: Math.round(usedSize / 1e6), worst: Math.round(Math.max(...gaps)), late: gaps.filter((ms) => ms > LATE_MS).length, of: gaps.length, ...figures(gaps) };
}

async function open(page, url, runId) {
  await page.evaluate((hash) => { window.location.hash = hash; }, `#/run/${runId}`);
  await page.locator('.time-track').waitFor();
  await page.getByText('Events', { exact: true }).first().click();
}

await measured(async (browser, url) => {
  const ref = await workflow(url);
  await rpc(url, 'settings_set', { settings: { theme: 'light', layout: { logOpen: true }, keymap: {} } });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  // Followed from its first event on.
  const follow = async (of, events) => {
    const followed = await start(url, of, events);
    await open(page, url, followed);
    const run = { last: Infinity };
    void ended(url, followed).then((done) => { run.last = done.lastSeq; });
    const live = await watched(page, async () => run.last);
    const lost = run.last - (await taken(page));
    return {
      ...live, lost,
      text: `${run.last.toLocaleString('en')} events live in ${live.seconds.toFixed(1)} s (${Math.round(run.last / live.seconds).toLocaleString('en')} a second), ${lost} lost, frames p95 ${live.p95} ms, ${live.late} of ${live.of} above ${LATE_MS} ms, the longest ${live.worst}`,
    };
  };
  const calm = PACED ? await follow(await paced(url), PACED) : null;
  if (process.env.BENCH_SHOT) await page.screenshot({ path: process.env.BENCH_SHOT.replace('.png', '-paced.png') });
  const live = LIVE ? await follow(ref, LIVE) : null;
  const told = [calm, live].filter(Boolean).map((part) => part.text);
  if (!EVENTS) return { text: told.join('; '), calm, live };

  // Opened after its end.
  const long = await start(url, ref, EVENTS);
  const done = await ended(url, long);
  const before = await page.evaluate(() => performance.now());
  await open(page, url, long);
  const opened = await watched(page, async () => done.lastSeq);
  const list = page.locator('.ev-list');
  const box = await list.boundingBox().catch(() => null);
  let scroll = null;
  if (box) {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    scroll = figures(await frames(page, (turn) => page.mouse.wheel(0, Math.floor(turn / 100) % 2 ? -4000 : 4000)));
  }
  if (process.env.BENCH_SHOT) await page.screenshot({ path: process.env.BENCH_SHOT });
  return {
    text: [...told, `${done.lastSeq.toLocaleString('en')} events opened in ${opened.seconds.toFixed(1)} s, ${opened.kept} MB in the page (${opened.most} at most), the longest frame ${opened.worst} ms${scroll ? `, scrolling p95 ${scroll.p95} ms` : ''}`].join('; '),
    calm, live, opened, scroll, before,
  };
});
