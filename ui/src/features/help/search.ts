/** Finds parts of the manual by words. */
import { lexer, type Token } from 'marked';
import { slug } from './markdown.tsx';
import { asSchema } from '../../json/json-schema.ts';
import { labelOf } from '../../schema-form/index.ts';
import type { Page, StepPage } from './contents.ts';

export interface Part {
  page: Page | StepPage;
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

/** One part for each kind of step. */
export function partsOfSteps(page: StepPage): Part[] {
  return page.kinds.map((kind) => {
    const settings = Object.entries(asSchema(kind.config).properties ?? {}).map(([name, schema]) => `${labelOf(name, schema)}: ${schema.description ?? name}`);
    const ports = kind.ports.map((port) => port.title ?? port.id);
    const text = [kind.description, kind.type, ...kind.aliases, ...kind.keywords, ...ports, ...settings].join(' · ');
    return { page, slug: kind.type, heading: kind.title, text };
  });
}

/** Each word must be somewhere in the part. What is called so comes first, then what is on a page that is, then what says it most. */
export function search(parts: readonly Part[], asked: string): Hit[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const named = namesOfPages(parts);
  const found: { hit: Hit; score: number }[] = [];
  for (const part of parts) {
    const heading = part.heading.toLowerCase();
    const title = part.page.title.toLowerCase();
    const text = part.text.toLowerCase();
    if (!words.every((word) => heading.includes(word) || title.includes(word) || text.includes(word))) continue;
    const score = words.reduce((sum, word) => sum + (HEADING + ('kinds' in part.page ? 1 : 0)) * inName(heading, word) + TITLE * inName(title, word) + PAGE * inName(named.get(part.page.id) ?? '', word) + often(text, word), 0);
    const at = Math.max(0, Math.min(...words.map((word) => text.indexOf(word)).filter((one) => one >= 0)));
    const near = Number.isFinite(at) ? Math.max(0, at - AROUND) : 0;
    const from = near === 0 ? 0 : part.text.indexOf(' ', near) + 1;
    const excerpt = `${from > 0 ? '…' : ''}${part.text.slice(from, from + AROUND * 2).trim()}${from + AROUND * 2 < part.text.length ? '…' : ''}`;
    found.push({ hit: { part, excerpt }, score });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, MOST).map(({ hit }) => hit);
}

/** What a match in a name counts; all that a text can say of a word stays below the least of them. */
const [HEADING, TITLE, PAGE] = [16, 8, 4];

/** Title and headings of each page, in one text. */
function namesOfPages(parts: readonly Part[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { page, heading } of parts) names.set(page.id, `${names.get(page.id) ?? page.title.toLowerCase()} ${heading.toLowerCase()}`);
  return names;
}

/** 1 for a word that begins so, half for one within another, 0 for none. */
function inName(name: string, word: string): number {
  const at = ` ${name}`.replaceAll(/[^\p{L}\p{N}]/gu, ' ').includes(` ${word}`);
  return at ? 1 : name.includes(word) ? 0.5 : 0;
}

/** Below 2, more the larger the share of a text that a word is. */
function often(text: string, word: string): number {
  const times = text.split(word).length - 1;
  // Roughly: a few letters more are no reason.
  return times === 0 ? 0 : 1 + Math.round(10 * times / (times + 1 + text.length / 400)) / 10;
}

function plain(tokens: readonly Token[]): string {
  return tokens.map((token) => {
    if (token.type === 'table') return [...token['header'], ...(token['rows'] as { tokens: Token[] }[][]).flat()].map((cell: { tokens: Token[] }) => plain(cell.tokens)).join(' ');
    if (token.type === 'list') return (token['items'] as { tokens: Token[] }[]).map((item) => plain(item.tokens)).join(' ');
    if ('tokens' in token && token.tokens) return plain(token.tokens);
    return 'text' in token ? String(token.text) : '';
  }).join('');
}
