// Packages of PyPI for the peers that need some, each part in its own folder below the target folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Installs what `NAME-requirements.txt` asks for, when it is not there; the folder of the programs. */
export function programs(name) {
  const folder = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'peers', name);
  const [requirements, mark] = [join(import.meta.dirname, `${name}-requirements.txt`), join(folder, 'installed.txt')];
  const wanted = readFileSync(requirements, 'utf8');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true });
    execFileSync(process.env.SIGNALBOX_TEST_PYTHON ?? 'python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', requirements], { stdio: 'inherit' });
    writeFileSync(mark, wanted);
  }
  return join(folder, 'bin');
}
