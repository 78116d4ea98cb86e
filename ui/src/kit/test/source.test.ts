// @vitest-environment node
/** What the source must and must not hold. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FIELDS } from '../../i18n/choice-words.ts';
import { hasNamedIcon } from '../kind-icon.tsx';

const SRC = join(import.meta.dirname, '../..');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(?:^|[/\\])test[/\\]/.test(name));

it('has every icon that the node catalog names', () => {
  const folder = join(import.meta.dirname, '../../../../node-catalog');
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
    .map((name) => /^icon:\s*(\S+)/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1] ?? name);
  expect(names.filter((name) => !hasNamedIcon(name))).toEqual([]);
});

it('has words for choices that the node catalog has, all of them', () => {
  const folder = join(import.meta.dirname, '../../../../node-catalog');
  for (const [kind, fields] of Object.entries(FIELDS)) {
    const file = readFileSync(join(folder, `${kind}.yaml`), 'utf8');
    for (const [field, { words }] of Object.entries(fields)) {
      const choices = new RegExp(`^ {4}${field}:\\n(?: {6}.*\\n)*? {6}enum: \\[(.*)\\]`, 'm').exec(file)?.[1]?.split(',').map((one) => one.trim());
      expect(choices?.sort(), `${kind} ${field}`).toEqual(Object.keys(words).sort());
    }
  }
});

it('puts text on the page as text only', () => {
  const bad = files.filter((name) => /dangerously[S]etInnerHTML|\.innerHTML\s*=|insertAdjacentHTML|\beval\(|new Function\(/.test(readFileSync(join(SRC, name), 'utf8')));
  expect(bad).toEqual([]);
});

it('imports the desktop API in one file only', () => {
  const found = files.filter((name) => /from '@tauri-apps/.test(readFileSync(join(SRC, name), 'utf8')));
  expect(found.map((name) => name.replaceAll('\\', '/'))).toEqual(['api/transport/tauri.ts']);
});

/** What stands between the next bracket and the one that closes it. */
function argumentsAt(text: string, from: number): string {
  const start = text.indexOf('(', from) + 1;
  let at = start;
  for (let depth = 1; depth > 0 && at < text.length; at += 1) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return text.slice(start, at - 1);
}

it('each word of the tables is said somewhere', () => {
  const sources = new Map(files.map((name) => [name, readFileSync(join(SRC, name), 'utf8')]));
  const tables = [...sources].filter(([name]) => /i18n[/\\]en(\.\w+)?\.ts$/.test(name));
  const rest = [...sources].filter(([name]) => !/i18n[/\\](en|zh)/.test(name)).map(([, text]) => text).join('\n');
  // Keys that are put together, as `inbox.view.${view}`: where they are said, or where they are called a key. Ids of actions look alike.
  const calls = [...rest.matchAll(/\btn?\(/g)].map(({ index }) => argumentsAt(rest, index));
  const named = [...rest.matchAll(/`[^`]*`(?= as (?:MessageKey|'[a-z]+\.))/gi)].map((found) => found[0]);
  const begun = new Set([...calls, ...named].flatMap((text) => [...text.matchAll(/`([a-z]\w*\.[\w.]*)\$\{/gi)].map((found) => found[1] as string)));
  const said = new Set([...rest.matchAll(/['`]([a-z]\w*(?:\.\w+)+)['`]/gi)].map((found) => found[1] as string));
  const dead = tables.flatMap(([, text]) => [...text.matchAll(/^\s*'([\w.]+)':/gm)].map((found) => found[1] as string))
    .filter((key) => !said.has(key) && !said.has(key.replace(/\.(?:one|other)$/, '')) && ![...begun].some((start) => key.startsWith(start)));
  expect(tables.length).toBeGreaterThan(8);
  expect(dead).toEqual([]);
});

it('no focus moves the page: nothing of it can be scrolled, and what scrolls in the panel holds what only readers hear', () => {
  const rule = (file: string, selector: string) => new RegExp(`^${selector.replaceAll('.', '\\.')} \\{([^}]*)\\}`, 'm').exec(readFileSync(join(SRC, file), 'utf8'))?.[1] ?? '';
  expect(rule('kit/kit.css', 'html, body')).toContain('overflow: clip');
  expect(readFileSync(join(SRC, 'kit/kit.css'), 'utf8')).not.toMatch(/^body \{[^}]*overflow/m);
  for (const selector of ['.panel-scroll', '.node-panel .tabpanel']) {
    expect(rule('features/node-panel/panel.css', selector), selector).toContain('overflow: auto');
    expect(rule('features/node-panel/panel.css', selector), selector).toContain('position: relative');
  }
});

it('a long word of an error makes no screen wider than the window', () => {
  const css = readFileSync(join(SRC, 'screens/workbench/workbench.css'), 'utf8');
  expect(css).toMatch(/^\.wb \{[^}]*grid-template-columns: minmax\(0, 1fr\)/m);
  expect(css).toMatch(/^\.wb-banners \.banner-main \{[^}]*overflow-wrap: anywhere/m);
});

it('in a narrow window the name of a run keeps room, and the button that stops it is the last to go', () => {
  const css = readFileSync(join(SRC, 'screens/workbench/workbench.css'), 'utf8');
  expect(css).toMatch(/\.wb-run \{ min-width: min\(96px/);
  expect(css).toMatch(/\.last \{ position: sticky; right: 0/);
  expect(css).toMatch(/max-width: 1200px\) \{ \.wb \.bar \.opt-wide \{ display: none/);
  const screen = readFileSync(join(SRC, 'screens/run/run-screen.tsx'), 'utf8');
  expect([...screen.matchAll(/<Button className="last" (icon="stop"|variant)/g)]).toHaveLength(2);
  expect(screen).toContain('wb-run');
});
