/** JSON as a person writes it. The browser's own reader changes what it cannot hold and says nothing: `1e400` becomes null on its way out, large
 * whole numbers become others, of a key that stands twice one value is lost. Here all of that is refused, with what and where. */

import { isLarge, parseExact } from './exact-json.ts';

/** As deep as a value may be. The host reads 128 levels, a request around the value takes some, and the audit chain keeps 120. */
export const MAX_DEPTH = 120;

/** `what`: the number or the key that it is about, as it is written. `at`: where that stands in the text, in UTF-16 units from 0. */
export type JsonProblem = { at: number } & (
  | { kind: 'syntax' | 'surrogate' | 'depth' }
  | { kind: 'huge' | 'tiny' | 'inexact' | 'twice'; what: string }
);

export type ReadJson = { value: unknown } | { problem: JsonProblem };

/** The value of a text that says exactly what the value says; else the first thing that is wrong. */
export function readJson(text: string): ReadJson {
  const problem = new Check(text).run();
  return problem ? { problem } : { value: parseExact(text) };
}

/** Line and column of a place, from 1. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Digits of a decimal that are always taken: it is a double by contract, as for the host. */
const DOUBLE_DIGITS = 17;
/** As many digits as the browser writes of a double. */
const MOST_DIGITS = 101;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Whether a number goes out as it is written: finite, not nothing for being small, a large whole number, however it is spelt, is the same one, and a
 * decimal has at most 17 digits or is a double that was written with more. */
export function numberKept(written: string): 'kept' | 'huge' | 'tiny' | 'inexact' {
  const value = Number(written);
  if (!Number.isFinite(value)) return 'huge';
  if (value === 0) return /^[-0.]*(?:[eE]|$)/.test(written) ? 'kept' : 'tiny';
  const digits = significant(written);
  if (digits.length > DOUBLE_DIGITS && wholeOf(written) === undefined) {
    return digits.length <= MOST_DIGITS && significant(value.toExponential(digits.length - 1)) === digits ? 'kept' : 'inexact';
  }
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return 'kept';
  const whole = wholeOf(written);
  if (whole === undefined || whole === wholeOf(String(value))) return 'kept';
  // Beyond 64 bits it would be written with other digits.
  const known = !/^-?\d+$/.test(written) || (whole >= LEAST && whole <= MOST);
  return known && whole === BigInt(value) ? 'kept' : 'inexact';
}

/** The digits of a number without zeros at either end. */
const significant = (written: string): string => written.replace(/e.*$/i, '').replaceAll(/[-+.]/g, '').replaceAll(/^0+|0+$/g, '');

/** The whole number that is written, also with zeros behind a point or with an exponent; undefined for another. */
function wholeOf(written: string): bigint | undefined {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const all = digits + fraction;
  const more = Number(exponent) - fraction.length;
  const whole = more >= 0 ? all + '0'.repeat(more) : /[^0]/.test(all.slice(more)) ? '' : all.slice(0, more);
  return whole === '' ? undefined : BigInt(sign + whole);
}

/** Halves of a sign: each alone is no letter, and no other program can read it. */
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** One way through a text: what is open stands in a list and not in calls, so depth costs nothing. */
class Check {
  private at = 0;
  private problem: JsonProblem | undefined;
  constructor(private readonly text: string) {}

  run(): JsonProblem | undefined {
    // Names that an object has, or null for a list.
    const open: (Set<string> | null)[] = [];
    if (!this.value(open)) return this.problem;
    for (;;) {
      this.space();
      if (open.length === 0) return this.at < this.text.length ? this.syntax() : undefined;
      const names = open.at(-1) as Set<string> | null;
      const sign = this.text[this.at];
      if (sign === (names ? '}' : ']')) {
        this.at++;
        open.pop();
        continue;
      }
      if (sign !== ',') return this.syntax();
      this.at++;
      if (names ? !this.entry(names, open) : !this.value(open)) return this.problem;
    }
  }

  /** One value; of a list or an object all until after its first entry, which goes on `open`. */
  private value(open: (Set<string> | null)[]): boolean {
    for (;;) {
      this.space();
      const sign = this.text[this.at];
      if (sign === '"') return this.string() !== undefined;
      if (sign !== '{' && sign !== '[') return this.number() || this.word();
      if (open.length >= MAX_DEPTH) return this.is({ kind: 'depth', at: this.at });
      this.at++;
      this.space();
      const names = sign === '{' ? new Set<string>() : null;
      open.push(names);
      if (this.text[this.at] === (names ? '}' : ']')) return true;
      if (names && !this.name(names)) return false;
    }
  }

  private entry(names: Set<string>, open: (Set<string> | null)[]): boolean {
    this.space();
    return this.name(names) && this.value(open);
  }

  private name(names: Set<string>): boolean {
    const at = this.at;
    const name = this.text[at] === '"' ? this.string() : this.is({ kind: 'syntax', at });
    if (typeof name !== 'string') return false;
    if (names.has(name)) return this.is({ kind: 'twice', at, what: name });
    names.add(name);
    this.space();
    if (this.text[this.at] !== ':') return this.is({ kind: 'syntax', at: this.at });
    this.at++;
    return true;
  }

  private string(): string | undefined {
    const from = this.at++;
    for (; ; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      // The end of the text has no code.
      if (Number.isNaN(code) || code < 0x20) return void this.syntax();
      if (code !== 0x5c) continue;
      this.at++;
      const sign = this.text[this.at] ?? '';
      if (sign === 'u' && /^[\da-f]{4}$/i.test(this.text.slice(this.at + 1, this.at + 5))) this.at += 4;
      else if (sign === '' || !'"\\/bfnrt'.includes(sign)) return void this.syntax();
    }
    this.at++;
    const said = JSON.parse(this.text.slice(from, this.at)) as string;
    return LONE.test(said) ? void this.is({ kind: 'surrogate', at: from }) : said;
  }

  private number(): boolean {
    NUMBER.lastIndex = this.at;
    const written = NUMBER.exec(this.text)?.[0];
    if (written === undefined) return false;
    const kept = numberKept(written);
    // One of 64 bits goes out as it is written.
    if (kept !== 'kept' && !isLarge(written)) return this.is({ kind: kept, at: this.at, what: written });
    this.at += written.length;
    return true;
  }

  private word(): boolean {
    if (this.problem) return false;
    WORD.lastIndex = this.at;
    const word = WORD.exec(this.text)?.[0];
    if (word === undefined) return this.is({ kind: 'syntax', at: this.at });
    this.at += word.length;
    return true;
  }

  private space(): void {
    for (let sign = this.text[this.at]; sign === ' ' || sign === '\n' || sign === '\t' || sign === '\r'; sign = this.text[this.at]) this.at++;
  }

  private syntax(): JsonProblem {
    this.is({ kind: 'syntax', at: this.at });
    return this.problem as JsonProblem;
  }

  private is(problem: JsonProblem): false {
    this.problem ??= problem;
    return false;
  }
}
