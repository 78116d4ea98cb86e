// Letters that are not seen, in whole values: written out, and found.

import { pointerTo } from '../../json/json.ts';
import { piecesOf, plain } from '../../text/letters.ts';

/** A value whose texts and names are written out, to be shown and never to be sent. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([name, one]) => [plain(name), plainValue(one)]));
  return value;
}

/** Where hidden letters stand in a value, in its texts and its names, as JSON Pointers with their codes. */
export function hiddenIn(value: unknown, at = ''): { path: string; codes: string[] }[] {
  if (typeof value === 'string') return hiddenOf(value, at);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [...hiddenOf(name, pointerTo(at, name)), ...hiddenIn(one, pointerTo(at, name))]);
}

function hiddenOf(text: string, path: string): { path: string; codes: string[] }[] {
  const codes = piecesOf(text).flatMap((piece) => (piece.hidden ? [piece.hidden.code] : []));
  return codes.length ? [{ path, codes: [...new Set(codes)] }] : [];
}
