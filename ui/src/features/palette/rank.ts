/** How well a text answers a query: 0 = not at all. Every word must be found; starts of words count more. The first text is
 * the name: there the first letters of its words are enough ("fs" for "Fetch supplier"). */
export function score(query: string, ...texts: (string | undefined)[]): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return 1;
  let total = 0;
  for (const word of words) {
    let best = 0;
    texts.forEach((text, rank) => {
      if (!text) return;
      const name = rank === 0;
      const points = wordScore(word, text.toLowerCase()) || (name ? initialsScore(word, text.toLowerCase()) : 0);
      best = Math.max(best, points / (rank + 1));
    });
    if (best === 0) return 0;
    total += best;
  }
  return total / words.length;
}

const PARTS = /[\s\-_.:/,]+/;

function wordScore(word: string, text: string): number {
  if (text.startsWith(word)) return 100 - Math.min(40, text.length - word.length) / 2;
  let inside = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (PARTS.test(text[at - 1] ?? '')) return 70;
    // Two letters in the middle of a word are in nearly every text.
    if (word.length >= 3) inside = 45;
  }
  return inside;
}

/** "fs" or "fetsup" for "Fetch supplier": pieces from the starts of words, in order, at least two of them. */
function initialsScore(word: string, text: string): number {
  // Of a few words: the search below tries all ways to split the query.
  const parts = text.split(PARTS).filter(Boolean).slice(0, 8);
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
  const used = word.length <= 12 ? fits(0, word, 0) : 0;
  return used ? 20 + Math.min(used, 5) * 4 : 0;
}
