// @vitest-environment node
/** Which folder may import which (ARCHITECTURE.md): only a folder further left, and no feature another feature. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..');
const LAYERS = ['text', 'json', 'i18n', 'kit', 'api', 'run', 'code', 'schema-form', 'shared', 'features', 'form-page', 'screens', 'main.tsx'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(?:^|\/)test\//.test(name));

/** Every import of one file of the project by another, both as paths below `src`. */
const imports = files.flatMap((file) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:\bfrom|\bimport\(|^import)\s*['"](\.[^'"]+)['"]/gm)]
    .map((found) => ({ file, target: posix.normalize(posix.join(dirname(file), found[1] as string)) })));

const top = (path: string) => path.split('/')[0] as string;

it('knows every folder', () => {
  expect([...new Set(files.map(top))].filter((folder) => !LAYERS.includes(folder))).toEqual([]);
  expect(imports.length).toBeGreaterThan(500);
});

it('imports from lower layers only', () => {
  const upward = imports.filter(({ file, target }) => LAYERS.indexOf(top(target)) > LAYERS.indexOf(top(file)));
  expect(upward.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

it('keeps features apart', () => {
  const feature = (path: string) => (top(path) === 'features' ? path.split('/')[1] : undefined);
  const across = imports.filter(({ file, target }) => feature(file) !== undefined && feature(target) !== undefined && feature(file) !== feature(target));
  expect(across.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

it('reads no code editor at the start', () => {
  // What is imported for its types alone, or when it is wanted, is not read.
  const reads = (file: string) => [...readFileSync(join(SRC, file), 'utf8').matchAll(/^\s*(?:import|export)\s(?!type\b)[^;'"]*['"](\.[^'"]+)['"]/gm)].map((found) => posix.normalize(posix.join(dirname(file), found[1] as string)));
  const came = new Map([['main.tsx', 'index.html']]);
  for (const file of came.keys()) for (const target of reads(file)) if (files.includes(target) && !came.has(target)) came.set(target, file);
  expect(came.has('screens/gallery-screen.tsx')).toBe(true);
  expect(['code/CodeEditor.tsx', 'schema-form/index.ts'].flatMap((heavy) => (came.has(heavy) ? [`${heavy} is imported by ${String(came.get(heavy))}`] : []))).toEqual([]);
});
