// The text of a query: `qualifier:value` and free words, a minus before what is left out. Pure.

export const QUALIFIERS = ['actor', 'event', 'run', 'workflow', 'workspace', 'node', 'level', 'error.type', 'tag', 'since', 'until', 'text'] as const;
export type Qualifier = (typeof QUALIFIERS)[number];
/** A time has two sides: it is not left out but turned round. */
const TURNED: readonly Qualifier[] = ['since', 'until'];
/** Nothing is left out by these. */
const NEVER_OUT: readonly Qualifier[] = [...TURNED, 'workspace'];

/** `not`: what it names is left out. */
export interface Token { text: string; from: number; to: number; qualifier?: Qualifier; not: boolean; value: string }

/** Words, quoted texts kept whole. Every letter of the query is in a token or is a space between two. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  for (const match of query.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const text = match[0];
    // As the host reads it: a number below zero is looked for as it stands.
    const not = /^-["\p{Alphabetic}]/u.test(text);
    const said = not ? text.slice(1) : text;
    const colon = said.indexOf(':');
    const name = colon > 0 ? said.slice(0, colon) : '';
    const qualifier = QUALIFIERS.find((one) => one === name);
    const raw = qualifier ? said.slice(colon + 1) : said;
    tokens.push({ text, from: match.index, to: match.index + text.length, not, ...(qualifier ? { qualifier } : {}), value: raw.replaceAll('"', '') });
  }
  return tokens;
}

const quoted = (value: string) => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value);
export const term = (qualifier: Qualifier, value: string, not = false): string => `${not ? '-' : ''}${qualifier}:${quoted(value)}`;

/** What is asked for, not what is left out. */
export const valueOf = (query: string, qualifier: Qualifier): string | undefined => tokensOf(query).findLast((token) => token.qualifier === qualifier && !token.not)?.value;

/** What is left out. */
export const withoutOf = (query: string, qualifier: Qualifier): string[] => tokensOf(query).filter((token) => token.not && token.qualifier === qualifier && token.value !== '').map((token) => token.value);

/** Whether what is asked for means a value that is there: a name alone is also that of a person. */
export const means = (qualifier: Qualifier, asked: string | undefined, value: string): boolean => asked === value || (qualifier === 'actor' && asked !== undefined && value === `user:${asked}`);

/** Each qualifier is asked for once: a new value takes the place of the old, the same value takes it away. It is no longer left out, either. */
export function toggle(query: string, qualifier: Qualifier, value: string): string {
  const tokens = tokensOf(query);
  const own = (token: Token) => token.qualifier === qualifier && means(qualifier, token.value, value);
  const there = tokens.some((token) => own(token) && !token.not);
  const rest = tokens.filter((token) => (token.not ? !own(token) : token.qualifier !== qualifier)).map((token) => token.text);
  return (there ? rest : [...rest, term(qualifier, value)]).join(' ');
}

/** A value is left out beside others; the same value again comes back. It is no longer asked for, either. */
export function toggleWithout(query: string, qualifier: Qualifier, value: string): string {
  const tokens = tokensOf(query);
  const own = (token: Token) => token.qualifier === qualifier && means(qualifier, token.value, value);
  const there = tokens.some((token) => own(token) && token.not);
  const rest = tokens.filter((token) => !own(token)).map((token) => token.text);
  return (there ? rest : [...rest, term(qualifier, value, true)]).join(' ');
}

export interface Completion { text: string; hint?: string; from: number; to: number; insert: string }
/** What can follow at the caret: names of qualifiers, then known values; behind a minus the same. */
export function complete(query: string, caret: number, values: { [Q in Qualifier]?: readonly { value: string; hint?: string }[] }): Completion[] {
  const token = tokensOf(query).find((one) => one.from <= caret && caret <= one.to);
  const from = token?.from ?? caret;
  const to = token?.to ?? caret;
  const minus = query[from] === '-' && caret > from ? 1 : 0;
  const sign = minus ? '-' : '';
  const typed = query.slice(from + minus, caret).toLowerCase();
  if (token?.qualifier && caret > from + minus + token.qualifier.length) {
    const { qualifier } = token;
    if (minus && NEVER_OUT.includes(qualifier)) return [];
    const part = query.slice(from + minus + qualifier.length + 1, caret).replaceAll('"', '').toLowerCase();
    return (values[qualifier] ?? []).filter((one) => one.value.toLowerCase().includes(part) && one.value.toLowerCase() !== part).slice(0, 12)
      .map((one) => ({ text: one.value, ...(one.hint ? { hint: one.hint } : {}), from, to, insert: `${term(qualifier, one.value, minus > 0)} ` }));
  }
  return QUALIFIERS.filter((name) => name.startsWith(typed) && `${name}:` !== typed && !(minus && NEVER_OUT.includes(name))).map((name) => ({ text: `${sign}${name}:`, from, to, insert: `${sign}${name}:` }));
}
