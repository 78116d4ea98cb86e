// The frame that lists of rules share: numbered rows, what adds one, what moves and removes one, and the names that are
// completed in a condition.

import { useMemo, type ReactNode } from 'react';
import type { Diagnostic, ExpressionName } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton } from '../../kit/index.ts';
import { Findings, FormScopeProvider, useForm, type ExpressionHost } from '../../schema-form/index.ts';

/** `own`: the names of what a rule is asked about, which is not there yet: there is nothing to preview it on. `alone`: it sees no others. */
export function RuleList<R>({ label, hint, rules, own, alone = false, empty, findings, fresh, row, onChange, ordered = true }: {
  label: string; hint?: string | undefined; rules: readonly R[]; own: readonly ExpressionName[]; alone?: boolean; empty: ReactNode; findings: readonly Diagnostic[];
  fresh(): R; row(rule: R, index: number): ReactNode; onChange(rules: R[] | undefined): void; ordered?: boolean;
}) {
  const form = useForm();
  const { readOnly, host } = form;
  const scope = useMemo(() => ({
    ...form,
    host: {
      item: 0, setItem: () => undefined, revision: 0, preview: () => Promise.resolve(null),
      names: async () => [...own, ...(alone || !host ? [] : await host.names())],
    } satisfies ExpressionHost,
  }), [form, host, own, alone]);
  const move = (from: number, to: number) => {
    const next = rules.slice();
    const taken = next.splice(from, 1);
    next.splice(to, 0, ...taken);
    onChange(next);
  };
  return (
    <FormScopeProvider value={scope}><div className="field">
      <span className="lab">
        <span title={hint}>{label}</span>
        {readOnly ? null : <button type="button" className="lab-add end" aria-label={`${t('form.add')}: ${label}`} onClick={() => onChange([...rules, fresh()])}>+ {t('form.add')}</button>}
      </span>
      {rules.length === 0 ? empty : (
        <div className="box" role="list" aria-label={label}>
          {rules.map((rule, index) => (
            // Rules are told apart by their place.
            <div key={`rule ${String(index)}`} className="rule-row" role="listitem" aria-label={t('workflow.rule', { n: index + 1 })}>
              <span className="list-n s t3">{index + 1}</span>
              <div className="rule-body">{row(rule, index)}</div>
              {readOnly ? null : (
                <span className="list-tools">
                  {ordered && index > 0 ? <IconButton small icon="up" label={t('form.up')} onClick={() => move(index, index - 1)} /> : null}
                  {ordered && index < rules.length - 1 ? <IconButton small icon="down" label={t('rules.down')} onClick={() => move(index, index + 1)} /> : null}
                  <IconButton small icon="x" label={t('form.removeRow', { n: index + 1 })} onClick={() => onChange(rules.length === 1 ? undefined : rules.filter((_, i) => i !== index))} />
                </span>
              )}
            </div>
          ))}
        </div>
      )}
      <Findings findings={findings} />
    </div></FormScopeProvider>
  );
}
