/** How well texts answer what was typed: the palette and all search boxes. Pure. */

/** What counts besides whole words and their starts. `letters`: scattered ones, for short lists of short names. `initials`: "fs" or
 * "fetsup" for "Fetch supplier". `none`: for long texts, in which nearly every letter stands somewhere. */
export type Pieces = 'letters' | 'initials' | 'none';

/** Of any script: an umlaut is no border of a word. */
const LETTER = /[\p{L}\p{N}]/u;
const PART = /[\s\-_.:/,]+/;

/** 0 = not at all. A whole text beats its start, that the start of a word, that a piece. In short names an earlier word counts more; which
 * word of a title it is says nothing, and the list has an order of its own. */
export function score(query: string, text: string, pieces: Pieces = 'letters'): number {
  const q = query.trim().toLowerCase();
  const t = text.toLowerCase();
  if (!q) return 1;
  if (t === q) return 1000;
  if (t.startsWith(q)) return 800 - Math.min(t.length, 100);
  const inside = t.indexOf(q);
  for (let at = inside; at >= 0; at = t.indexOf(q, at + 1)) if (!LETTER.test(t[at - 1] ?? '')) return pieces === 'letters' ? 600 - Math.min(at, 100) : 600;
  // Two letters in the middle of a word are in nearly every text.
  if (inside >= 0 && (pieces === 'letters' || q.length >= 3)) return 400 - Math.min(inside, 100);
  return pieces === 'letters' ? letters(q, t) : pieces === 'initials' ? initials(q, t) : 0;
}

function letters(query: string, text: string): number {
  let from = 0;
  let gaps = 0;
  for (const letter of query) {
    if (letter === ' ') continue;
    const at = text.indexOf(letter, from);
    if (at < 0) return 0;
    gaps += at - from;
    from = at + 1;
  }
  // Letters spread over half a sentence are no match.
  return gaps > query.length * 4 ? 0 : Math.max(1, 200 - gaps * 8);
}

/** Pieces from the starts of words, in order, at least two of them. */
function initials(query: string, text: string): number {
  // Of a few words: the search below tries all ways to split the query.
  const parts = text.split(PART).filter(Boolean).slice(0, 8);
  const fits = (from: number, rest: string, used: number): number => {
    if (rest === '') return used >= 2 ? used : 0;
    for (let index = from; index < parts.length; index += 1) {
      const part = parts[index] ?? '';
      let length = 0;
      while (length < rest.length && rest[length] === part[length]) length += 1;
      for (; length > 0; length -= 1) {
        const found = fits(index + 1, rest.slice(length), used + 1);
        if (found) return found;
      }
    }
    return 0;
  };
  const used = query.length <= 12 ? fits(0, query, 0) : 0;
  return used ? 100 + Math.min(used, 5) * 20 : 0;
}

/** The best of several texts, each with its weight. All words of the query must be found somewhere. */
export function scoreAll(query: string, texts: readonly (readonly [text: string, weight: number, pieces?: Pieces])[]): number {
  const best = (part: string): number => Math.max(0, ...texts.map(([text, weight, pieces]) => score(part, text, pieces) * weight));
  const whole = best(query);
  const parts = query.trim().split(/\s+/);
  if (parts.length < 2) return whole;
  let sum = 0;
  for (const part of parts) {
    const points = best(part);
    if (points === 0) return whole;
    sum += points;
  }
  return Math.max(whole, sum / parts.length);
}
