// One rule of a list: its place among the others, and what most have: a name, what is done, when.

import type { ReactNode } from 'react';
import { isObject } from '../../json/json.ts';
import type { Diagnostic } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { IconButton, Select, type Option } from '../../kit/index.ts';
import { Findings, useForm } from '../../schema-form/index.ts';
import { ConditionBox } from '../../shared/conditions/condition-field.tsx';

interface PlaceProps {
  /** Its place, from 1. */
  n: number;
  last: boolean;
  /** Not where the order says nothing. */
  onMove?: ((by: 1 | -1) => void) | undefined;
  onRemove(): void;
}

/** A numbered row, with what moves it and takes it away. */
export function RulePlace({ n, last, onMove, onRemove, children }: PlaceProps & { children: ReactNode }) {
  const { readOnly } = useForm();
  return (
    <div className="rule-row" role="listitem" aria-label={t('workflow.rule', { n })}>
      <span className="list-n s t3">{n}</span>
      <div className="rule-body">{children}</div>
      {readOnly ? null : (
        <span className="list-tools">
          {onMove && n > 1 ? <IconButton small icon="up" label={t('form.up')} onClick={() => onMove(-1)} /> : null}
          {onMove && !last ? <IconButton small icon="down" label={t('rules.down')} onClick={() => onMove(1)} /> : null}
          <IconButton small icon="x" label={t('form.removeRow', { n })} onClick={onRemove} />
        </span>
      )}
    </div>
  );
}

/** A file may hold anything. */
export const partsOf = (rule: unknown): Record<string, unknown> => (isObject(rule) ? rule : {});

/** What a control of the rule is called: each rule has the same. */
export const namedOf = (n: number) => (what: string): string => `${what} ${String(n)}`;

export interface RuleRowProps extends PlaceProps {
  rule: { name: string; when: string; action: string };
  /** What it may do. Another name is kept and marked. */
  actions: Option[];
  /** An example of a condition. */
  placeholder: string;
  /** All that is said of the rule; `whenInvalid`: some of it an error of its condition. */
  findings: readonly Diagnostic[];
  whenInvalid: boolean;
  onField(field: 'name' | 'when' | 'action', value: string): void;
  /** What only some rules have. */
  children?: ReactNode;
}

/** A rule of a list in which the first that holds decides. */
export function RuleRow({ rule, actions, placeholder, findings, whenInvalid, onField, children, ...place }: RuleRowProps) {
  const { readOnly } = useForm();
  const known = actions.some((one) => one.value === rule.action);
  const named = namedOf(place.n);
  return (
    <RulePlace {...place}>
      <div className="row gap1">
        <span className="input grow"><input aria-label={named(t('workflow.ruleName'))} value={rule.name} readOnly={readOnly} onChange={(event) => onField('name', event.target.value)} /></span>
        <span className="rule-action">
          <Select label={named(t('workflow.ruleAction'))} value={rule.action} disabled={readOnly} invalid={!known} onChange={(action) => onField('action', action)}
            options={known ? actions : [...actions, { value: rule.action, label: t('workflow.ruleUnknown', { action: rule.action }) }]} />
        </span>
      </div>
      <ConditionBox text={rule.when} onText={(next) => onField('when', next)} label={named(t('workflow.ruleWhen'))} invalid={whenInvalid} placeholder={placeholder} />
      {children}
      <Findings findings={findings} />
    </RulePlace>
  );
}

/** The list with one of its entries at another place. */
export function moved<T>(list: readonly T[], from: number, by: 1 | -1): T[] {
  const next = list.slice();
  next.splice(from + by, 0, ...next.splice(from, 1));
  return next;
}
