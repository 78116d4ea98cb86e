/** Sentences of the engine in the language of the window. The engine writes English; a sentence is found by its event and its form, and what is not
 * found stays as it is. Searches and exports keep the English words. */

/** By event: an English sentence with `{places}`, and the same in another language. `~` at the end: a detail behind a colon, which may be absent. */
export interface EngineWords { [event: string]: readonly (readonly [english: string, words: string])[] }

/** Places that names of people, steps and rules fill. */
const NAMES: ReadonlySet<string> = new Set(['who', 'step', 'rule']);

interface Sentence { form: RegExp; names: string[]; words: string }

let sentences = new Map<string, Sentence[]>();
let phrases = new Map<string, string>();

/** The form of an English sentence; its last place may be long, the others are as short as they can be. */
function formOf(english: string): Pick<Sentence, 'form' | 'names'> {
  const names: string[] = [];
  const whole = english.replace(/~$/, '');
  const pattern = whole.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    names.push(name);
    return '(.+?)';
  }).join('');
  return { form: new RegExp(`^${pattern}${english.endsWith('~') ? '(?:: (.*))?' : ''}$`, 's'), names };
}

export function setEngineWords(words: EngineWords | undefined, known: { [english: string]: string } | undefined): void {
  sentences = new Map(Object.entries(words ?? {}).map(([event, all]) => [event, all.map(([english, text]) => ({ ...formOf(english), words: text }))]));
  phrases = new Map(Object.entries(known ?? {}));
}

/** The sentence in the language of the window; `without`: a name that need not be said again. */
export function engineText(event: string, english: string, without: readonly string[] = []): string {
  for (const { form, names, words } of sentences.get(event) ?? []) {
    const found = form.exec(english);
    if (!found) continue;
    const given = new Map(names.map((name, index) => [name, found[index + 1] ?? '']));
    const detail = found[names.length + 1];
    const filled = words.replace(/~$/, '').replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = given.get(name) ?? '';
      if (name === 'who' && without.includes(value)) return '';
      // A name is set apart from the words around it.
      return phrases.get(value) ?? (NAMES.has(name) ? ` ${value} ` : value);
    }).trim();
    return detail === undefined ? filled : `${filled}：${phrases.get(detail) ?? detail}`;
  }
  return english;
}

/** Whether sentences of another language are known. */
export const hasEngineWords = (): boolean => sentences.size > 0;
