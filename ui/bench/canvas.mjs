/** Frame times of the canvas in a real browser. Starts the program, opens workflows of 1,000 and 5,000 steps, pans, zooms
 * and drags a step, and prints one line of JSON. `BENCH_SECONDS` is the time per gesture (4). */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target');
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROW = 25;

const binary = [process.env.SIGNALBOX_BIN, join(TARGET, 'release/signalbox'), join(TARGET, 'debug/signalbox')].find((path) => path && existsSync(path));
if (!binary) throw new Error('There is no program to measure. Build it first: cargo build --release -p signalbox-headless');

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
  return { nodes, edges, layout };
}

function start(data) {
  const child = spawn(binary, ['serve', '--ui', '--addr', '127.0.0.1:0', '--data', data], { stdio: ['ignore', 'pipe', 'inherit'], cwd: ROOT });
  return new Promise((done, fail) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+\/\S*#token=\S+/.exec(output)?.[0];
      if (url) done({ child, url });
    });
    child.once('exit', (code) => { fail(new Error(`the program ended with ${code}:\n${output}`)); });
  });
}

async function rpc(url, command, payload) {
  const { origin, hash } = new URL(url);
  const token = decodeURIComponent(/token=([^&]+)/.exec(hash)[1]);
  const answer = await fetch(`${origin}/rpc/${command}`, {
    method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(payload),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${command}: ${JSON.stringify(body)}`);
  return body;
}

/** Intervals between frames while `work` repeats, in milliseconds. */
async function frames(page, work) {
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const tick = (now) => {
      window.frames_?.push(now - last);
      last = now;
      if (window.frames_) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const end = Date.now() + SECONDS * 1000;
  for (let turn = 0; Date.now() < end; turn += 1) await work(turn);
  return page.evaluate(() => {
    const found = window.frames_;
    window.frames_ = null;
    return found.slice(1);
  });
}

function figures(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (part) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10) / 10;
  return { median: at(0.5), p95: at(0.95), frames: sorted.length };
}

async function measure(browser, url, count) {
  const made = await rpc(url, 'workflow_create', { name: `${count} steps` });
  const document = { ...made.document, ...graph(count) };
  await rpc(url, 'workflow_save', { ref: made.ref, document, baseRevision: made.revision });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
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

const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const { child, url } = await start(data);
let browser;
try {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const rows = [];
  for (const count of [1000, 5000]) rows.push(await measure(browser, url, count));
  const words = ({ count, pan, zoom, drag }) =>
    `${count.toLocaleString('en')} nodes: p95 ${pan.p95} ms (median ${pan.median}), zooming ${zoom.p95}, dragging a step ${drag.p95}`;
  console.log(JSON.stringify({ text: rows.map(words).join('; '), rows }));
} finally {
  await browser?.close();
  child.kill('SIGTERM');
  rmSync(data, { recursive: true, force: true });
}
