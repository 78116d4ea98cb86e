/** JSON without a change of its numbers: a whole number that JavaScript's own cannot hold (above 2^53, where the host has 64 bits) is a bigint here,
 * and goes back as it came. Everything else is what the browser makes of it. */

import { randomId } from '../text/random-id.ts';

/** Stands before the digits while a text is read or written; no other text has it. */
const MARK = `exact:${randomId()}:`;
const WRITTEN = new RegExp(`"${MARK}(-?\\d+)"`, 'g');
/** Texts are gone over as a whole, so that digits in them are none. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
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
  let some = false;
  const marked = text.replaceAll(TOKEN, (token) => {
    if (token.startsWith('"') || !isLarge(token)) return token;
    some = true;
    return `"${MARK}${token}"`;
  });
  if (!some) return JSON.parse(text) as unknown;
  return JSON.parse(marked, (_, value: unknown) => (typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value)) as unknown;
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
