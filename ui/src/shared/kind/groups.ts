/** Kinds of step by group, and found by words. */
import type { NodeDescriptor } from '../../api/types.ts';
import { t, type MessageKey } from '../../i18n/index.ts';

const ORDER = ['start', 'logic', 'data', 'ai', 'error', 'person', 'system'];

export function searchKinds(kinds: NodeDescriptor[], text: string): NodeDescriptor[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return kinds.filter((kind) => {
    const all = [kind.title, kind.type, kind.description, ...kind.aliases, ...kind.keywords].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export function groupKinds(kinds: NodeDescriptor[]): [string, NodeDescriptor[]][] {
  const names = [...new Set([...ORDER, ...kinds.map((kind) => kind.category)])];
  return names
    .map((name): [string, NodeDescriptor[]] => [name, kinds.filter((kind) => kind.category === name)])
    .filter(([, list]) => list.length > 0);
}

export function categoryTitle(category: string): string {
  return ORDER.includes(category) ? t(`catalog.cat.${category}` as MessageKey) : category;
}
