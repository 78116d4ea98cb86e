// A program of npm for one peer, in its own folder below the target folder: the packages of the other peers stay as few as they are.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Installs a package of npm when it is not there; the path of a file in it. */
export function npmProgram(name, version, file) {
  const folder = process.env.SIGNALBOX_NPM_PROGRAMS ?? join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'peers', name);
  const about = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(about) || JSON.parse(readFileSync(about, 'utf8')).version !== version) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', `${name}@${version}`], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return join(folder, 'node_modules', name, file);
}
