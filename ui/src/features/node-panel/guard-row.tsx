// One safety check: what it looks at, its settings, and the message of its error.

import { isObject } from '../../json/json.ts';
import type { Diagnostic } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Checkbox, IconButton, Select } from '../../kit/index.ts';
import { Findings } from '../../schema-form/index.ts';
import { ConditionBox } from '../../shared/conditions/condition-field.tsx';

export type GuardPlace = 'before' | 'after';
const CHECKS = ['rule', 'personalData', 'size', 'allowList', 'promptInjection', 'policy', 'names'] as const;
type Check = (typeof CHECKS)[number];
const KINDS = ['email', 'phone', 'iban', 'card', 'nationalId'] as const;
/** What a check can do; only personal data, and names in a result, can be replaced. */
const actions = (check: Check, place: GuardPlace) => (check === 'personalData' || (check === 'names' && place === 'after') ? (['block', 'mask', 'ask'] as const) : (['block', 'ask'] as const));

/** A check in the file; fields that this program does not know are kept. */
export interface Guard { name: string; check?: string; refuse?: string; message?: string; action?: string; kinds?: string[]; countries?: string[]; except?: string[]; maxBytes?: number; value?: string; allow?: string[]; policy?: string; provider?: string; model?: string }

export const readGuard = (guard: unknown): Guard => ({ ...(isObject(guard) ? guard : {}), name: String((isObject(guard) ? guard['name'] : undefined) ?? '') });

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const split = (text: string): string[] => text.split(',').map((one) => one.trim()).filter((one) => one !== '');

/** What a check begins with when it is chosen: enough to be valid. */
const FRESH: Record<Check, Omit<Guard, 'name'>> = {
  rule: { refuse: 'false' },
  personalData: { check: 'personalData', action: 'mask' },
  size: { check: 'size', maxBytes: 100_000 },
  allowList: { check: 'allowList', value: 'item.to', allow: ['*@example.com'] },
  promptInjection: { check: 'promptInjection' },
  policy: { check: 'policy' },
  names: { check: 'names' },
};

export function GuardRow({ n, place, guard, findings, readOnly, onChange, onRemove }: {
  n: number; place: GuardPlace; guard: Guard; findings: Diagnostic[]; readOnly: boolean; onChange(guard: Guard, field: string): void; onRemove(): void;
}) {
  const check = guard.check ?? 'rule';
  const known = CHECKS.find((one) => one === check);
  const put = (part: Partial<Guard>, field: string) => {
    const next: Record<string, unknown> = { ...guard, ...part };
    // What is empty is not written.
    for (const [name, value] of Object.entries(next)) if (value === undefined || (['message', 'provider', 'model'].includes(name) && value === '') || (Array.isArray(value) && value.length === 0)) delete next[name];
    onChange(next as unknown as Guard, field);
  };
  const choose = (next: string) => {
    const fresh = { ...FRESH[CHECKS.find((one) => one === next) ?? 'rule'], ...(next === 'policy' ? { policy: t('guards.policyFresh') } : {}) };
    onChange({ name: guard.name, ...fresh, ...(guard.message ? { message: guard.message } : {}) }, 'check');
  };
  const bad = (field: string) => findings.some((one) => one.path.endsWith(`/${field}`));
  const list = (field: 'countries' | 'except' | 'allow', placeholder: string) => (
    <span className="input"><input aria-label={t(`guards.${field}`, { n: String(n) })} placeholder={placeholder} defaultValue={texts(guard[field]).join(', ')} readOnly={readOnly} aria-invalid={bad(field)}
      key={texts(guard[field]).join(', ')} onBlur={(event) => put({ [field]: split(event.target.value) }, field)} /></span>
  );
  const field = (name: 'policy' | 'provider' | 'model', placeholder: string) => (
    <span className="input"><input aria-label={t(`guards.${name}`, { n: String(n) })} placeholder={placeholder} value={guard[name] ?? ''} readOnly={readOnly} aria-invalid={bad(name)}
      onChange={(event) => put({ [name]: event.target.value }, name)} /></span>
  );
  const chosen = texts(guard.kinds);
  return (
    <div className="rule-row" role="listitem" aria-label={t('guards.one', { n: String(n) })}>
      <span className="list-n s t3">{n}</span>
      <div className="rule-body">
        <span className="input"><input aria-label={t('guards.name', { n: String(n) })} value={guard.name} readOnly={readOnly} onChange={(event) => put({ name: event.target.value }, 'name')} /></span>
        <Select label={t('guards.check', { n: String(n) })} value={check} disabled={readOnly} invalid={known === undefined} onChange={choose}
          options={[...CHECKS.map((one) => ({ value: one as string, label: t(`guards.check.${one}`) })), ...(known ? [] : [{ value: check, label: check }])]} />
        {known === 'rule' ? <ConditionBox text={guard.refuse ?? ''} onText={(refuse) => put({ refuse }, 'refuse')} label={t('guards.refuse', { n: String(n) })} invalid={bad('refuse')} placeholder={place === 'before' ? 'item.amount > 1000' : 'has(_result.body.card)'} /> : null}
        {known ? (
          <Select label={t('guards.action', { n: String(n) })} value={guard.action ?? 'block'} disabled={readOnly} invalid={bad('action')} onChange={(action) => put({ action }, 'action')}
            options={actions(known, place).map((one) => ({ value: one as string, label: t(`guards.action.${one}`) }))} />
        ) : null}
        {known === 'personalData' ? (
          <>
            <div className="row gap1 wrap">
              {KINDS.map((kind) => (
                <label className="row gap1 s" key={kind}>
                  <Checkbox checked={chosen.length === 0 || chosen.includes(kind)} disabled={readOnly} label={t(`guards.kind.${kind}`)}
                    onChange={(on) => {
                      const all = chosen.length === 0 ? [...KINDS] : chosen;
                      const next = KINDS.filter((one) => (one === kind ? on : all.includes(one)));
                      // All of them are the default; none at all would look for nothing.
                      if (next.length > 0) put({ kinds: next.length === KINDS.length ? [] : next }, 'kinds');
                    }} />
                  {t(`guards.kind.${kind}`)}
                </label>
              ))}
            </div>
            {list('countries', t('guards.countriesPlaceholder'))}
            {list('except', t('guards.exceptPlaceholder'))}
          </>
        ) : null}
        {known === 'size' ? (
          <span className="input"><input type="number" min={0} aria-label={t('guards.maxBytes', { n: String(n) })} value={guard.maxBytes ?? ''} readOnly={readOnly} aria-invalid={bad('maxBytes')}
            onChange={(event) => { const bytes = event.target.valueAsNumber; put({ maxBytes: Number.isInteger(bytes) && bytes >= 0 ? bytes : undefined }, 'maxBytes'); }} /></span>
        ) : null}
        {known === 'allowList' ? (
          <>
            <ConditionBox text={guard.value ?? ''} onText={(value) => put({ value }, 'value')} label={t('guards.value', { n: String(n) })} invalid={bad('value')} placeholder="item.to" />
            {list('allow', '*@example.com')}
          </>
        ) : null}
        {known === 'policy' ? field('policy', t('guards.policyPlaceholder')) : null}
        {known === 'names' ? list('except', t('guards.exceptPlaceholder')) : null}
        {known === 'policy' || known === 'names' ? (
          <>
            {field('provider', t('guards.providerPlaceholder'))}
            {field('model', t('guards.modelPlaceholder'))}
          </>
        ) : null}
        {known && known !== 'rule' ? <span className="s t3">{t(`guards.hint.${known}`)}</span> : null}
        <span className="input"><input aria-label={t('guards.message', { n: String(n) })} placeholder={t('guards.messagePlaceholder')} value={guard.message ?? ''} readOnly={readOnly} onChange={(event) => put({ message: event.target.value }, 'message')} /></span>
        <Findings findings={findings} />
      </div>
      {readOnly ? null : <span className="list-tools"><IconButton small icon="x" label={t('guards.remove', { n: String(n) })} onClick={onRemove} /></span>}
    </div>
  );
}
