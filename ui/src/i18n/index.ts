/** Words, numbers, times: all that a person reads. */
import { formatNumber } from './format.ts';
import { t, type MessageArgs, type MessageKey } from './t.ts';

type PluralBase = MessageKey extends infer K ? (K extends `${infer Base}.one` ? Base : never) : never;

/** `key.one` or `key.other` by the number, which fills `{n}`. */
export function tn(key: PluralBase, n: number, args?: MessageArgs): string {
  return t(`${key}.${n === 1 ? 'one' : 'other'}` as MessageKey, { n: formatNumber(n), ...args });
}

export { choiceWord, withChoiceWords } from './choice-words.ts';
export { engineText, hasEngineWords } from './engine-words.ts';
export { localKinds } from './kind-words.ts';
export { jsonWords, whatWords } from './json-words.ts';
export * from './format.ts';
export { applyLanguage, useLanguage, type Language } from './language.ts';
export { localTimeZone, timeZones } from './time-zone.ts';
export { t, type MessageArgs, type MessageKey };
