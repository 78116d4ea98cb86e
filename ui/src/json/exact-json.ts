/** JSON without a change of its numbers: a whole number that JavaScript's own cannot hold (above 2^53, where the host has 64 bits) is a bigint here,
 * and goes back as it came. Everything else is what the browser makes of it. */

import { randomId } from '../text/random-id.ts';

/** Stands before the digits while a text is read or written; no other text has it. */
const MARK = `exact:${randomId()}:`;
const WRITTEN = new RegExp(`"${MARK}(-?\\d+)"`, 'g');
/** Digits that may be such a number, and no part of another one. */
const DIGITS = /(?<![\d.eE+-])-?\d{16,20}(?![\d.eE])/g;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 64n - 1n];

/** Whether a whole number, as it is written, is one that the host holds exactly and a number here would not. */
export function isLarge(written: string): boolean {
  if (!/^-?\d{16,20}$/.test(written) || String(Number(written)) === written) return false;
  const value = BigInt(written);
  return value >= LEAST && value <= MOST;
}

export function parseExact(text: string): unknown {
  // Nearly all have no such number: it costs them one look.
  if (!/\d{16}/.test(text)) return JSON.parse(text) as unknown;
  const marked = markLarge(text);
  if (marked === undefined) return JSON.parse(text) as unknown;
  return withoutMarks(JSON.parse(marked) as unknown);
}

/** Each such number as a text with the mark; `undefined` where there is none. The catalog, which is read at every start, has some among tens of thousands of values. */
function markLarge(text: string): string | undefined {
  let marked = '';
  let taken = 0;
  const quoteFrom = (from: number) => {
    const at = text.indexOf('"', from);
    return at === -1 ? Infinity : at;
  };
  // Digits in texts are none: where the last text ended, and where the next one begins.
  let end = 0;
  let begin = quoteFrom(0);
  for (const { 0: digits, index } of text.matchAll(DIGITS)) {
    if (!isLarge(digits)) continue;
    while (begin <= index) {
      end = endOfText(text, begin);
      begin = quoteFrom(end);
    }
    if (end > index) continue;
    marked += `${text.slice(taken, index)}"${MARK}${digits}"`;
    taken = index + digits.length;
  }
  return taken === 0 ? undefined : marked + text.slice(taken);
}

/** Behind the quote that ends the text which begins here; behind everything where none does. */
function endOfText(text: string, begin: number): number {
  for (let quote = text.indexOf('"', begin + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** The value with numbers where the marks are. */
function withoutMarks(value: unknown): unknown {
  const top = { value };
  const open: object[] = [top];
  for (let one = open.pop() as Record<string, unknown> | undefined; one; one = open.pop() as Record<string, unknown> | undefined) {
    for (const key in one) {
      const child = one[key];
      if (typeof child === 'object' && child !== null) open.push(child);
      else if (typeof child === 'string' && child.startsWith(MARK)) one[key] = BigInt(child.slice(MARK.length));
    }
  }
  return top.value;
}

/** As `JSON.stringify` of a value that is no `undefined`. */
export function writeExact(value: unknown, indent?: number): string {
  let some = false;
  // What stood there, before `toJSON` below has made something of it.
  const text = JSON.stringify(value, function mark(this: Record<string, unknown>, name: string, one: unknown) {
    const stood = this[name];
    if (typeof stood !== 'bigint') return one;
    some = true;
    return MARK + stood.toString();
  }, indent);
  return some ? text.replaceAll(WRITTEN, '$1') : text;
}

type WithRaw = { rawJSON?: (text: string) => unknown };

/** Whatever is shown as JSON shows such a number too, and nothing fails over it: browsers that know how to write it exactly do, in others it
 * stands in quotes. `writeExact` needs no help of the browser. */
declare global { interface BigInt { toJSON(): unknown } }
// eslint-disable-next-line no-extend-native
BigInt.prototype.toJSON = function toJSON(this: bigint): unknown {
  return (JSON as WithRaw).rawJSON?.(this.toString()) ?? this.toString();
};
