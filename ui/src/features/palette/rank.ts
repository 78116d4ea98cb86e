/** How well a text answers a query: 0 = not at all. Every word must be found; starts of words count more. */
export function score(query: string, ...texts: (string | undefined)[]): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return 1;
  let total = 0;
  for (const word of words) {
    let best = 0;
    texts.forEach((text, rank) => {
      if (!text) return;
      best = Math.max(best, wordScore(word, text.toLowerCase()) / (rank + 1));
    });
    if (best === 0) return 0;
    total += best;
  }
  return total / words.length;
}

function wordScore(word: string, text: string): number {
  if (text.startsWith(word)) return 100 - Math.min(40, text.length - word.length) / 2;
  const at = text.indexOf(word);
  if (at > 0) return /[\s\-_.:/]/.test(text[at - 1] ?? '') ? 70 : 45;
  // Letters in order, as in "fs" for "Fetch supplier": only from starts of words or in unbroken pieces of a short text.
  let index = 0;
  let starts = 0;
  for (const letter of word) {
    const next = text.indexOf(letter, index);
    if (next < 0) return 0;
    if (next === 0 || /[\s\-_.:/]/.test(text[next - 1] ?? '')) starts += 1;
    index = next + 1;
  }
  return starts >= 2 || starts === word.length ? 20 + starts * 4 : word.length >= 3 && index <= word.length * 3 ? 8 : 0;
}
