// The guards of a step: conditions that refuse its call, or withhold what it made. They act only when they are switched on.

import { useMemo } from 'react';
import { isObject } from '../../json/json.ts';
import type { Diagnostic, ExpressionName, NodeDescriptor, WorkflowNode } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Switch } from '../../kit/index.ts';
import { Findings, FormScopeProvider, diagnosticsAt, pointerOf, type ExpressionHost, type FormScope } from '../../schema-form/index.ts';
import { GuardRow, readGuard, type Guard, type GuardPlace } from './guard-row.tsx';
import type { NodePanelProps } from './types.ts';

const PLACES: readonly GuardPlace[] = ['before', 'after'];

/** Steps that only handle errors have none: nobody would handle what they refuse. */
const WITHOUT: ReadonlySet<NodeDescriptor['role']> = new Set(['trigger', 'stop', 'recovery']);
export const mayGuard = (descriptor: NodeDescriptor | undefined, node: WorkflowNode): boolean =>
  node.guardrails !== undefined || (descriptor !== undefined && !WITHOUT.has(descriptor.role));

/** What a call made, for the guards after it: no run has it before. */
const AFTER_NAMES: readonly ExpressionName[] = [{ label: '_result', type: 'dyn' }, { label: '_meta', type: 'map' }];

interface Read { enabled: boolean; before: Guard[]; after: Guard[] }
function read(value: unknown): Read {
  const own = isObject(value) ? value : {};
  const list = (one: unknown): Guard[] => (Array.isArray(one) ? one : []).map(readGuard);
  return { enabled: own['enabled'] === true, before: list(own['before']), after: list(own['after']) };
}

export function GuardsEditor({ nodeId, node, descriptor, diagnostics, host, readOnly, onEdit }: {
  nodeId: string; node: WorkflowNode; descriptor: NodeDescriptor | undefined; diagnostics: readonly Diagnostic[]; host: ExpressionHost; readOnly: boolean; onEdit: NodePanelProps['onEdit'];
}) {
  const guards = read(node.guardrails);
  const base = pointerOf('', ['nodes', nodeId]);
  const at = `${base}/guardrails`;
  const before = useMemo<FormScope>(() => ({ base, diagnostics, host, readOnly, edit: () => undefined }), [base, diagnostics, host, readOnly]);
  const after = useMemo<FormScope>(() => ({ ...before, host: { ...host, names: async () => [...AFTER_NAMES, ...await host.names()] } }), [before, host]);
  if (!mayGuard(descriptor, node)) return null;
  const count = guards.before.length + guards.after.length;
  const put = (part: Partial<Read>, merge: string) => {
    const next = { ...guards, ...part };
    // Nothing is left behind in the file when there is nothing to say.
    const value = next.enabled || next.before.length || next.after.length
      ? { enabled: next.enabled, ...(next.before.length ? { before: next.before } : {}), ...(next.after.length ? { after: next.after } : {}) } : undefined;
    onEdit({ type: 'setNode', id: nodeId, path: ['guardrails'], value }, { label: t('guards.title'), merge: `guards ${nodeId} ${merge}` });
  };
  const add = (place: GuardPlace) => put({ enabled: guards.enabled || count === 0, [place]: [...guards[place], { name: t('guards.new', { n: count + 1 }), refuse: 'false' }] }, `add ${String(count)}`);
  return (
    <details className="more" open={count > 0} key={`guards ${nodeId}`} data-guards={guards.enabled ? 'on' : 'off'}>
      <summary className="cap">{t('guards.title')} {count ? <span className="t3">{guards.enabled ? count : t('guards.off', { n: count })}</span> : null}</summary>
      <div className="guards">
      <label className="row top">
        <Switch checked={guards.enabled} disabled={readOnly} label={t('guards.enabled')} onChange={(enabled) => put({ enabled }, 'enabled')} />
        <span className="grow">{t('guards.enabled')}<span className="s t3 block">{guards.enabled || count === 0 ? t('guards.hint') : tn('guards.asleep', count)}</span></span>
      </label>
      <Findings findings={diagnosticsAt(diagnostics, at, false)} />
      {PLACES.map((place) => (
        <FormScopeProvider key={place} value={place === 'after' ? after : before}>
          <div className="field">
            <span className="lab">{t(`guards.${place}`)}{readOnly ? null : <button type="button" className="lab-add end" aria-label={t(`guards.add.${place}`)} onClick={() => add(place)}>+ {t('guards.add')}</button>}</span>
            <span className="s t3">{t(`guards.${place}Hint`)}</span>
            {guards[place].length ? <Rows place={place} guards={guards[place]} at={`${at}/${place}`} diagnostics={diagnostics} readOnly={readOnly} onChange={(next, merge) => put({ [place]: next }, merge)} /> : null}
          </div>
        </FormScopeProvider>
      ))}
      </div>
    </details>
  );
}

function Rows({ place, guards, at, diagnostics, readOnly, onChange }: { place: GuardPlace; guards: readonly Guard[]; at: string; diagnostics: readonly Diagnostic[]; readOnly: boolean; onChange(guards: Guard[], merge: string): void }) {
  return (
    <div className="box" role="list" aria-label={t(`guards.${place}`)}>
      {guards.map((guard, index) => (
        // Guards are told apart by their place.
        <GuardRow key={`guard ${String(index)}`} n={index + 1} place={place} guard={guard} findings={diagnosticsAt(diagnostics, `${at}/${String(index)}`, true)} readOnly={readOnly}
          onChange={(next, field) => onChange(guards.map((one, i) => (i === index ? next : one)), `${place} ${String(index)} ${field}`)}
          onRemove={() => onChange(guards.filter((_, i) => i !== index), `${place} remove ${String(index + 1)}`)} />
      ))}
    </div>
  );
}
