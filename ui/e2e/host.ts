/** Starts `signalbox serve --ui` on a free port with a data folder of its own, and ends it with the test file. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, type Page } from '@playwright/test';
import { Pages } from './kept-page.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const BINARY = process.env.SIGNALBOX_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'debug/signalbox');

export interface Host {
  url: string;
  origin: string;
  token: string;
  data: string;
  /** All workflow files under the data folder. */
  files(): string[];
  rpc<T = unknown>(command: string, payload?: unknown): Promise<T>;
  /** The same program at a terminal: another process on the same data. */
  terminal(...args: string[]): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startHost(data = mkdtempSync(join(tmpdir(), 'signalbox-e2e-')), addr = '127.0.0.1:0', more: readonly string[] = []): Promise<Host> {
  if (!existsSync(BINARY)) throw new Error(`${BINARY} is missing. Build it first: cargo build -p signalbox-headless`);
  const child = spawn(BINARY, ['serve', '--ui', '--addr', addr, '--data', data, ...more], { stdio: ['ignore', 'pipe', 'pipe'], cwd: ROOT });
  const url = await firstAddress(child);
  const { origin, hash } = new URL(url);
  const token = decodeURIComponent(/token=([^&]+)/.exec(hash)?.[1] ?? '');
  return {
    url, origin, token, data,
    files: () => walk(data).filter((path) => path.endsWith('.signalbox.json')),
    async rpc<T>(command: string, payload: unknown = {}): Promise<T> {
      const response = await fetch(`${origin}/rpc/${command}`, {
        method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(payload),
      });
      const body: unknown = await response.json();
      if (!response.ok) throw new Error(`${command}: ${JSON.stringify(body)}`);
      return body as T;
    },
    terminal: (...args) => new Promise((done, fail) => {
      execFile(BINARY, args, { env: { ...process.env, SIGNALBOX_DATA: data } }, (error, stdout, stderr) => { if (error) fail(new Error(`${stdout}${stderr}`)); else done(stdout); });
    }),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((done) => { child.once('exit', done); });
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let output = '';
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+\/\S*#token=\S+/.exec(output);
      if (found) done(found[0]);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', (chunk: Buffer) => { output += chunk.toString(); });
    child.once('exit', (code) => fail(new Error(`signalbox ended with ${String(code)} before it printed its address:\n${output}`)));
    setTimeout(() => fail(new Error(`No address after 20 s:\n${output}`)), 20_000).unref();
  });
}

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

const MIME: { [end: string]: string } = { html: 'text/html', js: 'text/javascript', css: 'text/css', woff2: 'font/woff2' };
/** With SIGNALBOX_UI=dist, while the UI is being written: the files of ui/dist instead of those that the program was built with. */
export async function useDist(page: Page, origin: string): Promise<void> {
  if (process.env.SIGNALBOX_UI !== 'dist') return;
  await page.route((url) => url.origin === origin && (url.pathname === '/' || url.pathname.startsWith('/assets/')), async (route) => {
    const path = new URL(route.request().url()).pathname;
    const file = join(ROOT, 'ui/dist', path === '/' ? 'index.html' : path);
    await route.fulfill({ body: readFileSync(file), contentType: MIME[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream' });
  });
}

/** The page of a host, at a place of it; with a token of one's own it is another person's. */
export async function openPage(page: Page, host: Pick<Host, 'origin' | 'token'>, hash = '', token = host.token): Promise<Page> {
  await useDist(page, host.origin);
  await page.goto(`${host.origin}/#token=${encodeURIComponent(token)}`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  if (hash) await page.evaluate((next) => { window.location.hash = next; }, hash);
  return page;
}

export function readJson<T = Record<string, unknown>>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** `host`: one program for the test file. `open` fails the test when the page logs an error. */
export const test = base.extend<{ open: (hash?: string) => Promise<Page> }, { host: Host; pages: Pages }>({
  pages: [async ({ browser }, use) => {
    const pages = new Pages(browser);
    await use(pages);
    await pages.end();
  }, { scope: 'worker' }],
  context: async ({ pages }, use) => {
    await use(await pages.context());
    await pages.clear();
  },
  page: async ({ context, pages, viewport }, use) => { await use(await pages.page(context, viewport)); },
  host: [async ({}, use) => { // eslint-disable-line no-empty-pattern
    const host = await startHost();
    await use(host);
    await host.stop();
    rmSync(host.data, { recursive: true, force: true });
  }, { scope: 'worker' }],
  open: async ({ page, host }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      // A refused or lost request is shown to the person; a test that expects one reads it there. Styles that the policy refuses are reported as errors of the page.
      if (message.type() === 'error' && !/^Failed to load resource|^Applying inline style violates/.test(message.text())) errors.push(message.text());
    });
    // Tests share a program: what one of them left open (the log, a pane's size) must not be found by the next.
    await host.rpc('settings_set', { settings: { theme: 'system', layout: {}, keymap: {} } });
    await use((hash = '') => openPage(page, host, hash));
    if (errors.length) throw new Error(`The page logged errors:\n${errors.join('\n')}`);
  },
});
export { expect } from '@playwright/test';
