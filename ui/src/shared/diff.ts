// The structural difference of two JSON values, as lines: what stays, what goes, what comes. Pure.

import { writeExact } from '../json/exact-json.ts';
import { isObject, pointerTo } from '../json/json.ts';
import { DOTS } from './secret-paths.ts';

export type Mark = ' ' | '-' | '+';
/** `from`, `to`: the letters of the line that differ from its partner. */
export interface DiffLine { mark: Mark; depth: number; text: string; from?: number; to?: number; path: string }

export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, index) => same(one, b[index]));
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
  }
  return false;
}

const label = (name: string | undefined) => (name === undefined ? '' : `${JSON.stringify(name)}: `);
const isBox = (value: unknown): value is object => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
const scalar = (value: unknown) => (value === undefined ? 'null' : writeExact(value));

/** Whether what stands at a pointer is hidden: that it changed is said, not what it is. */
type Hides = (path: string) => boolean;
interface Out { lines: DiffLine[]; hides: Hides }
const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

function print(out: Out, mark: Mark, value: unknown, depth: number, name: string | undefined, path: string, comma: string): void {
  const { lines, hides } = out;
  if (!isEmpty(value) && hides(path)) {
    lines.push({ mark, depth, text: `${label(name)}${DOTS}${comma}`, path });
    return;
  }
  if (!isBox(value)) {
    lines.push({ mark, depth, text: `${label(name)}${scalar(value)}${comma}`, path });
    return;
  }
  const list = Array.isArray(value);
  lines.push({ mark, depth, text: `${label(name)}${list ? '[' : '{'}`, path });
  const entries = Object.entries(value);
  entries.forEach(([key, one], index) => print(out, mark, one, depth + 1, list ? undefined : key, pointerTo(path, key), index < entries.length - 1 ? ',' : ''));
  lines.push({ mark, depth, text: `${list ? ']' : '}'}${comma}`, path });
}

/** Which places of two lists hold the same: longest common subsequence, by place when the lists are long. */
function pairs(a: unknown[], b: unknown[]): [number | null, number | null][] {
  if (a.length * b.length > 40_000) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => [index < a.length ? index : null, index < b.length ? index : null]);
  }
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = same(a[i], b[j]) ? 1 + (table[(i + 1) * width + j + 1] ?? 0) : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
    }
  }
  const found: [number | null, number | null][] = [];
  let i = 0;
  let j = 0;
  const gone: number[] = [];
  const come: number[] = [];
  // What went and what came between two equal places is the same place, changed.
  const flush = () => {
    for (let n = 0; n < Math.max(gone.length, come.length); n += 1) found.push([gone[n] ?? null, come[n] ?? null]);
    gone.length = 0;
    come.length = 0;
  };
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) {
      flush();
      found.push([i, j]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
      gone.push(i);
      i += 1;
    } else {
      come.push(j);
      j += 1;
    }
  }
  flush();
  return found;
}

function walk(out: Out, a: unknown, b: unknown, depth: number, name: string | undefined, path: string, comma: string): void {
  const { lines, hides } = out;
  if (same(a, b)) {
    print(out, ' ', a, depth, name, path, comma);
    return;
  }
  const hidden = hides(path);
  if (!hidden && isObject(a) && isObject(b) && (isBox(a) || isBox(b))) {
    lines.push({ mark: ' ', depth, text: `${label(name)}{`, path });
    const names = [...Object.keys(a), ...Object.keys(b).filter((key) => !Object.hasOwn(a, key))];
    names.forEach((key, index) => {
      const end = index < names.length - 1 ? ',' : '';
      if (!Object.hasOwn(b, key)) print(out, '-', a[key], depth + 1, key, pointerTo(path, key), end);
      else if (!Object.hasOwn(a, key)) print(out, '+', b[key], depth + 1, key, pointerTo(path, key), end);
      else walk(out, a[key], b[key], depth + 1, key, pointerTo(path, key), end);
    });
    lines.push({ mark: ' ', depth, text: `}${comma}`, path });
    return;
  }
  if (!hidden && Array.isArray(a) && Array.isArray(b) && a.length + b.length > 0) {
    lines.push({ mark: ' ', depth, text: `${label(name)}[`, path });
    const both = pairs(a, b);
    both.forEach(([left, right], index) => {
      const end = index < both.length - 1 ? ',' : '';
      if (left !== null && right !== null) walk(out, a[left], b[right], depth + 1, undefined, pointerTo(path, right), end);
      else if (left !== null) print(out, '-', a[left], depth + 1, undefined, pointerTo(path, left), end);
      else if (right !== null) print(out, '+', b[right], depth + 1, undefined, pointerTo(path, right), end);
    });
    lines.push({ mark: ' ', depth, text: `]${comma}`, path });
    return;
  }
  const from = lines.length;
  print(out, '-', a, depth, name, path, comma);
  print(out, '+', b, depth, name, path, comma);
  const [gone, come] = [lines[from], lines[from + 1]];
  // One line against one line: the letters that differ are marked too.
  if (!hidden && lines.length === from + 2 && gone && come && typeof a === typeof b) {
    let head = 0;
    while (head < gone.text.length && head < come.text.length && gone.text[head] === come.text[head]) head += 1;
    let tail = 0;
    while (tail < gone.text.length - head && tail < come.text.length - head && gone.text.at(-1 - tail) === come.text.at(-1 - tail)) tail += 1;
    Object.assign(gone, { from: head, to: gone.text.length - tail });
    Object.assign(come, { from: head, to: come.text.length - tail });
  }
}

export function diffLines(before: unknown, after: unknown, hides: Hides = () => false): DiffLine[] {
  const lines: DiffLine[] = [];
  walk({ lines, hides }, before, after, 0, undefined, '', '');
  return lines;
}

/** Pointers of the places that differ, the highest of each. */
export function changedPaths(lines: readonly DiffLine[]): string[] {
  const found: string[] = [];
  for (const line of lines) {
    if (line.mark === ' ') continue;
    if (!found.some((path) => path === line.path || line.path.startsWith(`${path}/`))) found.push(line.path);
  }
  return found;
}

export type Shown = DiffLine | { fold: DiffLine[]; key: string };

/** Long stretches between changes become one line that opens. */
export function fold(lines: readonly DiffLine[], around = 3, least = 8): Shown[] {
  if (!lines.some((line) => line.mark !== ' ')) return [...lines];
  const near = new Set<number>();
  lines.forEach((line, index) => {
    if (line.mark !== ' ') for (let at = index - around; at <= index + around; at += 1) near.add(at);
  });
  const out: Shown[] = [];
  let run: DiffLine[] = [];
  const flush = () => {
    if (run.length >= least) out.push({ fold: run, key: `${run[0]?.path ?? ''} ${String(run.length)} ${String(out.length)}` });
    else out.push(...run);
    run = [];
  };
  lines.forEach((line, index) => {
    if (near.has(index)) {
      flush();
      out.push(line);
    } else run.push(line);
  });
  flush();
  return out;
}
