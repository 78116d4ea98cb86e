// Rules over the tools that models call: first match wins, allow, ask or deny. A step and a workflow have the same.

import { useMemo } from 'react';
import { isObject } from '../../api/json.ts';
import type { Diagnostic, ExpressionName } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, Select } from '../../kit/index.ts';
import { CelEditor, Findings, FormScopeProvider, diagnosticsAt, useForm, type ExpressionHost, type FieldProps } from '../../schema-form/index.ts';

const ACTIONS = ['allow', 'ask', 'deny'] as const;

interface ToolRule { name: string; when: string; action: string; message?: string; maxArguments?: number; maxResult?: number }

/** What a rule sees of the call: without one there is nothing to look at. */
const CALL_NAMES: readonly ExpressionName[] = [
  ['tool', 'string'], ['server', 'string'], ['args', 'map'], ['hints.readOnly', 'bool'], ['hints.destructive', 'bool'], ['hints.idempotent', 'bool'], ['hints.openWorld', 'bool'],
].map(([label = '', type = '']) => ({ label, type }));

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const size = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** As it is drawn: a file may hold anything. */
function asRule(value: unknown): ToolRule {
  const one = isObject(value) ? value : {};
  return { ...one, name: text(one['name']), when: text(one['when']), action: text(one['action']) };
}

/** A field of a form that a schema describes. */
export function ToolRulesField({ name, label, schema, value, findings, onValue }: FieldProps) {
  const { base } = useForm();
  return <ToolRules label={label} hint={schema.description} value={value} pointer={`${base}/${name}`} findings={findings} onValue={onValue} />;
}

export function ToolRules({ label, hint, value, pointer, findings, onValue }: {
  label: string; hint?: string | undefined; value: unknown; pointer: string; findings: readonly Diagnostic[]; onValue(value: unknown): void;
}) {
  const form = useForm();
  const { diagnostics, readOnly, host } = form;
  // A rule is asked about a call that is not there yet: there is nothing to preview it on.
  const scope = useMemo(() => ({
    ...form,
    host: {
      item: 0, setItem: () => undefined, revision: 0, preview: () => Promise.resolve(null),
      names: async () => [...CALL_NAMES, ...await (host ? host.names() : Promise.resolve([]))],
    } satisfies ExpressionHost,
  }), [form, host]);
  const rules = Array.isArray(value) ? value.map(asRule) : [];
  // An empty list is a rule, too: whatever no rule names is asked for.
  const change = (index: number, part: Partial<ToolRule>) => onValue(rules.map((rule, i) => (i === index ? shorn({ ...rule, ...part }) : rule)));
  const move = (from: number, to: number) => {
    const next = rules.slice();
    const taken = next.splice(from, 1);
    next.splice(to, 0, ...taken);
    onValue(next);
  };
  return (
    <FormScopeProvider value={scope}><div className="field">
      <span className="lab">
        <span title={hint}>{label}</span>
        {readOnly ? null : (
          <button type="button" className="lab-add end" aria-label={`${t('form.add')}: ${label}`} onClick={() => onValue([...rules, { name: t('toolRules.new'), when: "tool == ''", action: 'ask' }])}>+ {t('form.add')}</button>
        )}
      </span>
      {rules.length === 0 ? <span className="s t3">{value === undefined ? t('toolRules.none') : t('toolRules.empty')}</span> : (
        <div className="box" role="list" aria-label={label}>
          {rules.map((rule, index) => <Row key={`rule ${String(index)}`} rule={rule} n={index + 1} last={index === rules.length - 1} at={`${pointer}/${String(index)}`} diagnostics={diagnostics} readOnly={readOnly}
            onChange={(part) => change(index, part)} onMove={(by) => move(index, index + by)} onRemove={() => onValue(rules.length === 1 ? undefined : rules.filter((_, i) => i !== index))} />)}
        </div>
      )}
      <Findings findings={findings} />
    </div></FormScopeProvider>
  );
}

/** What is empty is not written. */
function shorn(rule: ToolRule): ToolRule {
  const { message, maxArguments, maxResult, ...rest } = rule;
  return { ...rest, ...(message ? { message } : {}), ...(maxArguments === undefined ? {} : { maxArguments }), ...(maxResult === undefined ? {} : { maxResult }) };
}

function Row({ rule, n, last, at, diagnostics, readOnly, onChange, onMove, onRemove }: {
  rule: ToolRule; n: number; last: boolean; at: string; diagnostics: readonly Diagnostic[]; readOnly: boolean; onChange(part: Partial<ToolRule>): void; onMove(by: number): void; onRemove(): void;
}) {
  const findings = diagnosticsAt(diagnostics, at, true);
  const when = findings.filter((one) => one.path === `${at}/when`);
  const known = (ACTIONS as readonly string[]).includes(rule.action);
  const named = (what: string) => `${what} ${String(n)}`;
  const number = (field: 'maxArguments' | 'maxResult') => {
    const label = t(`toolRules.${field}`);
    const stored = size(rule[field]);
    return (
      <label className="col gap1 grow"><span className="s t2">{label}</span>
        <span className="input"><input aria-label={named(label)} inputMode="numeric" value={stored === undefined ? '' : String(stored)} readOnly={readOnly} placeholder={t('toolRules.noLimit')}
          onChange={(event) => { const digits = event.target.value.replace(/\D/g, ''); onChange({ [field]: digits === '' ? undefined : Number(digits) }); }} /></span>
      </label>
    );
  };
  return (
    <div className="rule-row" role="listitem" aria-label={t('workflow.rule', { n })}>
      <span className="list-n s t3">{n}</span>
      <div className="rule-body">
        <div className="row gap1">
          <span className="input grow"><input aria-label={named(t('workflow.ruleName'))} value={rule.name} readOnly={readOnly} onChange={(event) => onChange({ name: event.target.value })} /></span>
          <span className="rule-action">
            <Select label={named(t('workflow.ruleAction'))} value={rule.action} disabled={readOnly} invalid={!known} onChange={(action) => onChange({ action })}
              options={[...ACTIONS.map((action) => ({ value: action as string, label: t(`toolRules.action.${action}`) })), ...(known ? [] : [{ value: rule.action, label: t('workflow.ruleUnknown', { action: rule.action }) }])]} />
          </span>
        </div>
        <CelEditor text={rule.when} onText={(next) => onChange({ when: next })} label={named(t('workflow.ruleWhen'))} invalid={when.length > 0} placeholder="tool == 'pay' && args.amount > 100" />
        <details className="more">
          <summary className="cap">{t('toolRules.more')}</summary>
          <div className="col gap1">
            <label className="col gap1"><span className="s t2">{t('toolRules.message')}</span>
              <span className="input"><input aria-label={named(t('toolRules.message'))} value={rule.message ?? ''} readOnly={readOnly} maxLength={500} onChange={(event) => onChange({ message: event.target.value })} /></span>
            </label>
            <div className="row gap1">{number('maxArguments')}{number('maxResult')}</div>
          </div>
        </details>
        <Findings findings={findings} />
      </div>
      {readOnly ? null : (
        <span className="list-tools">
          {n > 1 ? <IconButton small icon="up" label={t('form.up')} onClick={() => onMove(-1)} /> : null}
          {last ? null : <IconButton small icon="down" label={t('rules.down')} onClick={() => onMove(1)} />}
          <IconButton small icon="x" label={t('form.removeRow', { n })} onClick={onRemove} />
        </span>
      )}
    </div>
  );
}
