// Rules over the tools that models call: first match wins, allow, ask or deny. A step and a workflow have the same.

import type { Diagnostic } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button } from '../../kit/index.ts';
import { diagnosticsAt, pointerOf, useForm, type OwnFieldProps, type Path } from '../../schema-form/index.ts';
import { RuleList, namesOf } from './rule-list.tsx';
import { RuleRow, moved, namedOf, partsOf } from './rule-row.tsx';

const ACTIONS = ['allow', 'ask', 'deny'] as const;

/** What a rule sees of the call: without one there is nothing to look at. */
const CALL_NAMES = namesOf([
  ['tool', 'string'], ['server', 'string'], ['args', 'map'], ['hints.readOnly', 'bool'], ['hints.destructive', 'bool'], ['hints.idempotent', 'bool'], ['hints.openWorld', 'bool'],
]);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A field of a form that a schema describes. */
export function ToolRulesField({ label, schema, value, path, findings }: OwnFieldProps) {
  return <ToolRules label={label} hint={schema.description} most={schema.maxItems} none={t('toolRules.noneOfStep')} value={value} path={path} findings={findings} />;
}

export function ToolRules({ label, hint, most = Number.POSITIVE_INFINITY, none, value, path, findings }: {
  label: string; hint?: string | undefined; most?: number | undefined; /** What is said where there is no list. */ none: string; value: unknown; path: Path; findings: readonly Diagnostic[];
}) {
  const { readOnly, host, edit } = useForm();
  const rules: unknown[] = Array.isArray(value) ? value : [];
  // An empty list is a rule, too: whatever no rule names is asked for. Only a person takes that away, by its name.
  const store = (next: unknown[] | undefined) => edit(path, next);
  return (
    <RuleList label={label} hint={hint} own={CALL_NAMES} around={host} findings={findings}
      onAdd={rules.length >= most ? undefined : () => store([...rules, { name: t('toolRules.new'), when: "tool == ''", action: 'ask' }])}
      empty={(
        <div className="row wrap">
          <span className="s t3">{value === undefined ? none : t('toolRules.empty')}</span>
          {readOnly ? null : value === undefined ? <Button small onClick={() => store([])}>{t('toolRules.askAll')}</Button> : <Button small onClick={() => store(undefined)}>{t('toolRules.drop')}</Button>}
        </div>
      )}>
      {rules.map((rule, index) => <Row key={`rule ${String(index)}`} rule={rule} n={index + 1} last={index === rules.length - 1} path={[...path, index]}
        onMove={(by) => store(moved(rules, index, by))} onRemove={() => store(rules.filter((_, i) => i !== index))} />)}
    </RuleList>
  );
}

function Row({ rule, n, last, path, onMove, onRemove }: { rule: unknown; n: number; last: boolean; path: Path; onMove(by: 1 | -1): void; onRemove(): void }) {
  const { base, diagnostics, readOnly, edit } = useForm();
  const at = pointerOf(base, path);
  const findings = diagnosticsAt(diagnostics, at, true);
  const parts = partsOf(rule);
  const named = namedOf(n);
  // Each field by its place: what nobody touched stays as the file has it, and what is typed is a step of its own.
  const put = (field: string, value: unknown) => edit([...path, field], value);
  const number = (field: 'maxArguments' | 'maxResult') => {
    const label = t(`toolRules.${field}`);
    const stored = parts[field];
    return (
      <label className="col gap1 grow"><span className="s t2">{label}</span>
        <span className="input"><input aria-label={named(label)} inputMode="numeric" value={typeof stored === 'number' ? String(stored) : ''} readOnly={readOnly} placeholder={t('toolRules.noLimit')}
          onChange={(event) => { const digits = event.target.value.replace(/\D/g, ''); put(field, digits === '' ? undefined : Number(digits)); }} /></span>
      </label>
    );
  };
  return (
    <RuleRow rule={{ name: text(parts['name']), when: text(parts['when']), action: text(parts['action']) }} n={n} last={last}
      actions={ACTIONS.map((action) => ({ value: action, label: t(`toolRules.action.${action}`) }))} placeholder="tool == 'pay' && args.amount > 100"
      findings={findings} whenInvalid={findings.some((one) => one.path === `${at}/when`)} onField={put} onMove={onMove} onRemove={onRemove}>
      <details className="more">
        <summary className="cap">{t('toolRules.more')}</summary>
        <div className="col gap1">
          <label className="col gap1"><span className="s t2">{t('toolRules.message')}</span>
            <span className="input"><input aria-label={named(t('toolRules.message'))} value={text(parts['message'])} readOnly={readOnly} maxLength={500} onChange={(event) => put('message', event.target.value || undefined)} /></span>
          </label>
          <div className="row gap1">{number('maxArguments')}{number('maxResult')}</div>
        </div>
      </details>
    </RuleRow>
  );
}
