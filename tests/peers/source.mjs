// An exported Cargo project as its owner builds it: formatted, without a warning of clippy, from the registry cache alone, and the program
// gives what Signalbox gives. Outside crates are shared with the build of the workspace where their features are the same.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import assert from 'node:assert/strict';
import { BINARY, Signalbox } from './signalbox.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
const SAMPLE = join(ROOT, 'src-tauri/crates/app/samples/sort-the-mail.signalbox.json');
/** Clippy as the compiler of the project: one pass checks and builds (see `cargo xtask test`). */
const CLIPPY = { RUSTC_WORKSPACE_WRAPPER: 'clippy-driver', CLIPPY_ARGS: '-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__' };

const run = promisify(execFile);
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** The profiles of the workspace: the same outside crates, built once. */
const profiles = () => readFileSync(join(ROOT, 'Cargo.toml'), 'utf8').split(/\n(?=\[)/).filter((part) => part.startsWith('[profile.dev')).join('\n');

export async function source(report) {
  const place = new Signalbox();
  // One place: another path would be other crates, which stay in the target folder.
  const folder = join(TARGET, 'peers/source');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(TARGET, 'peers'), { recursive: true });
  const project = join(folder, 'project');
  await report('source: a project is exported and formatted', async () => {
    const done = await place.run('export', SAMPLE, '--target', 'source', '--source-of-signalbox', ROOT, '--out', project);
    assert.equal(done.code, 0, JSON.stringify(done.json));
    await run('cargo', ['fmt', '--check'], { cwd: project });
  });
  await report('source: it builds offline, without a warning of clippy', async () => {
    const config = join(folder, 'profiles.toml');
    writeFileSync(config, profiles());
    const env = { ...process.env, ...CLIPPY, CARGO_TARGET_DIR: TARGET };
    await run('cargo', ['build', '--offline', '--quiet', '--config', config], { cwd: project, env, maxBuffer: 1 << 26 });
  });
  await report('source: the program gives what Signalbox gives', async () => {
    const data = join(place.folder, 'program');
    const [own] = lines((await run(join(TARGET, 'debug/sort-the-mail'), ['--data', data, 'run', '--json'])).stdout).slice(-1);
    const [app] = lines((await run(BINARY, ['--json', 'run', SAMPLE], { env: place.env })).stdout).slice(-1);
    assert.equal(own.status, 'completed');
    assert.deepEqual(own.output, app.output);
    assert.ok(app.output !== undefined);
  });
  rmSync(folder, { recursive: true, force: true });
  place.end();
}
