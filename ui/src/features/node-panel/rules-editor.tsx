import type { Rule } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, Select } from '../../kit/index.ts';
import { CelEditor, Findings, diagnosticsAt, pointerOf, useForm } from '../../schema-form/index.ts';

/** Actions that this release has. Others are kept and marked; the validator says what they need. */
const ACTIONS = ['retry', 'fallback', 'abort'] as const;

/** The workflow's own rules: first match wins. */
export function RulesEditor({ rules, path, onChange }: { rules: readonly Rule[]; path: readonly (string | number)[]; onChange: (rules: Rule[]) => void }) {
  const { diagnostics, base, readOnly } = useForm();
  const change = (index: number, part: Partial<Rule>) => onChange(rules.map((rule, i) => (i === index ? { ...rule, ...part } : rule)));
  const move = (from: number, to: number) => {
    const next = rules.slice();
    const taken = next.splice(from, 1);
    next.splice(to, 0, ...taken);
    onChange(next);
  };
  return (
    <div className="field">
      <span className="lab">
        {t('workflow.rules')}
        {readOnly ? null : (
          <button type="button" className="lab-add end" onClick={() => onChange([...rules, { name: t('workflow.ruleNew'), when: 'error.retryable', action: 'retry' }])}>+ {t('workflow.ruleAdd')}</button>
        )}
      </span>
      {rules.length === 0 ? <span className="s t3">{t('form.none')}</span> : (
        <div className="box" role="list" aria-label={t('workflow.rules')}>
          {rules.map((rule, index) => {
            const at = pointerOf(base, [...path, index]);
            const findings = diagnosticsAt(diagnostics, at, true);
            const when = findings.filter((one) => one.path === `${at}/when`);
            const known = (ACTIONS as readonly string[]).includes(rule.action);
            return (
              // Rules are told apart by their place.
              <div className="rule-row" role="listitem" key={`rule ${String(index)}`} aria-label={t('workflow.rule', { n: index + 1 })}>
                <span className="list-n s t3">{index + 1}</span>
                <div className="rule-body">
                  <div className="row gap1">
                    <span className="input grow"><input aria-label={`${t('workflow.ruleName')} ${String(index + 1)}`} value={rule.name} readOnly={readOnly} onChange={(event) => change(index, { name: event.target.value })} /></span>
                    <span className="rule-action">
                      <Select label={`${t('workflow.ruleAction')} ${String(index + 1)}`} value={rule.action} disabled={readOnly} invalid={!known} onChange={(action) => change(index, { action })}
                        options={[...ACTIONS.map((action) => ({ value: action as string, label: t(`workflow.ruleAction.${action}`) })), ...(known ? [] : [{ value: rule.action, label: t('workflow.ruleUnknown', { action: rule.action }) }])]} />
                    </span>
                  </div>
                  <CelEditor text={rule.when} onText={(next) => change(index, { when: next })} label={`${t('workflow.ruleWhen')} ${String(index + 1)}`} invalid={when.length > 0} placeholder="error.type == 'Timeout'" />
                  <Findings findings={findings} />
                </div>
                {readOnly ? null : (
                  <span className="list-tools">
                    {index > 0 ? <IconButton small icon="up" label={t('form.up')} onClick={() => move(index, index - 1)} /> : null}
                    <IconButton small icon="x" label={t('form.removeRow', { n: index + 1 })} onClick={() => onChange(rules.filter((_, i) => i !== index))} />
                  </span>
                )}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
