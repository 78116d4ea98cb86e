// Letters that are not seen but change what is seen: found, named, and shown as a mark.

/** Controls (without tab and line feed), marks of writing direction, joiners, tags and other letters of no width or of no shape; a joiner
 * inside of an emoji belongs to it, and so does one inside of a word of a script that joins its letters. A carriage return before a line feed
 * is the end of a line. */
const JOINS = ['Arabic', 'Syriac', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Mongolian']
  .map((script) => String.raw`\p{Script=${script}}`).join('');
const SOURCE = String.raw`(?![\t\n]|\r(?=\n)|(?<=[${JOINS}]\p{M}*)[\u200c\u200d](?=[${JOINS}])|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u{34f}\u115f\u1160\u3164\uffa0]`;
const HIDDEN = new RegExp(SOURCE, 'gu');
const ANY_HIDDEN = new RegExp(SOURCE, 'u');

const NAMES: { [code: number]: string } = {
  0x00: 'null', 0x07: 'bell', 0x08: 'backspace', 0x0d: 'carriage return', 0x1b: 'escape', 0x7f: 'delete', 0xad: 'soft hyphen', 0x61c: 'direction mark',
  0x200b: 'zero width space', 0x200c: 'zero width non-joiner', 0x200d: 'zero width joiner', 0x200e: 'left-to-right mark', 0x200f: 'right-to-left mark',
  0x2028: 'line separator', 0x2029: 'paragraph separator', 0x202a: 'left-to-right embedding', 0x202b: 'right-to-left embedding', 0x202c: 'end of direction',
  0x202d: 'left-to-right override', 0x202e: 'right-to-left override', 0x2066: 'left-to-right isolate', 0x2067: 'right-to-left isolate', 0x2068: 'first strong isolate',
  0x2069: 'end of isolate', 0xfeff: 'byte order mark',
};

export interface Piece { text: string; hidden?: { code: string; name: string } }

/** The text in pieces: what is seen, and what is not. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    const point = match[0].codePointAt(0) ?? 0;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    pieces.push({ text: match[0], hidden: { code, name: NAMES[point] ?? 'control character' } });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

export function hasHidden(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** The same with every hidden letter written out, for titles, names of controls and other places that take text only. */
export function plain(text: string): string {
  if (!hasHidden(text)) return text;
  return piecesOf(text).map((piece) => (piece.hidden ? `[${piece.hidden.code}]` : piece.text)).join('');
}

/** The first letters of a text. By letters: half a letter of two parts would be none. */
export function firstLetters(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text.slice(0, most * 2)).slice(0, most).join('');
}
