/** Writing in the panel of a step, in a real browser: a workflow of 500 steps whose last run left about 1 MB in one step. Types into the settings of
 * the step behind it, and opens the list of earlier data where an item has 10,000 fields. Prints one line of JSON. `BENCH_KEYS` is the number of keys (200). */
import { writeFileSync } from 'node:fs';
import { figures, measured, rpc, servedFrom } from './program.mjs';

const KEYS = Number(process.env.BENCH_KEYS ?? 200);
const WARM = 20;
/** Between two keys. */
const PAUSE = 30;
const STEPS = 500;
const ROW = 25;
const FIELDS = 10_000;
/** How often the list is opened. */
const OPENED = 10;

/** `sample` gives the data, `last` is written in; the others stand around them in rows. */
function graph(steps) {
  const nodes = {
    start: { type: 'trigger.manual', title: 'Start' },
    sample: { type: 'data.transform', title: 'Sample', config: { expression: 'params.rows', split: true } },
    last: { type: 'data.filter', title: 'Last', config: { when: 'true' } },
    text: { type: 'data.set', title: 'Text', config: { assign: { text: 'x' } } },
  };
  const edges = [{ from: 'start.success', to: 'sample' }, { from: 'sample.success', to: 'last' }, { from: 'last.success', to: 'text' }];
  const layout = { start: [0, -300], sample: [248, -300], last: [496, -300], text: [744, -300] };
  for (let n = 0; n < steps - 4; n += 1) {
    const [row, column] = [Math.floor(n / ROW), n % ROW];
    nodes[`s${n}`] = column === 0 ? { type: 'trigger.manual', title: `Row ${row}`, disabled: true } : { type: 'data.set', title: `Set n${n}`, config: { assign: { [`n${n}`]: n } } };
    layout[`s${n}`] = [column * 248, row * 144];
    if (column < ROW - 1 && n + 1 < steps - 4) edges.push({ from: `s${n}.success`, to: `s${n + 1}` });
  }
  return { nodes, edges, layout };
}

/** The workflow with a run of it, open at a step. */
async function opened(browser, url, name, rows, step, steps = STEPS) {
  const made = await rpc(url, 'workflow_create', { name });
  const document = { ...made.document, params: { type: 'object', properties: { rows: { type: 'array' } } }, ...graph(steps) };
  await rpc(url, 'workflow_save', { ref: made.ref, document, baseRevision: made.revision });
  const { runId } = await rpc(url, 'run_start', { ref: made.ref, params: { rows }, until: 'text' });
  for (let tries = 0; ; tries += 1) {
    const { runs } = await rpc(url, 'run_list', { limit: 5 });
    const status = runs.find((run) => run.runId === runId)?.status;
    if (status === 'completed') break;
    if (status === 'failed' || tries > 600) throw new Error(`the run is ${status}: ${JSON.stringify(await rpc(url, 'task_list', {})).slice(0, 2000)}`);
    await new Promise((next) => { setTimeout(next, 100); });
  }
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await servedFrom(page, url);
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.evaluate((hash) => { window.location.hash = hash; }, `#/workflow/${encodeURIComponent(made.ref)}`);
  await page.locator(`.cv[data-nodes="${steps}"]`).waitFor({ timeout: 60_000 });
  await page.keyboard.press('Control+f');
  await page.keyboard.type(step);
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Step settings' }).waitFor();
  return page;
}

/** Milliseconds from each key until its letter is drawn, and until everything that follows from it is done. The browser draws without waiting for the beat
 * of a screen: with it a key waits up to 16.7 ms for its frame, however little there is to do. */
async function typed(page, field, text) {
  await field.click();
  await page.keyboard.press('End');
  await page.evaluate(() => {
    window.keys_ = [];
    window.addEventListener('keydown', () => {
      const begun = performance.now();
      const { port1, port2 } = new MessageChannel();
      let drawn;
      port1.onmessage = () => {
        if (drawn !== undefined) return window.keys_.push({ begun, drawn, done: performance.now() - begun });
        drawn = performance.now() - begun;
        // What waits for the drawing was asked for behind this, and is done before the second message comes.
        return port2.postMessage(null);
      };
      requestAnimationFrame(() => port2.postMessage(null));
    }, { capture: true });
  });
  // The first keys are those of code that never ran.
  for (let n = 0; n < WARM; n += 1) await page.keyboard.type(text[n % text.length], { delay: PAUSE });
  await page.evaluate(() => { window.keys_.length = 0; });
  // Other programs of the machine take time, but not this one's processor time.
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value * 1000]));
  const before = await used();
  if (process.env.PROFILE) { await session.send('Profiler.enable'); await session.send('Profiler.start'); }
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['v8', 'blink.user_timing'] });
  await page.evaluate(() => performance.mark('keys'));
  for (let n = 0; n < KEYS; n += 1) await page.keyboard.type(text[n % text.length], { delay: PAUSE });
  const trace = JSON.parse(await browser.stopTracing());
  if (process.env.PROFILE) writeFileSync(process.env.PROFILE, JSON.stringify((await session.send('Profiler.stop')).profile));
  const after = await used();
  const cpu = (name) => Math.round(((after[name] - before[name]) / KEYS) * 10) / 10;
  const [keys, marked] = await page.evaluate(() => [window.keys_, performance.getEntriesByName('keys')[0].startTime]);
  const of = (list) => ({ ...figures(list), most: Math.round(Math.max(...list) * 10) / 10 });
  return {
    cpu: { all: cpu('TaskDuration'), script: cpu('ScriptDuration'), layout: cpu('LayoutDuration'), style: cpu('RecalcStyleDuration') },
    drawn: of(keys.map((key) => key.drawn)), done: of(keys.map((key) => key.done)), gc: collected(keys, trace.traceEvents, marked),
  };
}

/** What the collection of garbage on the thread of the page has to do with the slow keys. */
function collected(keys, events, marked) {
  const mark = events.find((one) => one.name === 'keys' && one.cat.includes('blink.user_timing'));
  const pauses = events.filter((one) => one.ph === 'X' && one.pid === mark.pid && one.tid === mark.tid && ['MinorGC', 'MajorGC', 'V8.GCIncrementalMarking'].includes(one.name))
    .map((one) => ({ at: (one.ts - mark.ts) / 1000 + marked, ms: one.dur / 1000 }));
  const during = (key) => pauses.filter(({ at, ms }) => at + ms > key.begun && at < key.begun + key.done).reduce((sum, { ms }) => sum + ms, 0);
  const limit = figures(keys.map((key) => key.done)).p95;
  const slow = keys.filter((key) => key.done >= limit);
  return { pauses: pauses.length, ms: Math.round(pauses.reduce((sum, { ms }) => sum + ms, 0)), slowKeys: slow.length, slowKeysWithPause: slow.filter((key) => during(key) > 0).length, keysWithPause: keys.filter((key) => during(key) > 0).length };
}

/** Milliseconds from a click until what it opens is drawn. */
async function shown(page, press, sought) {
  const times = [];
  for (let n = 0; n < OPENED; n += 1) {
    await press.waitFor();
    times.push(await press.evaluate((element, selector) => new Promise((done) => {
      const begun = performance.now();
      const look = () => {
        if (!document.querySelector(selector)) return requestAnimationFrame(look);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => done(performance.now() - begun);
        return requestAnimationFrame(() => port2.postMessage(null));
      };
      element.click();
      look();
    }), sought));
    await press.evaluate((element) => element.click());
    await page.locator(sought).first().waitFor({ state: 'detached' });
  }
  return { ...figures(times), first: Math.round(times[0]) };
}

const KEYS_TYPED = ' && item.id > 10 || item.name.startsWith("customer")';
/** Some 1 MB in 2,500 items, and one item of 10,000 fields. */
const ITEMS = Array.from({ length: 2500 }, (_, i) => ({ id: i, name: `customer number ${i}`, text: 'x'.repeat(330), tags: ['a', 'b'] }));
const WIDE = [Object.fromEntries(Array.from({ length: FIELDS }, (_, i) => [`field${i}`, `value ${i}`]))];

const WITHOUT_BEAT = process.env.BENCH_BEAT ? [] : ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

await measured(async (browser, url) => {
  const page = await opened(browser, url, '500 steps and 1 MB', ITEMS, 'Last');
  const panel = page.getByRole('complementary', { name: 'Step settings' });
  const field = panel.getByRole('textbox', { name: 'Keep when' });
  const condition = await typed(page, field, KEYS_TYPED);
  await page.close();
  // The same keys where there is next to nothing: what is left is the editor of expressions itself.
  const small = await opened(browser, url, '4 steps and 1 item', ITEMS.slice(0, 1), 'Last', 4);
  const alone = await typed(small, small.getByRole('textbox', { name: 'Keep when' }), KEYS_TYPED);
  await small.close();

  const wide = await opened(browser, url, '10,000 fields', WIDE, 'Text');
  const side = wide.getByRole('complementary', { name: 'Step settings' });
  const input = await shown(wide, side.locator('details.panel-fields > summary'), 'details.panel-fields[open] .value .vl');
  await side.getByRole('tab', { name: /^Input/ }).click();
  const earlier = await shown(wide, side.locator('.panel-earlier details > summary').filter({ hasText: 'Sample' }), '.panel-earlier details[open] .value .vl');
  await wide.close();
  const words = ({ cpu, drawn, done }) => `${cpu.all} ms of processor time a key, drawn after p95 ${drawn.p95} (median ${drawn.median}), all done after p95 ${done.p95} (median ${done.median})`;
  return { text: `typing beside 500 steps and 1 MB: ${words(condition)}; in 4 steps with 1 item: ${words(alone)}; 10,000 fields open in p95 ${Math.max(input.p95, earlier.p95)} ms`, condition, alone, input, earlier };
}, WITHOUT_BEAT);
