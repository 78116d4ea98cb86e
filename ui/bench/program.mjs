/** What the measurements in a real browser share: the program, its commands, times between frames. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target');
/** The browser of the tests, where it is installed (e2e/browser-path.ts). */
const HEADLESS = '/usr/bin/chromium-headless-shell';
/** Time per gesture. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);

const binary = [process.env.SIGNALBOX_BIN, join(TARGET, 'release/signalbox'), join(TARGET, 'debug/signalbox')].find((path) => path && existsSync(path));
if (!binary) throw new Error('There is no program to measure. Build it first: cargo build --release -p signalbox-headless');

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

const MIME = { html: 'text/html', js: 'text/javascript', css: 'text/css', woff2: 'font/woff2' };
/** With BENCH_UI=FOLDER the pages of a build there, instead of those that the program was built with. */
export async function servedFrom(page, url) {
  const folder = process.env.BENCH_UI;
  if (!folder) return;
  const { origin } = new URL(url);
  await page.route((asked) => asked.origin === origin && (asked.pathname === '/' || asked.pathname.startsWith('/assets/')), async (route) => {
    const path = new URL(route.request().url()).pathname;
    const file = join(folder, path === '/' ? 'index.html' : path);
    await route.fulfill({ body: readFileSync(file), contentType: MIME[file.split('.').at(-1)] ?? 'application/octet-stream' });
  });
}

export async function rpc(url, command, payload) {
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
export async function frames(page, work) {
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

export function figures(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (part) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10) / 10;
  return { median: at(0.5), p95: at(0.95), frames: sorted.length };
}

/** Starts program and browser, and prints what `work` found as one line of JSON. */
export async function measured(work, flags = []) {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const { child, url } = await start(data);
  let browser;
  try {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? (existsSync(HEADLESS) ? HEADLESS : '/usr/bin/chromium'),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', ...flags],
    });
    console.log(JSON.stringify(await work(browser, url)));
  } finally {
    await browser?.close();
    child.kill('SIGTERM');
    rmSync(data, { recursive: true, force: true });
  }
}
