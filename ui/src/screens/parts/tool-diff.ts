// What differs between two texts. Pure.

/** Beginning and end that two texts share, and what stands between them in the first one. */
export function differs(text: string, other: string): [string, string, string] {
  const [a, b] = [[...text], [...other]];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return [a.slice(0, head).join(''), a.slice(head, a.length - tail).join(''), a.slice(a.length - tail).join('')];
}
