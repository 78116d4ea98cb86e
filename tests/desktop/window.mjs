/** The real window: a display, a session bus and a WebDriver of its own, a data folder that is thrown away. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { closeWindow, isMapped } from './x11.mjs';

export const ROOT = resolve(import.meta.dirname, '../..');
/** The root of another system, in which the installed program is tried. It sees /tmp, /proc and /dev of this one. */
const ELSEWHERE = process.env.SIGNALBOX_WINDOW_ROOT;
export const BINARY = ELSEWHERE ? '/usr/bin/signalbox-desktop' : join(resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target'), 'debug/signalbox-desktop');
const there = (program, args) => (ELSEWHERE ? ['chroot', [ELSEWHERE, program, ...args]] : [program, args]);
const { remote } = createRequire(join(ROOT, 'ui/package.json'))('webdriverio');

/** Waits until `probe` gives something true. A condition, never a fixed time. */
export async function until(what, probe, ms = 20_000) {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      last = await probe();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`waited ${ms / 1000} s for ${what}; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    await new Promise((next) => { setTimeout(next, 25); });
  }
}

function need(program, hint) {
  if (spawnSync('which', [program]).status !== 0) throw new Error(`${program} is missing. Install it: ${hint}`);
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => { done(port); });
    });
  });
}

/** The first line that a program writes to a descriptor. */
function firstLine(child, stream, what) {
  return new Promise((done, fail) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) done(text.split('\n')[0].trim());
    });
    child.once('exit', (code) => { fail(new Error(`${what} ended with ${code}`)); });
  });
}

/** Everything around the app. `close` ends it, whatever happened. */
export async function stage() {
  need('Xvfb', 'apt-get install xvfb');
  if (!ELSEWHERE) need('WebKitWebDriver', 'apt-get install webkit2gtk-driver');
  need('dbus-daemon', 'apt-get install dbus-daemon');
  if (!existsSync(join(ELSEWHERE ?? '', BINARY))) throw new Error(`${BINARY} is missing. Build it first: cargo build -p signalbox-desktop`);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-window-'));
  const data = join(folder, 'data');
  for (const name of ['config', 'share', 'cache', 'run']) mkdirSync(join(folder, name), { mode: 0o700 });
  const children = [];
  const start = (program, args, options) => {
    const child = spawn(program, args, options);
    children.push(child);
    return child;
  };
  const close = () => {
    for (const child of children.reverse()) if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const screen = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const display = `:${await firstLine(screen, screen.stdio[3], 'Xvfb')}`;
    // A bus of its own: a Signalbox that the person has open must not take the test's place.
    const bus = start('dbus-daemon', ['--session', '--nofork', '--print-address'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const address = await firstLine(bus, bus.stdout, 'dbus-daemon');
    const env = {
      ...process.env, SIGNALBOX_KEY_STORE: 'off', DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: address, TAURI_WEBVIEW_AUTOMATION: 'true', GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1',
      XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'share'), XDG_CACHE_HOME: join(folder, 'cache'), XDG_RUNTIME_DIR: join(folder, 'run'),
    };
    delete env.WAYLAND_DISPLAY;
    const port = await freePort();
    const driver = start(...there('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1']), { env, stdio: ['ignore', 'ignore', process.env.VERBOSE ? 'inherit' : 'ignore'] });
    await until('WebKitWebDriver', async () => {
      if (driver.exitCode !== null) throw new Error(`it ended with ${driver.exitCode}`);
      return (await fetch(`http://127.0.0.1:${port}/status`)).ok;
    });
    return { folder, data, env, port, children, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens the app's window. `pageLoadStrategy`: what the answer waits for. */
export function open(place, pageLoadStrategy = 'normal') {
  return remote({
    hostname: '127.0.0.1', port: place.port, path: '/', logLevel: 'silent', connectionRetryCount: 0, connectionRetryTimeout: 60_000,
    capabilities: {
      'wdio:enforceWebDriverClassic': true, pageLoadStrategy,
      'webkitgtk:browserOptions': { binary: BINARY, args: ['--data', place.data] },
    },
  });
}

/** Starts the program as a person does, without a driver. */
export function startPlain(place, data = place.data, more = []) {
  const env = { ...place.env };
  delete env.TAURI_WEBVIEW_AUTOMATION;
  const child = spawn(...there(BINARY, ['--data', data, ...more]), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => { said += chunk; });
  place.children.push(child);
  const ended = new Promise((done) => { child.once('exit', (code, signal) => { done({ code, signal, said }); }); });
  return { child, ended: () => until('the end of the program', () => Promise.race([ended, new Promise((next) => { setTimeout(next, 50); })])), said: () => said };
}

/** The whole display as a picture: the driver's own screenshots do not come under software painting. */
export function picture(place, file) {
  const made = spawnSync('import', ['-window', 'root', file], { env: place.env, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`no picture: ${made.stderr?.trim() || 'import is missing. Install it: apt-get install imagemagick'}`);
}

/** Presses the close button of the window. */
export const pressClose = (place) => closeWindow(place.env.DISPLAY, 'Signalbox');
/** Whether the window is shown, and not hidden. */
export const windowIsShown = (place) => isMapped(place.env.DISPLAY, 'Signalbox');

/** Process ids of the app on a data folder and of what it started. */
export function family(data) {
  const all = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      all.set(Number(name), { parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), command });
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = new Set([...all].filter(([, one]) => one.command[0] === BINARY && one.command.includes(data)).map(([pid]) => pid));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [pid, one] of all) if (found.has(one.parent)) found.add(pid);
  }
  return [...found];
}

/** Listening TCP sockets of processes, read from the kernel. */
export function listening(pids) {
  const open = new Set();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    if (!existsSync(table)) continue;
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      // 0A: the socket listens.
      if (fields[3] === '0A') open.add(fields[9]);
    }
  }
  const sockets = [];
  for (const pid of pids) {
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        const link = spawnSync('readlink', [`/proc/${pid}/fd/${fd}`], { encoding: 'utf8' }).stdout.trim();
        const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
        if (inode && open.has(inode)) sockets.push(`${pid}: ${inode}`);
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return sockets;
}
