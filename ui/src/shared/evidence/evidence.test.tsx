import { fireEvent, render, screen } from '@testing-library/react';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf, plain } from '../../text/letters.ts';
import { hiddenIn, plainValue } from './controls.ts';
import { changedPaths, diffLines, fold, same, type DiffLine } from '../diff.ts';
import type { JsonSchema } from '../../api/types.ts';
import { DiffView } from '../diff-view.tsx';
import { DOTS, holdsSecret, secretAt, withoutSecrets } from '../secret-paths.ts';
import { applyPatch, at, put } from './patch.ts';
import { SafeText } from './safe-text.tsx';

describe('letters that are not seen', () => {
  it('are named wherever they stand, and nothing else is', () => {
    const codes = (text: string) => piecesOf(text).flatMap((piece) => (piece.hidden ? [piece.hidden.code] : []));
    expect(codes('a\u202eb\u0000\u200b\u001b[31m\u2066\ufeff\u00ad\u{e0041}')).toEqual(['U+202E', 'U+0000', 'U+200B', 'U+001B', 'U+2066', 'U+FEFF', 'U+00AD', 'U+E0041']);
    expect(codes('Grüße, שלום, 日本 \t\n 👩‍🔧')).toEqual([]);
    expect(codes('\ud800')).toEqual(['U+D800']);
    // Joiners of scripts that join their letters belong to the word, and a carriage return before a line feed to the line end.
    expect(codes('می\u200cخواهم ක්\u200dෂ ന്\u200dറ one\r\ntwo\r\n')).toEqual([]);
    expect(codes('pay\u200dpal ad\u200cmin می\u200c \rgone')).toEqual(['U+200D', 'U+200C', 'U+200C', 'U+000D']);
    expect(plain('abc\u202egnp.exe')).toBe('abc[U+202E]gnp.exe');
    // Asked twice in a row: no state is kept between two questions.
    expect([plain('\u0007'), plain('\u0007')]).toEqual(['[U+0007]', '[U+0007]']);
  });
  it('lose nothing: the pieces are the text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => { expect(piecesOf(text).map((piece) => piece.text).join('')).toBe(text); }));
  });
  it('are found in names and values, with their place', () => {
    expect(hiddenIn({ name: 'ok', list: [{ 'a/b': 'x\u200b' }] })).toEqual([{ path: '/list/0/a~1b', codes: ['U+200B'] }]);
    expect(plainValue({ ['k\u202e']: ['v\u0000', 1, null] })).toEqual({ 'k[U+202E]': ['v[U+0000]', 1, null] });
  });
  it('are shown as marks; markup is shown as letters; long texts are cut with a way to the rest', () => {
    const { container } = render(<SafeText text={`<img src=x onerror=alert(1)>\u202e${'x'.repeat(50)}`} cut={40} />);
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).toContain('<img src=x onerror=alert(1)>');
    expect(screen.getByTitle('U+202E right-to-left override').textContent).toBe('U+202E');
    fireEvent.click(screen.getByRole('button', { name: 'show 39 more characters' }));
    expect(container.textContent).toContain('x'.repeat(50));
  });
});

/** One side of a difference, as JSON again. */
function sideOf(lines: DiffLine[], mark: '-' | '+'): unknown {
  const mine = lines.filter((line) => line.mark === ' ' || line.mark === mark);
  const text = mine.map((line, index) => (/^[\]}]/.test(mine[index + 1]?.text ?? '}') ? line.text.replace(/,$/, '') : line.text)).join('\n');
  return JSON.parse(text);
}
const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('the structural difference', () => {
  it('holds both values whole', () => {
    fc.assert(fc.property(json, json, (a, b) => {
      const lines = diffLines(a, b);
      expect(same(sideOf(lines, '-'), a)).toBe(true);
      expect(same(sideOf(lines, '+'), b)).toBe(true);
      expect(lines.every((line) => line.mark === ' ')).toBe(same(a, b));
    }));
  });
  it('knows types, places and letters', () => {
    const lines = diffLines({ id: 'S-Z041', total: 5, keep: [1, 2, 3] }, { id: 'S-2041', total: '5', keep: [1, 3] });
    expect(changedPaths(lines)).toEqual(['/id', '/total', '/keep/1']);
    const [gone, come] = lines.filter((line) => line.path === '/id');
    expect(gone?.text.slice(gone.from, gone.to)).toBe('Z');
    expect(come?.text.slice(come.from, come.to)).toBe('2');
  });
  it('stays quick for long lists', () => {
    const long = Array.from({ length: 3000 }, (_, n) => ({ n }));
    expect(changedPaths(diffLines(long, [...long.slice(0, 1500), { n: -1 }, ...long.slice(1501)]))).toEqual(['/1500/n']);
  });
  it('folds what stays between changes, and opens it again', () => {
    const before = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${String(n)}`, n]));
    const lines = diffLines(before, { ...before, f20: 'x' });
    expect(fold(lines).filter((one) => 'fold' in one)).toHaveLength(2);
    expect(fold(diffLines(before, before))).toHaveLength(42);
    const { container } = render(<DiffView before={before} after={{ ...before, f20: 'x' }} label="Changes" />);
    expect(container.querySelectorAll('.dl.d, .dl.a')).toHaveLength(2);
    expect(container.textContent).not.toContain('"f5"');
    fireEvent.click(screen.getAllByRole('button', { name: /unchanged lines$/ })[0] as HTMLElement);
    expect(container.textContent).toContain('"f5"');
    // Not by colour alone.
    expect(container.querySelector('.dl.d')?.textContent).toContain('removed');
  });
});

describe('what a schema marks as secret', () => {
  const secret = { type: 'string', 'x-secret': true };
  const schema = {
    type: 'object', $defs: { key: secret },
    properties: { pin: secret, name: { type: 'string' }, keys: { type: 'array', items: { $ref: '#/$defs/key' } }, card: { type: 'object', 'x-secret': true }, any: { oneOf: [{ type: 'number' }, { properties: { token: secret } }] } },
  };
  const before = { pin: '1111', name: 'Ada', keys: ['first-key'], card: { number: '4711', code: '999' }, any: { token: 'tok-1' } };
  const after = { pin: '1234', name: 'Bea', keys: ['first-key', 'second-key'], card: { number: '4712', code: '999' }, any: { token: 'tok-2' } };

  it('is said to have changed, and not shown', () => {
    for (const view of ['together', 'side'] as const) {
      const { container, unmount } = render(<DiffView before={before} after={after} schema={schema} view={view} label="Changes" />);
      for (const hidden of ['1111', '1234', '111', '234', '-key', '4711', '4712', '999', 'number', 'tok-']) expect(container.textContent).not.toContain(hidden);
      expect(container.textContent).toContain('"pin": ••••••••');
      expect(container.textContent).toContain('Bea');
      // The letters that differ would say something of both.
      expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['Ad', 'Be']);
      unmount();
    }
    expect(changedPaths(diffLines(before, after, (path) => secretAt(schema, path)))).toEqual(['/pin', '/name', '/keys/1', '/card', '/any/token']);
  });
  it('shows that nothing stands there, and goes round no circle of references', () => {
    expect(diffLines({ pin: '' }, { pin: '1234' }, (path) => secretAt(schema, path)).map((line) => `${line.mark}${line.text}`)).toEqual([' {', '-"pin": ""', '+"pin": ••••••••', ' }']);
    const circle: JsonSchema = { properties: { next: { $ref: '#' }, pin: secret } };
    expect(secretAt(circle, '/next/next/pin')).toBe(true);
    expect(secretAt({ allOf: [{ $ref: '#' }] }, '/a')).toBe(false);
    expect(holdsSecret(schema)).toBe(true);
    expect(holdsSecret({ type: 'object', properties: { 'x-secret': { type: 'boolean' } } })).toBe(false);
    expect(withoutSecrets({ properties: { card: { properties: { pin: { 'x-secret': true } } } } }, { pin: '1', holder: 'Ada' }, '/card')).toEqual({ pin: DOTS, holder: 'Ada' });
    // What is known of a place is not looked up again.
    let looked = 0;
    const marked: JsonSchema = { properties: { pin: { 'x-secret': true }, list: { get items() { looked += 1; return { type: 'number' }; } } } };
    const many = Array.from({ length: 500 }, (_, n) => n);
    const lines = () => diffLines({ pin: '1', list: many }, { pin: '2', list: [...many, 500] }, (path) => secretAt(marked, path));
    expect(lines().filter((line) => line.mark !== ' ').map((line) => line.text)).toEqual([`"pin": ${DOTS},`, `"pin": ${DOTS},`, '500']);
    const before = looked;
    lines();
    expect(looked).toBe(before);
    // Where nothing is marked nothing is looked up, however long the value is.
    const plainSchema: JsonSchema = { type: 'object', get properties() { asked += 1; return {}; } };
    let asked = 0;
    const long = Array.from({ length: 2000 }, (_, n) => n);
    const { rerender } = render(<DiffView before={long} after={[...long, 1]} schema={plainSchema} label="d" />);
    rerender(<DiffView before={long} after={[...long, 2]} schema={plainSchema} label="d" />);
    expect(asked).toBe(1);
  });
});

describe('patches (RFC 6902)', () => {
  it('do what their operations say', () => {
    const start = { a: 1, list: ['x', 'y'], 'm/n': { '~': 0 } };
    expect(applyPatch(start, [{ op: 'replace', path: '/a', value: '1' }, { op: 'add', path: '/list/1', value: 'z' }, { op: 'remove', path: '/list/0' }, { op: 'replace', path: '/m~1n/~0', value: 1 }, { op: 'add', path: '/list/-', value: 'end' }]))
      .toEqual({ ok: true, value: { a: '1', list: ['z', 'y', 'end'], 'm/n': { '~': 1 } } });
    expect(applyPatch(start, [{ op: 'move', from: '/a', path: '/b' }, { op: 'copy', from: '/list', path: '/c' }])).toEqual({ ok: true, value: { list: ['x', 'y'], 'm/n': { '~': 0 }, b: 1, c: ['x', 'y'] } });
    expect(applyPatch(start, [{ op: 'replace', path: '', value: 7 }])).toEqual({ ok: true, value: 7 });
    expect(start.a).toBe(1);
  });
  it('say where they do not fit, and change nothing then', () => {
    for (const [operation, path] of [[{ op: 'replace', path: '/none', value: 1 }, '/none'], [{ op: 'remove', path: '/list/5' }, '/list/5'], [{ op: 'add', path: '/list/01', value: 1 }, '/list/01'], [{ op: 'test', path: '/a', value: 2 }, '/a'], [{ op: 'add', path: '/a/b', value: 1 }, '/a/b']] as const) {
      expect(applyPatch({ a: 1, list: [] }, [operation])).toEqual({ ok: false, path });
    }
    expect(put({ a: { b: 1 } }, '/a/b', 2)).toEqual({ a: { b: 2 } });
    expect(put({ a: 1 }, '/x', 2)).toEqual({ a: 1 });
    expect(at({ a: [{ b: 1 }] }, '/a/0/b')).toBe(1);
    expect(at(Object.create({ inherited: 1 }), '/inherited')).toBeUndefined();
  });
});
