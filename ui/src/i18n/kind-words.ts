/** Titles and descriptions of step kinds in the language of the window. The catalog itself is English. */

/** Pointer into the kind (ports by id) → text. */
/** What has words in a kind. */
interface Kind { type: string; title: string; description: string; aliases: string[]; ports: { id: string; title?: string }[]; config: unknown }
export interface KindWords { [pointer: string]: string }
export type AllKindWords = { [kind: string]: KindWords };

let all: AllKindWords | undefined;

export function setKindWords(next: AllKindWords | undefined): void {
  all = next;
}

/** The same kind with the words there are; the English ones stay where there are none. */
export function withWords<K extends Kind>(kind: K, words: KindWords | undefined): K {
  if (!words) return kind;
  return {
    ...kind,
    title: words['/title'] ?? kind.title,
    description: words['/description'] ?? kind.description,
    // The search knows the English name, too.
    aliases: [...kind.aliases, kind.title],
    ports: kind.ports.map((port) => ({ ...port, ...(port.title === undefined ? {} : { title: words[`/ports/${port.id}/title`] ?? port.title }) })),
    config: replaced(kind.config, '/config', words),
  };
}

export const localKinds = <K extends Kind>(kinds: K[]): K[] => (all ? kinds.map((kind) => withWords(kind, all?.[kind.type])) : kinds);

function replaced(value: unknown, at: string, words: KindWords): unknown {
  if (typeof value === 'string') return words[at] ?? value;
  if (Array.isArray(value)) return value.map((one, index) => replaced(one, `${at}/${String(index)}`, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, `${at}/${key}`, words)]));
}
