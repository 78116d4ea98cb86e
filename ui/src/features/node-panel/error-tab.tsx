// Retries of one step, what they look like in time, and what comes after them.

import { useMemo } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { Diagnostic, JsonSchema, NodeDescriptor, RetryPolicy, Workflow } from '../../api/types.ts';
import { formatPause, t } from '../../i18n/index.ts';
import { Icon, Select, Switch } from '../../kit/index.ts';
import { Field, Findings, FormScopeProvider, diagnosticsAt, pointerOf, type FormScope } from '../../schema-form/index.ts';
import { RetryTimeline } from './retry-timeline.tsx';
import { RETRY_DEFAULTS, hasErrorPort, thenOf, titleOf } from './then-words.ts';
import type { NodePanelProps } from './types.ts';

const FIELDS: [keyof RetryPolicy, JsonSchema][] = [
  ['maxAttempts', { type: 'integer', title: t('error.retries'), minimum: 0, maximum: 100, default: 3 }],
  ['backoff', {
    type: 'string', title: t('error.backoff'), default: 'exponential',
    oneOf: [
      { const: 'exponential', title: t('error.backoff.exponential') },
      { const: 'linear', title: t('error.backoff.linear') },
      { const: 'fixed', title: t('error.backoff.fixed') },
    ],
  }],
  ['initialDelayMs', { type: 'integer', title: t('error.firstPause'), default: 500, 'x-ui': { widget: 'duration' } }],
  ['maxDelayMs', { type: 'integer', title: t('error.atMost'), default: 30_000, 'x-ui': { widget: 'duration' } }],
];
const JITTER: JsonSchema = { type: 'boolean', title: t('error.jitter'), description: t('error.jitterHint'), default: true };

export interface ErrorTabProps {
  document: Workflow;
  nodeId: string;
  descriptor: NodeDescriptor | undefined;
  catalog: readonly NodeDescriptor[];
  diagnostics: readonly Diagnostic[];
  readOnly: boolean;
  onEdit: NodePanelProps['onEdit'];
}

export function ErrorTab({ document, nodeId, descriptor, catalog, diagnostics, readOnly, onEdit }: ErrorTabProps) {
  const node = document.nodes[nodeId];
  const handling = node?.errorHandling;
  const own = handling?.retryPolicy;
  const base = pointerOf('', ['nodes', nodeId, 'errorHandling', 'retryPolicy']);
  const scope = useMemo<FormScope>(
    () => ({
      base, diagnostics, host: null, readOnly,
      edit: (path, value) => onEdit({ type: 'setNode', id: nodeId, path: ['errorHandling', 'retryPolicy', ...path], value }, { label: t('error.own'), merge: `retry ${nodeId} ${path.join('.')}` }),
    }),
    [base, diagnostics, readOnly, nodeId, onEdit],
  );
  if (!node) return null;
  if (!hasErrorPort(descriptor)) {
    return <div className="panel-body"><b>{t('error.none')}</b><p className="t2">{t('error.noneText')}</p></div>;
  }
  const then = thenOf(document, nodeId, catalog);
  const others = Object.keys(document.nodes).filter((id) => id !== nodeId);
  const inherited = descriptor?.retryPolicy?.maxAttempts ?? RETRY_DEFAULTS.maxAttempts;

  function setOwn(on: boolean) {
    const value = on ? { ...RETRY_DEFAULTS, ...descriptor?.retryPolicy } : undefined;
    // An empty `errorHandling` would stay behind in the file.
    const lonely = !on && Object.keys(handling ?? {}).every((key) => key === 'retryPolicy');
    onEdit({ type: 'setNode', id: nodeId, path: lonely ? ['errorHandling'] : ['errorHandling', 'retryPolicy'], value: lonely ? undefined : value }, { label: t('error.own') });
  }
  function setFallback(target: string) {
    const value = target === '' ? undefined : target;
    const lonely = value === undefined && Object.keys(handling ?? {}).every((key) => key === 'fallbackNodeId');
    onEdit({ type: 'setNode', id: nodeId, path: lonely ? ['errorHandling'] : ['errorHandling', 'fallbackNodeId'], value }, { label: t('error.fallback') });
  }

  return (
    <FormScopeProvider value={scope}>
      <div className="panel-body">
        <div className="row">
          <Switch checked={own !== undefined} onChange={setOwn} label={t('error.own')} disabled={readOnly} />
          <span className="grow">{t('error.own')}<span className="s t3 block">{t('error.ownHint')}</span></span>
        </div>
        {own === undefined ? (
          <p className="s t2">{descriptor?.retryPolicy ? t('error.defaultNumbers', { n: inherited }) : t('error.default')}</p>
        ) : (
          <>
            <div className="retry-fields">
              {FIELDS.map(([name, schema]) => <Field key={name} name={name} schema={schema} value={own[name]} path={[name]} />)}
            </div>
            <Field name="jitter" schema={JITTER} value={own.jitter} path={['jitter']} />
            <Findings findings={diagnosticsAt(diagnostics, base, false)} />
          </>
        )}
        <WhatHappens policy={own} then={then} />
        <div className="field">
          <span className="lab">{t('error.fallback')}</span>
          <Select label={t('error.fallback')} value={handling?.fallbackNodeId ?? ''} disabled={readOnly} onChange={setFallback}
            options={[{ value: '', label: t('error.fallbackNone') }, ...others.map((id) => ({ value: id, label: titleOf(document, id, catalog), hint: id }))]} />
          <span className="s t3">{t('error.fallbackHint')}</span>
          <Findings findings={diagnosticsAt(diagnostics, pointerOf('', ['nodes', nodeId, 'errorHandling', 'fallbackNodeId']), true)} />
        </div>
        {descriptor && descriptor.errors.length > 0 ? (
          <details className="more">
            <summary className="cap">{t('error.codes')} <span className="t3">{descriptor.errors.length}</span></summary>
            <ul className="codes">
              {descriptor.errors.map((one) => (
                <li key={`${one.type} ${one.code}`} className="s">
                  <div className="row gap1"><code>{one.code}</code><span className="t3 end nw row gap1">{one.retryable ? <><Icon name="retry" size={12} />{t('error.codesMay')}</> : t('error.codesNot')}</span></div>
                  <span className="t2">{one.when}</span>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
      </div>
    </FormScopeProvider>
  );
}

function WhatHappens({ policy, then }: { policy: Partial<RetryPolicy> | undefined; then: ReturnType<typeof thenOf> }) {
  const full = useMemo(() => ({ ...RETRY_DEFAULTS, ...policy }), [policy]);
  // No own policy: one call, then what the document says. Nothing to ask the engine.
  const planned = useCommand('retry_timeline', { policy: full }, { enabled: policy !== undefined, placeholderData: (before) => before });
  const steps = policy === undefined ? [] : (planned.data ?? []);
  const sum = steps.reduce((all, step) => all + step.delayMs, 0);
  const aside = steps.length === 0 ? '' : t(full.jitter ? 'error.inAllMost' : 'error.inAll', { time: formatPause(sum) });
  return (
    <div className="field">
      <span className="lab">{t('error.what')}<span className="end t3">{aside}</span></span>
      <div className="well">
        {planned.error && policy !== undefined ? (
          <p className="s c-err">{t('error.timelineFailed')}: {planned.error.message}</p>
        ) : (
          <RetryTimeline steps={steps} end={then.box} endIsWire={then.wired} />
        )}
      </div>
      <span className="s t2 row gap1"><svg width="10" height="10" aria-hidden="true"><path d="M5 0l5 5-5 5-5-5z" fill={then.wired ? 'var(--wire-err)' : 'var(--wire-safe)'} /></svg>{then.text}</span>
    </div>
  );
}
