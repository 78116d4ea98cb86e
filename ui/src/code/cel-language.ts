// Colours for expressions: CEL, and texts with {{ }} in them. Colours only; what is right or wrong says the engine.

import { HighlightStyle, StreamLanguage, type StringStream } from '@codemirror/language';
import { Tag, tags } from '@lezer/highlight';

/** Names that the engine binds (SEMANTICS 3). */
export const ROOTS = [
  'params', 'context', 'item', 'items', 'nodes', 'run', 'workflow', 'error', 'err', 'ctx',
  '_item', '_index', '_result', '_meta', '_toolResult',
] as const;

const reference = Tag.define();
const TOKENS = { ref: reference, str: tags.string, num: tags.number, word: tags.keyword, op: tags.operator };

// A bound name with the fields behind it; the name of a method call is not part of it.
const REFERENCE = new RegExp(
  `^(?:${ROOTS.join('|')})(?![A-Za-z0-9_])(?:\\.[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_]|\\s*\\()|\\[(?:\\d+|'[^'\\n]*'|"[^"\\n]*")\\])*`,
);
const NUMBER = /^(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/;
const STRING = /^(?:[rRbB]{0,2})(?:"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)/;

function celToken(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'op';
  }
  if (stream.match(STRING)) return 'str';
  if (stream.match(REFERENCE)) return 'ref';
  if (stream.match(NUMBER)) return 'num';
  if (stream.match(/^(?:true|false|null|in)(?![A-Za-z0-9_])/)) return 'word';
  // Fields of something else, and names of methods: `item` behind a dot is not the item.
  if (stream.match(/^\.?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*/)) return null;
  stream.next();
  return null;
}

export const celLanguage = StreamLanguage.define<null>({
  name: 'cel',
  startState: () => null,
  copyState: () => null,
  token: celToken,
  tokenTable: TOKENS,
});

interface TemplateState {
  inside: boolean;
}

export const templateLanguage = StreamLanguage.define<TemplateState>({
  name: 'template',
  startState: () => ({ inside: false }),
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    if (!state.inside) {
      if (stream.match('{{')) {
        state.inside = true;
        return 'ref';
      }
      while (!stream.eol() && !stream.match('{{', false)) stream.next();
      return null;
    }
    if (stream.match('}}')) {
      state.inside = false;
      return 'ref';
    }
    if (stream.match(STRING)) return 'str';
    stream.next();
    return 'ref';
  },
  tokenTable: TOKENS,
});

/** The kit's classes, so that the tokens of both themes apply. */
export const kitHighlight = HighlightStyle.define([
  { tag: reference, class: 'tok' },
  { tag: tags.string, class: 'str' },
  { tag: tags.number, class: 'num' },
  { tag: [tags.keyword, tags.bool, tags.null], class: 'num' },
  { tag: tags.propertyName, class: 'key' },
]);

/** True when a text is a template: it holds at least one {{ }}. */
export const isTemplate = (text: string): boolean => /\{\{[\s\S]*?\}\}/.test(text);
