// The real program at a terminal, with a data folder of its own.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');
/** The program. */
export const BINARY = process.env.SIGNALBOX_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'debug/signalbox');

/** The token of whoever asks a server of [`Signalbox.serve`]. */
export const TOKEN = 'peers-builder-0123456789';

/** Looks again and again, for a minute. */
export async function until(what, look) {
  for (const late = Date.now() + 60_000; Date.now() < late; await pause(200)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`Not in time: ${what}`);
}

export class Signalbox {
  constructor() {
    if (!existsSync(BINARY)) throw new Error(`${BINARY} is missing. Build it first: cargo build -p signalbox-headless`);
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-peers-'));
    this.env = { ...process.env, SIGNALBOX_DATA: join(this.folder, 'data'), SIGNALBOX_KEY_STORE: 'off' };
  }

  /** Runs a command; its lines of JSON and how it ended. */
  run(...args) {
    let child;
    const ended = new Promise((done) => {
      child = execFile(BINARY, ['--json', ...args], { env: this.env, maxBuffer: 1 << 28 }, (error, out, err) => {
        const lines = out.split('\n').filter(Boolean).map((line) => JSON.parse(line));
        done({ code: error ? error.code : 0, lines, json: lines.at(-1), err });
      });
    });
    return Object.assign(ended, { child });
  }

  /** Runs a command that reads a secret from its standard input. */
  told(text, ...args) {
    const done = this.run(...args);
    done.child.stdin.end(text);
    return done;
  }

  /** Runs a command whose lines are heard while it runs. */
  watch(...args) {
    const child = spawn(BINARY, ['--json', ...args], { env: this.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = [];
    const waiting = new Set();
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(JSON.parse(line));
      for (const look of waiting) look();
    });
    const ended = new Promise((done) => { child.once('close', () => done(lines.at(-1))); });
    const until = (wanted) => new Promise((done, fail) => {
      const look = () => { if (lines.some(wanted)) { waiting.delete(look); done(); } };
      waiting.add(look);
      look();
      void ended.then(() => fail(new Error(`It ended before: ${JSON.stringify(lines.at(-1))}`)));
    });
    return { until, ended, lines, kill: (signal = 'SIGTERM') => child.kill(signal) };
  }

  /** The program as a server of its data folder: its process, its address, and a way to ask it as a builder. */
  async serve() {
    const tokens = this.file('tokens', `builder ${TOKEN} peer\n`, 0o600);
    const child = spawn(BINARY, ['serve', '--addr', '127.0.0.1:0', '--token-file', tokens], { cwd: this.folder, env: this.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit').then(([code]) => { throw new Error(`serve ended with ${code}`); });
    ended.catch(() => undefined);
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    const { url } = JSON.parse(line);
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const ask = async (path, body) => (await fetch(url + path, { method: body ? 'POST' : 'GET', headers, ...(body ? { body: JSON.stringify(body) } : {}) })).json();
    return { child, url, ask };
  }

  /** Registers a server and asks it what it is; approves it when it answers. */
  async server(name, ...definition) {
    const set = await this.run('tools', 'set', name, ...definition);
    if (set.code !== 0) throw new Error(`tools set: ${JSON.stringify(set.json)}${set.err}`);
    const told = await this.run('tools', 'connect', name);
    if (told.code === 0) await this.run('tools', 'approve', name, '--hash', told.json.hash);
    return told;
  }

  /** Calls a tool; the summary of its run of one step. */
  async call(server, tool, input = {}) {
    return (await this.run('tools', 'call', server, tool, '--args', JSON.stringify(input))).json;
  }

  /** Answers the next task that there is, as a person would who looks into the inbox until `work` is over. */
  async answering(work, action, values) {
    let over = false;
    const ended = work.finally(() => { over = true; });
    while (!over) {
      const [task] = (await this.run('tasks', 'list')).json ?? [];
      if (task) {
        const input = values === undefined ? [] : ['--input', JSON.stringify(values)];
        const done = await this.run('tasks', 'complete', task.id, '--action', action, ...input);
        if (done.code !== 0) throw new Error(`The task was not answered: ${JSON.stringify(done.json)}${done.err}`);
        return { task, result: await ended };
      }
    }
    return { task: undefined, result: await ended };
  }

  /** Writes a file beside the data. */
  file(name, content, mode = 0o666) {
    const path = join(this.folder, name);
    writeFileSync(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content), { mode });
    return path;
  }

  end() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
