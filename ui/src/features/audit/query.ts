// The text of a query: `qualifier:value` and free words. Pure.

export const QUALIFIERS = ['actor', 'event', 'run', 'workflow', 'node', 'level', 'error.type', 'tag', 'since', 'until', 'text'] as const;
export type Qualifier = (typeof QUALIFIERS)[number];

export interface Token { text: string; from: number; to: number; qualifier?: Qualifier; value: string }

/** Words, quoted texts kept whole. Every letter of the query is in a token or is a space between two. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  for (const match of query.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const text = match[0];
    const colon = text.indexOf(':');
    const name = colon > 0 ? text.slice(0, colon) : '';
    const qualifier = QUALIFIERS.find((one) => one === name);
    const raw = qualifier ? text.slice(colon + 1) : text;
    tokens.push({ text, from: match.index, to: match.index + text.length, ...(qualifier ? { qualifier } : {}), value: raw.replaceAll('"', '') });
  }
  return tokens;
}

const quoted = (value: string) => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value);
export const term = (qualifier: Qualifier, value: string): string => `${qualifier}:${quoted(value)}`;

export const valueOf = (query: string, qualifier: Qualifier): string | undefined => tokensOf(query).findLast((token) => token.qualifier === qualifier)?.value;

/** Whether what is asked for means a value that is there: a name alone is also that of a person. */
export const means = (qualifier: Qualifier, asked: string | undefined, value: string): boolean => asked === value || (qualifier === 'actor' && asked !== undefined && value === `user:${asked}`);

/** Each qualifier stands once: a new value takes the place of the old, the same value takes it away. */
export function toggle(query: string, qualifier: Qualifier, value: string): string {
  const tokens = tokensOf(query);
  const there = tokens.some((token) => token.qualifier === qualifier && means(qualifier, token.value, value));
  const rest = tokens.filter((token) => token.qualifier !== qualifier).map((token) => token.text);
  return (there ? rest : [...rest, term(qualifier, value)]).join(' ');
}

export interface Completion { text: string; hint?: string; from: number; to: number; insert: string }
/** What can follow at the caret: names of qualifiers, then known values. */
export function complete(query: string, caret: number, values: { [Q in Qualifier]?: readonly { value: string; hint?: string }[] }): Completion[] {
  const token = tokensOf(query).find((one) => one.from <= caret && caret <= one.to);
  const from = token?.from ?? caret;
  const to = token?.to ?? caret;
  const typed = query.slice(from, caret).toLowerCase();
  if (token?.qualifier && caret > from + token.qualifier.length) {
    const { qualifier } = token;
    const part = query.slice(from + qualifier.length + 1, caret).replaceAll('"', '').toLowerCase();
    return (values[qualifier] ?? []).filter((one) => one.value.toLowerCase().includes(part) && one.value.toLowerCase() !== part).slice(0, 12)
      .map((one) => ({ text: one.value, ...(one.hint ? { hint: one.hint } : {}), from, to, insert: `${term(qualifier, one.value)} ` }));
  }
  return QUALIFIERS.filter((name) => name.startsWith(typed) && `${name}:` !== typed).map((name) => ({ text: `${name}:`, from, to, insert: `${name}:` }));
}
