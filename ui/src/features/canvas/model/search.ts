/** Finding a node kind by a few letters, and the kinds that come next most often. */

import type { NodeDescriptor } from '../../../api/types.ts';
import { scoreAll } from '../../../kit/match.ts';

export interface Found {
  kind: NodeDescriptor;
  group: 'suggested' | 'recent' | 'all';
  /** How well it answers a query; 0 without one. */
  points: number;
}

/** Chinese has no spaces: a sentence is found by the words in it. */
const HAN = /\p{Script=Han}/u;
const inSentence = (query: string, words: readonly string[]): number => {
  if (!HAN.test(query)) return 0;
  const longest = Math.max(0, ...words.filter((word) => word.length >= 2 && HAN.test(word) && query.includes(word)).map((word) => word.length));
  return longest === 0 ? 0 : 300 + longest;
};

/** Between a title that is the query and another kind that is also called so: "combine" means "Combine into a list". */
const TITLE_BEGINS = 900;
const beginsTitle = (query: string, title: string): number => (query !== '' && title.toLowerCase().startsWith(`${query.toLowerCase()} `) ? TITLE_BEGINS : 0);

/** "excel表" is two words. */
const spaced = (query: string): string => query.replaceAll(/(?<=\p{Script=Han})(?=[\p{L}\p{N}])(?!\p{Script=Han})|(?<=[\p{L}\p{N}])(?<!\p{Script=Han})(?=\p{Script=Han})/gu, ' ');

/** What a word of a query must reach to count alone: the start of a word of a name or a job. */
const WORD = 400;

/** When no kind answers all words, those are found that answer one: "weekly report" begins with a schedule or ends with a file. */
function scoreWords(query: string, kind: NodeDescriptor): number {
  const words = query.trim().split(/\s+/).filter((word) => word.length >= 3 || HAN.test(word));
  if (words.length < 2) return 0;
  return words.reduce((sum, word) => {
    const points = scoreTexts(word, kind);
    return points >= WORD ? sum + points : sum;
  }, 0) / words.length;
}

const scoreKind = (query: string, kind: NodeDescriptor): number =>
  Math.max(inSentence(query.trim(), kind.keywords), scoreTexts(query, kind), beginsTitle(query.trim(), kind.title));

const scoreTexts = (query: string, kind: NodeDescriptor): number =>
  scoreAll(query, [
    [kind.title, 1],
    [kind.type, 0.9],
    ...kind.aliases.map((alias) => [alias, 0.85] as const),
    // Whole words and their starts only: the scattered letters of so many words would match nearly anything.
    ...kind.keywords.map((word) => [word, 0.84, 'none'] as const),
    // Scattered letters in a long text always match something: only real words count there.
    ...(query.trim().length > 2 && kind.description.toLowerCase().includes(query.trim().toLowerCase()) ? [[kind.description, 0.4] as const] : []),
  ]);

function best(kinds: readonly NodeDescriptor[], points: (kind: NodeDescriptor) => number): Found[] {
  return kinds
    .map((kind): Found => ({ kind, points: points(kind), group: 'all' }))
    .filter((found) => found.points > 0)
    .sort((a, b) => b.points - a.points || a.kind.title.localeCompare(b.kind.title));
}

/** The list of the search box: without a query suggested, recent, then all; with one, the best first. */
export function findKinds(query: string, kinds: readonly NodeDescriptor[], suggested: readonly string[], recent: readonly string[]): Found[] {
  if (query.trim()) {
    const words = spaced(query);
    const all = best(kinds, (kind) => Math.max(scoreKind(query, kind), words === query ? 0 : scoreKind(words, kind)));
    return all.length > 0 ? all : best(kinds, (kind) => scoreWords(words, kind));
  }
  const byType = new Map(kinds.map((kind) => [kind.type, kind]));
  const list: Found[] = [];
  const add = (types: readonly string[], group: Found['group'], limit: number): void => {
    for (const type of types) {
      const kind = byType.get(type);
      if (kind && limit > 0 && !list.some((found) => found.kind === kind)) {
        list.push({ kind, group, points: 0 });
        limit -= 1;
      }
    }
  };
  add(suggested, 'suggested', 5);
  add(recent, 'recent', 5);
  add(kinds.toSorted((a, b) => a.title.localeCompare(b.title)).map((kind) => kind.type), 'all', Infinity);
  return list;
}

const AFTER_ERROR = ['data.set', 'flow.fail', 'http.request', 'file.write', 'flow.stop'];
const AFTER: { [kind: string]: readonly string[] } = {
  'http.request': ['data.transform', 'flow.if', 'data.set', 'data.filter', 'flow.stop'],
  'file.read': ['data.parse', 'data.transform', 'data.filter', 'flow.if', 'data.set'],
  'sheet.read': ['data.filter', 'data.transform', 'data.sort', 'sheet.write', 'sheet.fill'],
  'sheet.fill': ['mail.send', 'file.write', 'object.write', 'archive.pack', 'flow.stop'],
  'table.read': ['data.filter', 'data.transform', 'data.summarise', 'db.write', 'file.write'],
  'pdf.read': ['llm.chat', 'rag.index', 'data.text', 'flow.if', 'data.set'],
  'archive.unpack': ['sheet.read', 'pdf.read', 'file.write', 'data.filter', 'flow.loop'],
  'html.select': ['data.filter', 'sheet.write', 'data.transform', 'data.set', 'data.aggregate'],
  'file.list': ['file.read', 'data.filter', 'data.sort', 'flow.if', 'data.aggregate'],
  'data.parse': ['data.transform', 'data.filter', 'data.sort', 'flow.if', 'data.aggregate'],
  'pdf.write': ['mail.send', 'object.write', 'http.request', 'file.write', 'flow.stop'],
  'data.format': ['file.write', 'http.request', 'pdf.write', 'data.set', 'flow.if'],
  'flow.if': ['data.set', 'http.request', 'flow.stop', 'flow.fail', 'flow.noop'],
  'flow.switch': ['data.set', 'http.request', 'flow.stop', 'flow.fail', 'flow.noop'],
};
const AFTER_START = ['http.request', 'file.read', 'data.set', 'flow.if', 'file.list'];
const USUAL = ['data.set', 'data.transform', 'flow.if', 'http.request', 'data.filter', 'flow.stop'];

/** Up to five kinds that usually come next. */
export function suggest(context: { empty: boolean; after?: NodeDescriptor | undefined; red?: boolean; before?: boolean }): readonly string[] {
  if (context.empty) return ['trigger.manual', ...AFTER_START];
  if (context.red) return AFTER_ERROR;
  if (context.before) return USUAL;
  if (!context.after) return USUAL;
  if (context.after.role === 'trigger') return AFTER_START;
  return AFTER[context.after.type] ?? USUAL;
}
