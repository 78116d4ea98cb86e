/** Node ids: `[A-Za-z_][A-Za-z0-9_-]*`, made from words people chose, unique in the document. */

export const NODE_ID = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** "Fetch user 2!" → `fetch_user_2`; a text without one usable letter gives `step`. */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40)
    .replace(/_+$/, '');
  if (!plain) return 'step';
  return /^[a-z]/.test(plain) ? plain : `step_${plain}`;
}

/** The wanted id, or the first of `wanted_2`, `wanted_3`… that is free. */
export function uniqueId(wanted: string, taken: (id: string) => boolean): string {
  const base = NODE_ID.test(wanted) ? wanted : slug(wanted);
  if (!taken(base)) return base;
  // A copy of `fetch_2` becomes `fetch_3`, not `fetch_2_2`.
  const stem = base.replace(/_\d{1,6}$/, '') || base;
  for (let n = 2; ; n += 1) {
    const id = `${stem}_${n}`;
    if (!taken(id)) return id;
  }
}

/** `from` of an edge in its two parts: the last dot separates. */
export function splitPort(from: string): { node: string; port: string } {
  const dot = from.lastIndexOf('.');
  return dot < 0 ? { node: from, port: '' } : { node: from.slice(0, dot), port: from.slice(dot + 1) };
}
