/** `nodes.ID` in expressions: found and rewritten when a node gets another id. String literals of CEL are left alone. */

/** Fields whose text is CEL without a leading `=` (SEMANTICS 3); all other strings are values. */
const CEL_FIELDS = new Set(['if', 'when', 'while', 'condition', 'expression', 'by', 'collect', 'from']);

const IDENT = /[A-Za-z0-9_]/;
const spelled = (id: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? `nodes.${id}` : `nodes['${id}']`);

/** End of the CEL string literal that begins at `i`, or `i` when none begins there. */
function skipLiteral(text: string, i: number): number {
  const quote = text[i];
  if (quote !== '"' && quote !== "'") return i;
  const raw = i > 0 && /[rR]/.test(text[i - 1] as string) && !(i > 1 && IDENT.test(text[i - 2] as string));
  const mark = text.startsWith(quote.repeat(3), i) ? quote.repeat(3) : quote;
  let j = i + mark.length;
  while (j < text.length && !text.startsWith(mark, j)) j += !raw && text[j] === '\\' ? 2 : 1;
  return Math.min(j + mark.length, text.length);
}

/** Rewrites the references of one CEL text. `renames`: old id → new id. */
export function renameInCel(text: string, renames: ReadonlyMap<string, string>): string {
  let out = '';
  let i = 0;
  while (i < text.length) {
    const literalEnd = skipLiteral(text, i);
    if (literalEnd > i) {
      out += text.slice(i, literalEnd);
      i = literalEnd;
      continue;
    }
    const before = out.trimEnd().slice(-1);
    const free = !(i > 0 && IDENT.test(text[i - 1] as string)) && before !== '.';
    if (free && text.startsWith('nodes', i)) {
      const rest = text.slice(i);
      const dotted = /^nodes\s*\.\s*([A-Za-z_][A-Za-z0-9_]*)/.exec(rest);
      const indexed = /^nodes\s*\[\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\]/.exec(rest);
      const match = dotted ?? indexed;
      if (match) {
        const id = match[1] ?? match[2] ?? '';
        const next = renames.get(id);
        out += next === undefined ? match[0] : spelled(next);
        i += match[0].length;
        continue;
      }
    }
    out += text[i];
    i += 1;
  }
  return out;
}

/** A value text: all of it after `=`, else only what stands in `{{ }}`. */
function renameInValue(text: string, renames: ReadonlyMap<string, string>): string {
  if (text.startsWith('=')) return renameInCel(text, renames);
  if (!text.includes('{{')) return text;
  return text.replace(/\{\{([\s\S]*?)\}\}/g, (_, inner: string) => `{{${renameInCel(inner, renames)}}}`);
}

/** A copy of any JSON value with its references rewritten; the same object when nothing changed. */
export function renameInJson<T>(value: T, renames: ReadonlyMap<string, string>, field = ''): T {
  if (typeof value === 'string') {
    if (!value.includes('nodes')) return value;
    return (CEL_FIELDS.has(field) ? renameInCel(value, renames) : renameInValue(value, renames)) as T;
  }
  if (Array.isArray(value)) {
    const next = value.map((v) => renameInJson(v, renames, field));
    return next.some((v, i) => v !== value[i]) ? (next as T) : value;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const next = entries.map(([k, v]) => [k, renameInJson(v, renames, k)] as const);
    return next.some(([, v], i) => v !== entries[i]?.[1]) ? (Object.fromEntries(next) as T) : value;
  }
  return value;
}
