/** What the words that a file has for a choice are called on the screen: the form of a step and its card say the same. */
import type { JsonSchema } from '../json/json-schema.ts';
import { t, type MessageKey } from './t.ts';

interface Field { hint: MessageKey; words: { [value: string]: MessageKey } }

export const FIELDS: { [kind: string]: { [field: string]: Field } } = {
  'builtin.self_healing': { strategy: { hint: 'choice.healer.hint', words: { deterministic: 'choice.healer.rules', both: 'choice.healer.both', llm: 'choice.healer.model' } } },
  'trigger.schedule': { onMissed: { hint: 'choice.missed.hint', words: { skip: 'choice.missed.skip', one: 'choice.missed.one', all: 'choice.missed.all' } } },
};

export function choiceWord(kind: string, field: string, value: unknown): string | undefined {
  const words = FIELDS[kind]?.[field]?.words;
  return words && typeof value === 'string' && Object.hasOwn(words, value) ? t(words[value] as MessageKey) : undefined;
}

/** The schema of a kind's config with these words; the same schema where there are none. */
export function withChoiceWords(kind: string, schema: JsonSchema): JsonSchema {
  const named = Object.entries(FIELDS[kind] ?? {}).flatMap(([name, { hint, words }]) => {
    const field = schema.properties?.[name];
    const labels = Object.fromEntries(Object.entries(words).map(([value, key]) => [value, t(key)]));
    return field ? [[name, { ...field, description: t(hint), 'x-ui': { ...field['x-ui'], labels } }] as const] : [];
  });
  return named.length ? { ...schema, properties: { ...schema.properties, ...Object.fromEntries(named) } } : schema;
}
