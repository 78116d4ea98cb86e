// Rules over the entries of the audit chain (A-33…A-35, K-60): they raise the level of an entry or have it escalated, and
// never leave one out. All rules that hold count, so their order says nothing.

import { t } from '../../i18n/index.ts';
import { Checkbox, Select } from '../../kit/index.ts';
import { Findings, diagnosticsAt, useForm } from '../../schema-form/index.ts';
import { ConditionBox } from '../../shared/conditions/condition-field.tsx';
import { RuleList, namesOf } from './rule-list.tsx';
import { RulePlace, namedOf, partsOf } from './rule-row.tsx';

const AT = '/settings/auditRules';
const PATH = ['settings', 'auditRules'];
const LEVELS = ['INFO', 'WARN', 'ERROR', 'CRITICAL'] as const;

/** What a rule sees, and nothing else: the name of the entry, the error it tells of, the repair it tells of. */
const NAMES = namesOf([
  ['event', 'string'], ['err.type', 'string'], ['err.message', 'string'], ['err.retryable', 'bool'], ['err.attempt', 'int'], ['err.maxAttempts', 'int'], ['err.originNode', 'string'],
  ['err.details.code', 'string'], ['autoFix.accepted', 'bool'], ['autoFix.delta', 'int'], ['autoFix.model', 'string'],
]);

/** What people ask for most; one press writes it. */
const SAMPLES = {
  failed: { when: "err.type in ['LLMError', 'ToolError'] && err.retryable == false", level: 'CRITICAL' },
  person: { when: "event == 'HITL_COMPLETED'", level: 'WARN' },
  repair: { when: 'autoFix.delta > 0', escalate: true },
} as const;
const SAMPLE_NAMES = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];

export function AuditRules({ value }: { value: unknown }) {
  const { diagnostics, readOnly, edit } = useForm();
  const rules: unknown[] = Array.isArray(value) ? value : [];
  const store = (next: unknown[]) => edit(PATH, next.length === 0 ? undefined : next);
  return (
    <RuleList label={t('auditRules.label')} hint={t('auditRules.hint')} own={NAMES} around={null} onAdd={() => store([...rules, { ...SAMPLES.person }])} findings={diagnosticsAt(diagnostics, AT, false)}
      empty={(
        <div className="col gap1">
          <span className="s t3">{t('auditRules.none')}</span>
          {readOnly ? null : SAMPLE_NAMES.map((name) => <button key={name} type="button" className="link s" onClick={() => store([{ ...SAMPLES[name] }])}>{t(`auditRules.sample.${name}`)}</button>)}
        </div>
      )}>
      {rules.map((rule, index) => (
        // Rules are told apart by their place.
        <Row key={`rule ${String(index)}`} rule={rule} index={index} last={index === rules.length - 1} onRemove={() => store(rules.filter((_, i) => i !== index))} />
      ))}
    </RuleList>
  );
}

function Row({ rule, index, last, onRemove }: { rule: unknown; index: number; last: boolean; onRemove(): void }) {
  const { diagnostics, readOnly, edit } = useForm();
  const at = `${AT}/${String(index)}`;
  const findings = diagnosticsAt(diagnostics, at, true);
  const { when, level, escalate } = partsOf(rule);
  // Each field by its place: what nobody touched stays as the file has it.
  const put = (field: 'when' | 'level' | 'escalate', next: unknown) => edit([...PATH, index, field], next);
  const shown = level === undefined ? '' : typeof level === 'string' ? level : JSON.stringify(level);
  const known = level === undefined || LEVELS.some((one) => one === level);
  const named = namedOf(index + 1);
  return (
    <RulePlace n={index + 1} last={last} onRemove={onRemove}>
      <ConditionBox text={typeof when === 'string' ? when : ''} onText={(next) => put('when', next)} label={named(t('workflow.ruleWhen'))} invalid={findings.some((one) => one.path === `${at}/when`)} placeholder="event == 'HITL_COMPLETED'" />
      <div className="row gap1 wrap">
        <span className="rule-level">
          <Select label={named(t('auditRules.level'))} value={shown} disabled={readOnly} invalid={!known} onChange={(next) => put('level', next === '' ? undefined : next)}
            options={[{ value: '', label: t('auditRules.same') }, ...LEVELS.map((one) => ({ value: one as string, label: t(`auditRules.level.${one}`) })), ...(known ? [] : [{ value: shown, label: t('workflow.ruleUnknown', { action: shown }) }])]} />
        </span>
        <label className="row gap1 s"><Checkbox checked={escalate === true} disabled={readOnly} label={named(t('auditRules.escalate'))} onChange={(next) => put('escalate', next ? true : undefined)} />{t('auditRules.escalate')}</label>
      </div>
      <Findings findings={findings} />
    </RulePlace>
  );
}
