// A field dragged from the data of a step carries the expression that reads it.

export const FIELD_MIME = 'application/x-signalbox-field';

/** `a.b[0]['odd name']` below a root name. */
export function pathExpression(root: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(part) ? `${text}.${part}` : `${text}[${celString(part)}]`;
  }, root);
}

/** What a dragged field is called: the last name of its path; empty where there is none. */
export function lastName(expression: string): string {
  const path = expression.replace(/(?:\[\d+\])+$/, '');
  const quoted = /\['((?:[^'\\]|\\.)*)'\]$/.exec(path);
  // A point or a bracket would lead into another object.
  if (quoted) return (quoted[1] ?? '').replaceAll(/\\(.)/g, '$1').replaceAll(/[.[\]]/g, '_');
  return /\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(path)?.[1] ?? '';
}

const REFERENCE = /(?:paired\('(?:[^'\\]|\\.)*'\)|[A-Za-z_]\w*)(?:\.[A-Za-z_]\w*|\[\d+\]|\['(?:[^'\\]|\\.)*'\])*/g;

/** Which part of an expression a field takes that is put at `at`: an expression that is one reference as a whole, else the
 * reference that it is put into or that it touches, else nothing. A field in the middle of a name would make neither of the two. */
export function replacedBy(expression: string, at: number): { from: number; to: number } {
  for (const found of expression.matchAll(REFERENCE)) {
    const [from, to] = [found.index, found.index + found[0].length];
    const whole = expression.trim() === found[0];
    if (whole || (from <= at && at <= to && expression[to] !== '(')) return { from, to };
  }
  return { from: at, to: at };
}

const PLACEHOLDER = /\{\{([\s\S]*?)\}\}/g;

/** How a field is put into a text with {{ }}: at the edges of a placeholder next to it, within it as into an expression, elsewhere as one more. */
export function intoTemplate(text: string, at: number, expression: string): { from: number; to: number; insert: string } {
  for (const found of text.matchAll(PLACEHOLDER)) {
    const [from, to, inner = ''] = [found.index, found.index + found[0].length, found[1]];
    if (at <= from || at >= to) continue;
    const start = from + 2;
    if (inner.trim() === '') return { from: start, to: to - 2, insert: expression };
    if (text.slice(start, at).trim() === '') return { from, to: from, insert: `{{${expression}}}` };
    if (text.slice(at, to - 2).trim() === '') return { from: to, to, insert: `{{${expression}}}` };
    const within = replacedBy(inner, at - start);
    return { from: start + within.from, to: start + within.to, insert: expression };
  }
  return { from: at, to: at, insert: `{{${expression}}}` };
}

/** A text as CEL writes it. */
export const celString = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;

export function startFieldDrag(transfer: DataTransfer, expression: string): void {
  transfer.setData(FIELD_MIME, expression);
  transfer.setData('text/plain', expression);
  transfer.effectAllowed = 'copy';
}

/** The expression of a dragged field, or null when something else is dragged. */
export function draggedField(transfer: DataTransfer | null): string | null {
  const text = transfer?.getData(FIELD_MIME);
  return text ? text : null;
}

export const isFieldDrag = (transfer: DataTransfer | null): boolean =>
  transfer !== null && Array.from(transfer.types).includes(FIELD_MIME);
