// @vitest-environment node
/** Contrast is computed over the token file: text 4.5:1 on every surface it may meet, controls and wired ports 3:1. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const CSS = readFileSync(join(import.meta.dirname, '../tokens.css'), 'utf8');

function tokensOf(block: string): Map<string, string> {
  const start = CSS.indexOf(block);
  expect(start, block).toBeGreaterThanOrEqual(0);
  const body = CSS.slice(CSS.indexOf('{', start) + 1, CSS.indexOf('}', start));
  return new Map([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\s*;/g)].map((match) => [match[1] ?? '', match[2] ?? '']));
}
function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

const SURFACES = ['bg-canvas', 'bg-sunken', 'bg-surface', 'bg-raised', 'bg-hover'];
const SIGNALS = ['ok', 'err', 'run', 'wait', 'person', 'sel', 'off'];
const KINDS = ['start', 'data', 'logic', 'ai', 'error', 'person', 'system'];

/** [what, on what, at least] */
function pairs(): [string, string, number][] {
  const list: [string, string, number][] = [];
  for (const text of ['text', 'text-2', 'text-3']) for (const surface of SURFACES) list.push([text, surface, 4.5]);
  list.push(['text', 'bg-active', 4.5], ['text-2', 'bg-active', 4.5], ['on-ink', 'ink', 4.5], ['on-ink', 'ink-hover', 4.5]);
  for (const signal of SIGNALS) {
    for (const surface of SURFACES) list.push([signal, surface, 4.5]);
    list.push([signal, `${signal}-bg`, 4.5], ['text', `${signal}-bg`, 4.5], ['text-2', `${signal}-bg`, 4.5]);
  }
  for (const signal of ['ok', 'err', 'person', 'sel']) list.push([`on-${signal}`, signal, 4.5]);
  for (const kind of KINDS) list.push([`k-${kind}`, `k-${kind}-bg`, 4.5]);
  for (const syntax of ['syn-key', 'syn-str', 'syn-num', 'syn-ref']) for (const surface of ['bg-surface', 'bg-sunken', 'bg-raised']) list.push([syntax, surface, 4.5]);
  // Selected rows hold hints too.
  list.push(['text-3', 'sel-bg', 4.5], ['text-3', 'bg-active', 4.5], ['person', 'sel-bg', 4.5], ['err', 'sel-bg', 4.5], ['ok', 'sel-bg', 4.5], ['sel', 'bg-active', 4.5]);
  list.push(['syn-ref', 'sel-bg', 4.5], ['text', 'diff-add-bg', 4.5], ['text', 'diff-del-bg', 4.5]);
  for (const surface of ['bg-canvas', 'bg-sunken', 'bg-surface', 'bg-raised']) list.push(['line-control', surface, 3]);
  for (const wire of ['wire-ok', 'wire-err']) for (const surface of ['bg-canvas', 'bg-sunken', 'bg-surface']) list.push([wire, surface, 3]);
  // The faint ones: their ports and tags carry the meaning.
  for (const wire of ['wire-idle', 'wire-safe']) for (const surface of ['bg-canvas', 'bg-surface']) list.push([wire, surface, 2.5]);
  return list;
}

describe.each([['light', ':root, [data-theme="light"]'], ['dark', '\n[data-theme="dark"]']])('%s theme', (_name, block) => {
  const tokens = tokensOf(block);
  it.each(pairs())('%s on %s is at least %s', (front, back, least) => {
    const [a, b] = [tokens.get(front), tokens.get(back)];
    expect(a, front).toBeDefined();
    expect(b, back).toBeDefined();
    expect(contrast(a ?? '', b ?? '')).toBeGreaterThanOrEqual(least);
  });
});

it('gives "system" the values of the dark theme', () => {
  expect([...tokensOf(':root:not([data-theme])')]).toEqual([...tokensOf('\n[data-theme="dark"]')]);
});

it('checks at least 120 pairs in each theme', () => {
  expect(pairs().length).toBeGreaterThanOrEqual(120);
});
