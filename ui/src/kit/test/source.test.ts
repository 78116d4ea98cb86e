// @vitest-environment node
/** What the source must and must not hold. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasNamedIcon } from '../kind-icon.tsx';

const SRC = join(import.meta.dirname, '../..');

it('has every icon that the node catalog names', () => {
  const folder = join(import.meta.dirname, '../../../../node-catalog');
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
    .map((name) => /^icon:\s*(\S+)/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1] ?? name);
  expect(names.filter((name) => !hasNamedIcon(name))).toEqual([]);
});

it('puts text on the page as text only', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name) && !name.includes('test'));
  const bad = files.filter((name) => /dangerously[S]etInnerHTML|\.innerHTML\s*=|insertAdjacentHTML|\beval\(|new Function\(/.test(readFileSync(join(SRC, name), 'utf8')));
  expect(bad).toEqual([]);
});

it('imports the desktop API in one file only', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name) && !name.includes('test'));
  const found = files.filter((name) => /from '@tauri-apps/.test(readFileSync(join(SRC, name), 'utf8')));
  expect(found.map((name) => name.replaceAll('\\', '/'))).toEqual(['api/transport/tauri.ts']);
});
