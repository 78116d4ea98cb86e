import { useMemo } from 'react';
import type { Diagnostic, Rule } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { useCommand } from '../../api/queries.ts';
import { diagnosticsAt, pointerOf, useForm, type ExpressionHost } from '../../schema-form/index.ts';
import { RuleList, namesOf } from './rule-list.tsx';
import { RuleRow, moved } from './rule-row.tsx';

/** What a rule may do. Other names are kept and marked; the validator says what they need. */
export const ACTIONS = ['retry', 'auto_fix', 'human_review', 'fallback', 'error_as_context', 'abort', 'escalate'] as const;
export const actionWords = (action: string): string =>
  ((ACTIONS as readonly string[]).includes(action) ? t(`rules.action.${action as (typeof ACTIONS)[number]}`) : action);

/** The rules of a handler that has none of its own (E-28…E-31); the engine has the same. */
export const DEFAULT_RULES: readonly Rule[] = [
  { name: 'retry-if-transient', when: 'error.retryable == true && error.attempt < error.maxAttempts', action: 'retry' },
  { name: 'auto-fix-validation', when: "error.type == 'ValidationError'", action: 'auto_fix' },
  { name: 'escalate-to-human', when: "error.type == 'LLMError' && error.attempt >= 1", action: 'human_review' },
  { name: 'abort-default', when: 'true', action: 'abort' },
];

/** What an error has, for the list of names while typing: without a run no error is there to look at. */
const ERROR_NAMES = namesOf([
  ['error.type', 'string'], ['error.message', 'string'], ['error.retryable', 'bool'], ['error.attempt', 'int'], ['error.maxAttempts', 'int'],
  ['error.originNode', 'string'], ['error.suggestedAction', 'string'], ['error.details.code', 'string'], ['error.details.status', 'int'], ['error.details.severity', 'string'],
]);

/** Rules of a handler or of the workflow: first match wins. `wired`: the wired ports of the handler. */
export function RulesEditor({ rules, path, wired, host, onChange }: {
  rules: readonly Rule[]; path: readonly (string | number)[]; wired?: readonly string[]; host?: ExpressionHost | undefined; onChange: (rules: Rule[]) => void;
}) {
  const { diagnostics, base } = useForm();
  // What a call put out is not there when it failed.
  const around = useMemo(() => (host ? { ...host, names: async () => (await host.names()).filter((one) => !one.label.startsWith('_')) } : null), [host]);
  const checked = useCommand('rules_check', { rules: [...rules], ...(wired ? { wired: [...wired] } : {}) }, { enabled: rules.length > 0, placeholderData: (before) => before });
  const change = (index: number, part: Partial<Rule>) => onChange(rules.map((rule, i) => (i === index ? { ...rule, ...part } : rule)));
  return (
    <RuleList label={t('workflow.rules')} own={ERROR_NAMES} around={around} onAdd={() => onChange([...rules, { name: t('workflow.ruleNew'), when: 'error.retryable', action: 'retry' }])}
      empty={<span className="s t3">{t('form.none')}</span>}>
      {rules.map((rule, index) => {
        const at = pointerOf(base, [...path, index]);
        const said = diagnosticsAt(diagnostics, at, true);
        // The validator of the file says some of it too, in its own words and with its own delay.
        const more = (checked.data ?? []).filter((one) => one.index === index && !said.some((other) => other.code === one.code))
          .map((one): Diagnostic => ({ code: one.code as Diagnostic['code'], severity: one.severity, message: one.message, hint: one.hint, path: one.position === undefined ? at : `${at}/when` }));
        // An empty condition is said in words, once: the shape of the file says it with places and counts.
        const all = [...said, ...more];
        const empty: Diagnostic[] = rule.when.trim() === '' ? [{ code: 'MISSING_CONFIG', severity: 'error', path: `${at}/when`, message: t('rules.emptyWhen'), hint: t('rules.emptyWhenHint') }] : [];
        const findings = empty.length > 0 ? [...all.filter((one) => one.path !== `${at}/when`), ...empty] : all;
        const when = findings.filter((one) => one.path === `${at}/when`);
        return (
          // Rules are told apart by their place.
          <RuleRow key={`rule ${String(index)}`} rule={rule} n={index + 1} last={index === rules.length - 1} placeholder="error.type == 'Timeout'"
            actions={ACTIONS.map((action) => ({ value: action, label: actionWords(action) }))} findings={findings} whenInvalid={when.some((one) => one.severity === 'error')}
            onField={(field, value) => change(index, { [field]: value })} onMove={(by) => onChange(moved(rules, index, by))} onRemove={() => onChange(rules.filter((_, i) => i !== index))} />
        );
      })}
    </RuleList>
  );
}
