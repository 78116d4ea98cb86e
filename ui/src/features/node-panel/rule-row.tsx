// One rule of a list in which the first that holds decides: its name, what is done, when; and its place among the others.

import type { ReactNode } from 'react';
import type { Diagnostic } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, Select, type Option } from '../../kit/index.ts';
import { CelEditor, Findings } from '../../schema-form/index.ts';

export interface RuleRowProps {
  rule: { name: string; when: string; action: string };
  /** Its place, from 1. */
  n: number;
  last: boolean;
  /** What it may do. Another name is kept and marked. */
  actions: Option[];
  /** An example of a condition. */
  placeholder: string;
  /** All that is said of the rule; `whenInvalid`: some of it of its condition. */
  findings: readonly Diagnostic[];
  whenInvalid: boolean;
  readOnly: boolean;
  onField(field: 'name' | 'when' | 'action', value: string): void;
  onMove(by: 1 | -1): void;
  onRemove(): void;
  /** What only some rules have. */
  children?: ReactNode;
}

export function RuleRow({ rule, n, last, actions, placeholder, findings, whenInvalid, readOnly, onField, onMove, onRemove, children }: RuleRowProps) {
  const known = actions.some((one) => one.value === rule.action);
  const named = (what: string) => `${what} ${String(n)}`;
  return (
    <div className="rule-row" role="listitem" aria-label={t('workflow.rule', { n })}>
      <span className="list-n s t3">{n}</span>
      <div className="rule-body">
        <div className="row gap1">
          <span className="input grow"><input aria-label={named(t('workflow.ruleName'))} value={rule.name} readOnly={readOnly} onChange={(event) => onField('name', event.target.value)} /></span>
          <span className="rule-action">
            <Select label={named(t('workflow.ruleAction'))} value={rule.action} disabled={readOnly} invalid={!known} onChange={(action) => onField('action', action)}
              options={known ? actions : [...actions, { value: rule.action, label: t('workflow.ruleUnknown', { action: rule.action }) }]} />
          </span>
        </div>
        <CelEditor text={rule.when} onText={(next) => onField('when', next)} label={named(t('workflow.ruleWhen'))} invalid={whenInvalid} placeholder={placeholder} />
        {children}
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

/** The list with one of its entries at another place. */
export function moved<T>(list: readonly T[], from: number, by: 1 | -1): T[] {
  const next = list.slice();
  next.splice(from + by, 0, ...next.splice(from, 1));
  return next;
}
