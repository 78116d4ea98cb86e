// The frame that lists of rules share: their heading, what adds one, the rows, and the names that are completed in a condition.

import { useId, useMemo, type ReactNode } from 'react';
import type { Diagnostic, ExpressionName } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Findings, FormScopeProvider, useForm, type ExpressionHost } from '../../schema-form/index.ts';

/** Names in words: `[name, type]`. */
export const namesOf = (pairs: readonly (readonly [string, string])[]): ExpressionName[] => pairs.map(([label, type]) => ({ label, type }));

const rootOf = (name: ExpressionName): string => name.label.split('.')[0] ?? '';

/** `own`: the names of what a rule is asked about, which is not there yet: there is nothing to preview it on. `around`: whose names it sees
 * besides; those that are called alike are its own. Without `onAdd` nothing more fits. `children`: a row for each rule. */
export function RuleList({ label, hint, own, around, onAdd, empty, findings = [], children }: {
  label: string; hint?: string | undefined; own: readonly ExpressionName[]; around: ExpressionHost | null; onAdd: (() => void) | undefined; empty: ReactNode; findings?: readonly Diagnostic[]; children: readonly ReactNode[];
}) {
  const form = useForm();
  const note = useId();
  const scope = useMemo(() => ({
    ...form,
    host: {
      item: 0, setItem: () => undefined, revision: 0, preview: () => Promise.resolve(null),
      names: async () => {
        const roots = new Set(own.map(rootOf));
        return [...own, ...(around ? await around.names() : []).filter((name) => !roots.has(rootOf(name)))];
      },
    } satisfies ExpressionHost,
  }), [form, own, around]);
  return (
    <FormScopeProvider value={scope}><div className="field" role="group" aria-label={label} aria-describedby={hint ? note : undefined}>
      <span className="lab">
        <span className="lab-name" title={hint}>{label}</span>
        {form.readOnly || !onAdd ? null : <button type="button" className="lab-add end" aria-label={`${t('form.add')}: ${label}`} onClick={onAdd}>+ {t('form.add')}</button>}
      </span>
      {hint ? <span id={note} className="vh">{hint}</span> : null}
      {children.length === 0 ? empty : <div className="box" role="list" aria-label={label}>{children}</div>}
      <Findings findings={findings} />
    </div></FormScopeProvider>
  );
}
