/**
 * Where an expression (CEL) names steps: `nodes.ID`, `nodes['my-id']` and `paired('my-id')`. Read off its tokens, so that texts, comments, fields called
 * `nodes`, and the variable of a loop called `nodes` are none; an expression that somebody is still writing is read as far as it goes.
 * The engine's own parser reads the same ones: `tests/expressions/references.json` holds both to it.
 */

type Kind = 'name' | 'text' | 'other';

export interface Token {
  kind: Kind;
  start: number;
  end: number;
  /** as written; of a text what it says */
  value: string;
}

/** A place that names a step: `.id`, or `['id']` with its brackets. */
export interface StepName {
  id: string;
  start: number;
  end: number;
}

/** Old id → new id; undefined keeps it. */
export interface Renames {
  get(id: string): string | undefined;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)[uU]?/y;
const TEXT = /([rRbB]{0,2})('''|"""|'|")/y;
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;
const PLAIN: { readonly [letter: string]: string } = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Words that cannot stand behind a dot. */
const RESERVED: ReadonlySet<string> = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while',
]);

const said = (text: string): string => text.replace(ESCAPE, (_, x, X, u, U, octal, letter: string | undefined) => {
  const hex: string | undefined = x ?? X ?? u ?? U;
  const code = hex !== undefined ? Number.parseInt(hex, 16) : octal !== undefined ? Number.parseInt(String(octal), 8) : undefined;
  if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  return PLAIN[letter ?? ''] ?? letter ?? '';
});

/** Names, texts, numbers and single signs, each with its place; spaces and comments are left out. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const start = at;
    if (/\s/.test(text[at] as string)) {
      at += 1;
      continue;
    }
    if (text.startsWith('//', at)) {
      const line = text.indexOf('\n', at);
      at = line < 0 ? text.length : line;
      continue;
    }
    const open = match(TEXT);
    if (open) {
      const [whole, prefix = '', mark = ''] = open;
      const raw = /r/i.test(prefix);
      at += whole.length;
      const from = at;
      while (at < text.length && !text.startsWith(mark, at)) at += text[at] === '\\' && !raw ? 2 : 1;
      const inner = text.slice(from, at);
      at = Math.min(at + mark.length, text.length);
      tokens.push({ kind: /b/i.test(prefix) ? 'other' : 'text', start, end: at, value: raw ? inner : said(inner) });
      continue;
    }
    const name = match(NAME);
    const number = name ? null : match(NUMBER);
    const length = name?.[0].length ?? number?.[0].length ?? 1;
    at += length;
    tokens.push({ kind: name ? 'name' : 'other', start, end: at, value: text.slice(start, at) });
  }
  return tokens;
}

/** Index of the bracket that closes each one that opens. */
function closings(tokens: readonly Token[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach((token, i) => {
    if (token.kind !== 'other') return;
    if ('([{'.includes(token.value)) open.push(i);
    else if (')]}'.includes(token.value)) {
      const from = open.pop();
      if (from !== undefined) pairs.set(from, i);
    }
  });
  return pairs;
}

/** The steps that an expression names, in order. */
export function stepsIn(text: string): StepName[] {
  if (!text.includes('nodes') && !text.includes('paired')) return [];
  const tokens = tokensOf(text);
  const pairs = closings(tokens);
  const is = (i: number, value: string): boolean => tokens[i]?.kind === 'other' && tokens[i]?.value === value;
  const ends = (i: number): boolean => {
    const token = tokens[i];
    return token !== undefined && (token.kind !== 'other' || ')]}'.includes(token.value) || /^[\d.]*\d/.test(token.value));
  };
  // Where a loop binds the name itself: from behind its variable to the bracket that closes it.
  const bound: (readonly [number, number])[] = [];
  tokens.forEach((token, i) => {
    if (token.kind === 'name' && LOOPS.has(token.value) && is(i - 1, '.') && is(i + 1, '(') && tokens[i + 2]?.kind === 'name' && tokens[i + 2]?.value === 'nodes' && is(i + 3, ',')) {
      bound.push([i + 2, pairs.get(i + 1) ?? tokens.length]);
    }
  });
  const found: StepName[] = [];
  tokens.forEach((token, i) => {
    if (token.kind === 'name' && token.value === 'paired' && is(i + 1, '(') && !is(i - 1, '.')) {
      const name = tokens[i + 2];
      if (name?.kind === 'text' && is(i + 3, ')')) found.push({ id: name.value, start: name.start, end: name.end });
      return;
    }
    if (token.kind !== 'name' || token.value !== 'nodes' || bound.some(([from, to]) => i >= from && i < to)) return;
    // A field of something else; `.nodes` at the beginning of a value is the name itself.
    if (is(i - 1, '.') && ends(i - 2)) return;
    let [from, to] = [is(i - 1, '.') ? i - 1 : i, i];
    // Brackets around it mean nothing, unless they hold the argument of a function.
    while (is(from - 1, '(') && pairs.get(from - 1) === to + 1 && !ends(from - 2)) [from, to] = [from - 1, to + 1];
    const next = tokens[to + 2];
    if (is(to + 1, '.') && next?.kind === 'name' && !is(to + 3, '(')) {
      found.push({ id: next.value, start: next.start, end: next.end });
      return;
    }
    const close = pairs.get(to + 1);
    if (!is(to + 1, '[') || close === undefined) return;
    let [first, last] = [to + 2, close - 1];
    while (is(first, '(') && pairs.get(first) === last) [first, last] = [first + 1, last - 1];
    const key = tokens[first];
    if (first === last && key?.kind === 'text') found.push({ id: key.value, start: key.start, end: key.end });
  });
  return found;
}

/** The expression with other names of steps in it; everything else stays as it was written. */
export function renameInCel(text: string, renames: Renames): string {
  let out = '';
  let done = 0;
  for (const { id, start, end } of stepsIn(text)) {
    const next = renames.get(id);
    if (next === undefined) continue;
    const dotted = /[A-Za-z_]/.test(text[start] as string) && text.slice(start, end) === id;
    const word = /^[A-Za-z_][A-Za-z0-9_]*$/.test(next) && !RESERVED.has(next);
    if (!dotted) out += `${text.slice(done, start)}'${next}'`;
    else if (word) out += text.slice(done, start) + next;
    // The dot before it goes.
    else out += `${text.slice(done, text.lastIndexOf('.', start))}['${next}']`;
    done = end;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** Length of a hole up to the `}}` that closes it: not one in quotes, nor one that closes an object. As the engine reads it. */
function holeEnd(text: string, from: number): number | undefined {
  let open = 0;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] as string;
    if (quote !== '') {
      if (letter === '\\') at += 1;
      else if (letter === quote) quote = '';
    } else if (letter === "'" || letter === '"') quote = letter;
    else if (letter === '{') open += 1;
    else if (letter === '}' && open > 0) open -= 1;
    else if (letter === '}' && text[at + 1] === '}') return at;
  }
  return undefined;
}

/** A value of a setting: CEL behind `=`, a text behind `==`, else a text with CEL in `{{ }}`. */
export function renameInValue(text: string, renames: Renames): string {
  if (text.startsWith('==')) return text;
  if (text.startsWith('=')) return `=${renameInCel(text.slice(1), renames)}`;
  let out = '';
  let done = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', done)) {
    const end = holeEnd(text, open + 2);
    if (end === undefined) break;
    out += text.slice(done, open + 2) + renameInCel(text.slice(open + 2, end), renames);
    done = end;
  }
  return out + text.slice(done);
}
