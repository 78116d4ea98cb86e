// Rules over the entries of the audit chain (A-33…A-35, K-60): they raise the level of an entry or have it escalated, and
// never leave one out. All rules that hold count, so their order says nothing.

import { isObject } from '../../api/json.ts';
import type { ExpressionName } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Checkbox, Select } from '../../kit/index.ts';
import { CelEditor, Findings, diagnosticsAt, useForm } from '../../schema-form/index.ts';
import { RuleList } from './rule-list.tsx';

const AT = '/settings/auditRules';
const PATH = ['settings', 'auditRules'];
const LEVELS = ['INFO', 'WARN', 'ERROR', 'CRITICAL'] as const;

interface AuditRule { when: string; level?: string; escalate?: boolean }

/** What a rule sees: the name of the entry, the error it tells of, the repair it tells of. */
const NAMES: readonly ExpressionName[] = [
  ['event', 'string'], ['err.type', 'string'], ['err.message', 'string'], ['err.retryable', 'bool'], ['err.attempt', 'int'], ['err.maxAttempts', 'int'], ['err.originNode', 'string'],
  ['err.details.code', 'string'], ['autoFix.accepted', 'bool'], ['autoFix.delta', 'int'], ['autoFix.model', 'string'],
].map(([label = '', type = '']) => ({ label, type }));

/** What people ask for most; one press writes it. */
const SAMPLES = {
  failed: { when: "err.type in ['LLMError', 'ToolError'] && err.retryable == false", level: 'CRITICAL' },
  person: { when: "event == 'HITL_COMPLETED'", level: 'WARN' },
  repair: { when: 'autoFix.delta > 0', escalate: true },
} as const satisfies { [name: string]: AuditRule };

/** As it is drawn: a file may hold anything, and keeps what is not known here. */
function asRule(value: unknown): AuditRule {
  const one = isObject(value) ? value : {};
  const { when, level, escalate, ...rest } = one;
  return { ...rest, when: typeof when === 'string' ? when : '', ...(typeof level === 'string' ? { level } : {}), ...(escalate === true ? { escalate } : {}) };
}

export function AuditRules({ value }: { value: unknown }) {
  const { diagnostics, readOnly, edit } = useForm();
  const rules = Array.isArray(value) ? value.map(asRule) : [];
  const set = (next: AuditRule[] | undefined) => edit(PATH, next);
  const change = (index: number, next: AuditRule) => set(rules.map((rule, i) => (i === index ? next : rule)));
  return (
    <RuleList label={t('auditRules.label')} hint={t('auditRules.hint')} rules={rules} own={NAMES} alone ordered={false} onChange={set}
      findings={diagnosticsAt(diagnostics, AT, false)} fresh={(): AuditRule => ({ ...SAMPLES.person })}
      empty={(
        <div className="col gap1">
          <span className="s t3">{t('auditRules.none')}</span>
          {readOnly ? null : (Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]).map((name) => <button key={name} type="button" className="link s" onClick={() => set([{ ...SAMPLES[name] }])}>{t(`auditRules.sample.${name}`)}</button>)}
        </div>
      )}
      row={(rule, index) => {
        const at = `${AT}/${String(index)}`;
        const findings = diagnosticsAt(diagnostics, at, true);
        const known = rule.level === undefined || (LEVELS as readonly string[]).includes(rule.level);
        const named = (what: string) => `${what} ${String(index + 1)}`;
        const { level, escalate, ...rest } = rule;
        const levelled = (next: string) => change(index, { ...rest, ...(next === '' ? {} : { level: next }), ...(escalate ? { escalate } : {}) });
        return (
          <>
            <CelEditor text={rule.when} onText={(when) => change(index, { ...rule, when })} label={named(t('workflow.ruleWhen'))} invalid={findings.some((one) => one.path === `${at}/when`)} placeholder="event == 'HITL_COMPLETED'" />
            <div className="row gap1 wrap">
              <span className="rule-level">
                <Select label={named(t('auditRules.level'))} value={level ?? ''} disabled={readOnly} invalid={!known} onChange={levelled}
                  options={[{ value: '', label: t('auditRules.same') }, ...LEVELS.map((one) => ({ value: one as string, label: t(`auditRules.level.${one}`) })), ...(known ? [] : [{ value: level ?? '', label: t('workflow.ruleUnknown', { action: level ?? '' }) }])]} />
              </span>
              <label className="row gap1 s"><Checkbox checked={escalate === true} disabled={readOnly} label={named(t('auditRules.escalate'))} onChange={(next) => change(index, { ...rest, ...(level === undefined ? {} : { level }), ...(next ? { escalate: true } : {}) })} />{t('auditRules.escalate')}</label>
            </div>
            <Findings findings={findings} />
          </>
        );
      }} />
  );
}
