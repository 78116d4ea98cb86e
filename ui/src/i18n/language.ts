/** The language that a person reads: their choice, else that of the system where it is there, else English. */
import { create } from 'zustand';
import { setEngineWords } from './engine-words.ts';
import { setKindWords } from './kind-words.ts';
import { setWords } from './t.ts';

export type Language = 'en' | 'zh';

/** What is shown now. Whoever draws words once, outside of React, draws them again when it changes. */
export const useLanguage = create<{ language: Language }>(() => ({ language: 'en' }));

export function systemLanguage(languages: readonly string[] = navigator.languages): Language {
  const known = languages.find((tag) => /^(en|zh)\b/i.test(tag));
  // Traditional script is another written language.
  return known !== undefined && /^zh\b/i.test(known) && !/hant|-(tw|hk|mo)\b/i.test(known) ? 'zh' : 'en';
}

let wanted: Language = 'en';

/** English is there from the start; other words are loaded first, and the old ones stay until then. */
export async function applyLanguage(choice: Language | undefined): Promise<void> {
  const language = choice ?? systemLanguage();
  wanted = language;
  const words = language === 'en' ? undefined : await import('./zh.ts');
  // Somebody chose again while it was loading.
  if (wanted !== language) return;
  setWords(words?.zh);
  setKindWords(words?.kinds);
  setEngineWords(words?.summaries, words?.phrases);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  useLanguage.setState({ language });
}
