/** Finds parts of the manual by words. */
import { lexer, type Token } from 'marked';
import { slug } from './markdown.tsx';
import type { Page } from './contents.ts';

export interface Part {
  page: Page;
  /** Of the heading; absent before the first one below the title. */
  slug: string | undefined;
  heading: string;
  text: string;
}
export interface Hit {
  part: Part;
  /** Some words around the first one that was found. */
  excerpt: string;
}

/** Most answers of a search. */
const MOST = 40;
const AROUND = 70;

/** A page cut at its headings. */
export function partsOf(page: Page, text: string): Part[] {
  const parts: Part[] = [{ page, slug: undefined, heading: page.title, text: '' }];
  for (const token of lexer(text)) {
    if (token.type === 'heading' && token['depth'] > 1) {
      const heading = plain([token]);
      parts.push({ page, slug: slug(String(token['text'])), heading, text: '' });
    } else if (token.type !== 'heading') {
      const last = parts.at(-1);
      if (last) last.text += `${plain([token])} `;
    }
  }
  return parts;
}

/** Each word must be somewhere in the part; words in headings count most. */
export function search(parts: readonly Part[], asked: string): Hit[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: { hit: Hit; score: number }[] = [];
  for (const part of parts) {
    const heading = `${part.page.title} ${part.heading}`.toLowerCase();
    const text = part.text.toLowerCase();
    if (!words.every((word) => heading.includes(word) || text.includes(word))) continue;
    const score = words.reduce((sum, word) => sum + (part.heading.toLowerCase().includes(word) ? 4 : 0) + (part.page.title.toLowerCase().includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0), 0);
    const at = Math.max(0, Math.min(...words.map((word) => text.indexOf(word)).filter((one) => one >= 0)));
    const near = Number.isFinite(at) ? Math.max(0, at - AROUND) : 0;
    const from = near === 0 ? 0 : part.text.indexOf(' ', near) + 1;
    const excerpt = `${from > 0 ? '…' : ''}${part.text.slice(from, from + AROUND * 2).trim()}${from + AROUND * 2 < part.text.length ? '…' : ''}`;
    found.push({ hit: { part, excerpt }, score });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, MOST).map(({ hit }) => hit);
}

function plain(tokens: readonly Token[]): string {
  return tokens.map((token) => {
    if (token.type === 'table') return [...token['header'], ...(token['rows'] as { tokens: Token[] }[][]).flat()].map((cell: { tokens: Token[] }) => plain(cell.tokens)).join(' ');
    if (token.type === 'list') return (token['items'] as { tokens: Token[] }[]).map((item) => plain(item.tokens)).join(' ');
    if ('tokens' in token && token.tokens) return plain(token.tokens);
    return 'text' in token ? String(token.text) : '';
  }).join('');
}
