// The syntax tree of a CEL expression, as far as conditions in rows need it. The engine judges expressions; what is not read here stays text.

import { tokensOf, type Token } from '../cel-references.ts';

interface Span { start: number; end: number }
export type Literal = { type: 'text'; value: string } | { type: 'number'; digits: string } | { type: 'bool'; value: boolean } | { type: 'null' };
export type Ast = Span & (
  | { kind: 'literal'; literal: Literal }
  | { kind: 'name'; name: string }
  | { kind: 'field'; of: Ast; name: string }
  | { kind: 'index'; of: Ast; key: Ast }
  | { kind: 'call'; of?: Ast | undefined; name: string; args: readonly Ast[] }
  | { kind: 'not'; of: Ast }
  | { kind: 'binary'; sign: string; left: Ast; right: Ast }
  | { kind: 'list'; entries: readonly Ast[] }
  /** Read, and of no use for rows: objects, `? :`, a minus before anything but a number. */
  | { kind: 'other'; ternary: boolean }
);

/** Why an expression could not be read. */
export type Unread = 'syntax' | 'comment';
class SyntaxFault extends Error {}

const SIGNS: readonly (readonly string[])[] = [['||'], ['&&'], ['==', '!=', '<=', '>=', '<', '>', 'in'], ['+', '-'], ['*', '/', '%']];
const NUMBER = /^(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const WHOLE_TEXT = /^(?:'(?:[^'\\\n]|\\[\\'"`?abfnrtv]|\\[xX][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4})*'|"(?:[^"\\\n]|\\[\\'"`?abfnrtv]|\\[xX][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4})*")$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
/** The engine reads no more brackets within one another. */
const DEPTH = 16;

class Reader {
  private at = 0;
  private depth = 0;
  private readonly text: string;
  private readonly tokens: Token[];
  constructor(text: string, tokens: Token[]) {
    this.text = text;
    this.tokens = tokens;
  }

  whole(): Ast {
    const tree = this.expression();
    if (this.at < this.tokens.length) throw new SyntaxFault();
    return tree;
  }

  private sign(value: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== (value === 'in' ? 'name' : 'other')) return false;
    if (!this.text.startsWith(value, token.start)) return false;
    if (value === 'in') return token.value === 'in';
    // `<` is not the beginning of `<=`, nor `!` that of `!=`.
    return !(['<', '>', '!'].includes(value) && this.text[token.start + 1] === '=');
  }

  private take(value: string): boolean {
    if (!this.sign(value)) return false;
    this.at += value === 'in' ? 1 : value.length;
    return true;
  }

  private need(value: string): void {
    if (!this.take(value)) throw new SyntaxFault();
  }

  private end(): number {
    return this.tokens[this.at - 1]?.end ?? 0;
  }

  private expression(): Ast {
    this.depth += 1;
    if (this.depth > DEPTH) throw new SyntaxFault();
    const start = this.tokens[this.at]?.start ?? this.text.length;
    let tree = this.binary(0);
    if (this.take('?')) {
      this.binary(0);
      this.need(':');
      this.expression();
      tree = { kind: 'other', ternary: true, start, end: this.end() };
    }
    this.depth -= 1;
    return tree;
  }

  private binary(level: number): Ast {
    const signs = SIGNS[level];
    if (!signs) return this.unary();
    const start = this.tokens[this.at]?.start ?? this.text.length;
    let left = this.binary(level + 1);
    for (let sign = signs.find((one) => this.sign(one)); sign; sign = signs.find((one) => this.sign(one))) {
      this.take(sign);
      const right = this.binary(level + 1);
      left = { kind: 'binary', sign, left, right, start, end: this.end() };
    }
    return left;
  }

  private unary(): Ast {
    const start = this.tokens[this.at]?.start ?? this.text.length;
    if (this.take('!')) return { kind: 'not', of: this.unary(), start, end: this.end() };
    if (!this.take('-')) return this.member();
    const of = this.unary();
    const end = this.end();
    if (of.kind === 'literal' && of.literal.type === 'number' && !of.literal.digits.startsWith('-')) return { kind: 'literal', literal: { type: 'number', digits: `-${of.literal.digits}` }, start, end };
    return { kind: 'other', ternary: false, start, end };
  }

  private word(): string {
    const token = this.tokens[this.at];
    if (token?.kind !== 'name') throw new SyntaxFault();
    this.at += 1;
    return token.value;
  }

  private entries(close: string): Ast[] {
    const list: Ast[] = [];
    while (!this.take(close)) {
      list.push(this.expression());
      if (!this.sign(close)) this.need(',');
    }
    return list;
  }

  private member(): Ast {
    const start = this.tokens[this.at]?.start ?? this.text.length;
    let tree = this.primary();
    for (;;) {
      if (this.take('.')) {
        const name = this.word();
        tree = this.take('(') ? { kind: 'call', of: tree, name, args: this.entries(')'), start, end: this.end() } : { kind: 'field', of: tree, name, start, end: this.end() };
      } else if (this.take('[')) {
        const key = this.expression();
        this.need(']');
        tree = { kind: 'index', of: tree, key, start, end: this.end() };
      } else return tree;
    }
  }

  private primary(): Ast {
    const token = this.tokens[this.at];
    if (!token) throw new SyntaxFault();
    const { start } = token;
    const literal = (value: Literal): Ast => ({ kind: 'literal', literal: value, start, end: token.end });
    if (token.kind === 'text') {
      if (!WHOLE_TEXT.test(this.text.slice(token.start, token.end))) throw new SyntaxFault();
      this.at += 1;
      return literal({ type: 'text', value: token.value });
    }
    if (token.kind === 'name') {
      this.at += 1;
      if (token.value === 'true' || token.value === 'false') return literal({ type: 'bool', value: token.value === 'true' });
      if (token.value === 'null') return literal({ type: 'null' });
      if (WORDS.has(token.value)) throw new SyntaxFault();
      if (this.take('(')) return { kind: 'call', name: token.value, args: this.entries(')'), start, end: this.end() };
      return { kind: 'name', name: token.value, start, end: token.end };
    }
    if (NUMBER.test(token.value)) {
      this.at += 1;
      return literal({ type: 'number', digits: token.value });
    }
    if (this.take('(')) {
      const inner = this.expression();
      this.need(')');
      return inner;
    }
    if (this.take('[')) return { kind: 'list', entries: this.entries(']'), start, end: this.end() };
    if (this.take('{')) {
      while (!this.take('}')) {
        this.expression();
        this.need(':');
        this.expression();
        if (!this.sign('}')) this.need(',');
      }
      return { kind: 'other', ternary: false, start, end: this.end() };
    }
    throw new SyntaxFault();
  }
}

export function parseCel(text: string): Ast | Unread {
  const tokens = tokensOf(text);
  let done = 0;
  for (const { start, end } of tokens) {
    if (text.slice(done, start).trim() !== '') return 'comment';
    done = end;
  }
  if (text.slice(done).trim() !== '') return 'comment';
  try {
    return new Reader(text, tokens).whole();
  } catch (error) {
    if (error instanceof SyntaxFault) return 'syntax';
    throw error;
  }
}

/** The same text for the same tree, whatever its spaces and brackets were. Null for what rows have no use for. */
export function normalForm(tree: Ast): string | null {
  const all = (list: readonly Ast[]): string | null => {
    const texts = list.map(normalForm);
    return texts.includes(null) ? null : texts.join(',');
  };
  const joined = (parts: readonly (string | null)[], make: (parts: string[]) => string): string | null => (parts.includes(null) ? null : make(parts as string[]));
  switch (tree.kind) {
    case 'literal': return JSON.stringify(tree.literal);
    case 'name': return tree.name;
    case 'field': return joined([normalForm(tree.of)], ([of]) => `${of}.${tree.name}`);
    case 'index': return joined([normalForm(tree.of), normalForm(tree.key)], ([of, key]) => `${of}[${key}]`);
    case 'call': return joined([tree.of ? normalForm(tree.of) : '', all(tree.args)], ([of, args]) => `${of}:${tree.name}(${args})`);
    case 'not': return joined([normalForm(tree.of)], ([of]) => `!(${of})`);
    case 'binary': return joined([normalForm(tree.left), normalForm(tree.right)], ([left, right]) => `(${left}${tree.sign}${right})`);
    case 'list': return joined([all(tree.entries)], ([entries]) => `[${entries}]`);
    case 'other': return null;
  }
}
