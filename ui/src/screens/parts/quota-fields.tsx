/** How many runs may start: a field for each number, where an empty one is no limit. */
import type { Commands } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Field, TextInput } from '../../kit/index.ts';

export type Quota = NonNullable<Commands['workspace_put']['request']['quota']>;
type Name = keyof Quota;
export type QuotaText = { [N in Name]?: string };

export const textOf = (quota: Quota): QuotaText => Object.fromEntries(Object.entries(quota).map(([name, value]) => [name, String(value)]));

const isNumber = (text: string): boolean => /^[1-9][0-9]{0,8}$/.test(text);

/** What was typed; null while a number is wrong. */
export function quotaOf(text: QuotaText): Quota | null {
  const typed = Object.entries(text).map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => value !== '');
  return typed.every(([, value]) => isNumber(value)) ? Object.fromEntries(typed.map(([name, value]) => [name, Number(value)])) : null;
}

export function QuotaFields({ names, text, onChange }: { names: readonly Name[]; text: QuotaText; onChange(text: QuotaText): void }) {
  return names.map((name) => {
    const value = text[name] ?? '';
    const wrong = value.trim() !== '' && !isNumber(value.trim());
    return (
      <Field key={name} label={t(`workspace.${name}`)} {...(wrong ? { error: t('workspace.notANumber') } : {})}>
        {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} inputMode="numeric" value={value} placeholder={t('workspace.noLimit')} maxLength={9} onChange={(next) => onChange({ ...text, [name]: next })} />}
      </Field>
    );
  });
}
