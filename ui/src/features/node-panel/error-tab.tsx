// Retries of one step, what they look like in time, and what comes after them.

import { useMemo } from 'react';
import { useCommand } from '../../api/queries.ts';
import type { Diagnostic, HandlerDryRun, JsonSchema, NodeDescriptor, RetryPolicy, Rule, Workflow } from '../../api/types.ts';
import { formatPause, t } from '../../i18n/index.ts';
import { Icon, Segmented, Select, Switch } from '../../kit/index.ts';
import { Field, Findings, FormScopeProvider, diagnosticsAt, pointerOf, type ExpressionHost, type FormScope } from '../../schema-form/index.ts';
import { DryRun } from './dry-run.tsx';
import { HandlerTab } from './handler-tab.tsx';
import { DEFAULT_RULES } from './rules-editor.tsx';
import { RetryTimeline } from './retry-timeline.tsx';
import { ofStep } from './tried-step.ts';
import { RETRY_DEFAULTS, hasErrorPort, thenOf, titleOf, wiredPorts } from './then-words.ts';
import type { NodePanelProps } from './types.ts';

/** The engine counts in whole numbers from 0: a file with another one could not be read. */
const STRICT = { bounds: 'strict' };
const FIELDS: [keyof RetryPolicy, JsonSchema][] = [
  ['maxAttempts', { type: 'integer', get title() { return t('error.retries'); }, minimum: 0, maximum: 100, default: 3, 'x-ui': STRICT }],
  ['backoff', {
    type: 'string', get title() { return t('error.backoff'); }, default: 'exponential',
    oneOf: [
      { const: 'exponential', get title() { return t('error.backoff.exponential'); } },
      { const: 'linear', get title() { return t('error.backoff.linear'); } },
      { const: 'fixed', get title() { return t('error.backoff.fixed'); } },
    ],
  }],
  ['initialDelayMs', { type: 'integer', get title() { return t('error.firstPause'); }, minimum: 0, default: 500, 'x-ui': { ...STRICT, widget: 'duration' } }],
  ['maxDelayMs', { type: 'integer', get title() { return t('error.atMost'); }, minimum: 0, default: 30_000, 'x-ui': { ...STRICT, widget: 'duration' } }],
];
const JITTER: JsonSchema = { type: 'boolean', get title() { return t('error.jitter'); }, get description() { return t('error.jitterHint'); }, default: true };

const LEVELS = ['INFO', 'WARN', 'ERROR', 'CRITICAL'] as const;

/** Who decides about an error of this step: the handler its error wire leads to, the wire itself, else the workflow's policy. */
function decidersOf(document: Workflow, nodeId: string, catalog: readonly NodeDescriptor[]): { rules: readonly Rule[]; setting: Pick<HandlerDryRun, 'rules' | 'policy' | 'wired' | 'collected'>; leads?: string } {
  const targets = document.edges.filter((edge) => edge.from === `${nodeId}.error`).map((edge) => edge.to);
  const handlerId = targets.find((id) => document.nodes[id]?.type === 'builtin.error_handler');
  if (handlerId !== undefined) {
    const own = (document.nodes[handlerId]?.config as { rules?: Rule[] } | undefined)?.rules;
    return { rules: own?.length ? own : DEFAULT_RULES, setting: { rules: own ?? [], wired: wiredPorts(document, handlerId) } };
  }
  if (targets.length > 0) return { rules: [], setting: { policy: 'fail' }, leads: targets.map((id) => titleOf(document, id, catalog)).join(', ') };
  const around = document.nodes[document.nodes[nodeId]?.parent ?? '']?.config as { onChildError?: string } | undefined;
  const collected = around?.onChildError === 'collect_errors';
  const policy = document.settings?.errorPolicy ?? 'fail';
  return typeof policy === 'object' ? { rules: policy.rules, setting: { rules: policy.rules, collected } } : { rules: [], setting: { policy, collected } };
}

export interface ErrorTabProps {
  document: Workflow;
  nodeId: string;
  descriptor: NodeDescriptor | undefined;
  catalog: readonly NodeDescriptor[];
  diagnostics: readonly Diagnostic[];
  readOnly: boolean;
  onEdit: NodePanelProps['onEdit'];
  host?: ExpressionHost | undefined;
}

export function ErrorTab(props: ErrorTabProps) {
  return props.document.nodes[props.nodeId]?.type === 'builtin.error_handler' ? <HandlerTab {...props} /> : <StepTab {...props} />;
}

function StepTab({ document, nodeId, descriptor, catalog, diagnostics, readOnly, onEdit }: ErrorTabProps) {
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
  // No wire, a drawn one or this, crosses the border of a frame.
  const others = Object.keys(document.nodes).filter((id) => id !== nodeId && document.nodes[id]?.parent === node.parent);
  // What could be tried again was tried inside.
  const contains = descriptor?.role === 'loop' || descriptor?.role === 'parallel';
  const inherited = descriptor?.retryPolicy?.maxAttempts ?? RETRY_DEFAULTS.maxAttempts;

  function setOwn(on: boolean) {
    const value = on ? { ...RETRY_DEFAULTS, ...descriptor?.retryPolicy } : undefined;
    // An empty `errorHandling` would stay behind in the file.
    const lonely = !on && Object.keys(handling ?? {}).every((key) => key === 'retryPolicy');
    onEdit({ type: 'setNode', id: nodeId, path: lonely ? ['errorHandling'] : ['errorHandling', 'retryPolicy'], value: lonely ? undefined : value }, { label: t('error.own') });
  }
  function setOne(field: 'fallbackNodeId' | 'humanReviewThreshold' | 'autoFix', value: string | boolean | undefined, label: string) {
    const lonely = value === undefined && Object.keys(handling ?? {}).every((key) => key === field);
    onEdit({ type: 'setNode', id: nodeId, path: lonely ? ['errorHandling'] : ['errorHandling', field], value }, { label });
  }
  const setFallback = (target: string) => setOne('fallbackNodeId', target === '' ? undefined : target, t('error.fallback'));
  const deciders = decidersOf(document, nodeId, catalog);

  return (
    <FormScopeProvider value={scope}>
      <div className="panel-body">
        {contains && own === undefined ? <p className="s t2">{t('error.container')}</p> : <><label className="row">
          <Switch checked={own !== undefined} onChange={setOwn} label={t('error.own')} disabled={readOnly} />
          <span className="grow">{t('error.own')}<span className="s t3 block">{t('error.ownHint')}</span></span>
        </label>
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
        <WhatHappens policy={own} then={then} /></>}
        <div className="field">
          <span className="lab">{t('error.fallback')}</span>
          <Select label={t('error.fallback')} value={handling?.fallbackNodeId ?? ''} disabled={readOnly} onChange={setFallback}
            options={[{ value: '', label: t('error.fallbackNone') }, ...others.map((id) => ({ value: id, label: titleOf(document, id, catalog), hint: id }))]} />
          <span className="s t3">{t('error.fallbackHint')}</span>
          <Findings findings={diagnosticsAt(diagnostics, pointerOf('', ['nodes', nodeId, 'errorHandling', 'fallbackNodeId']), true)} />
        </div>
        <div className="field">
          <span className="lab">{t('threshold.label')}</span>
          <Select label={t('threshold.label')} value={handling?.humanReviewThreshold ?? ''} disabled={readOnly} onChange={(level) => setOne('humanReviewThreshold', level === '' ? undefined : level, t('threshold.label'))}
            options={[{ value: '', label: t(then.asks ? 'threshold.noneAsks' : then.wired ? 'threshold.noneWired' : typeof document.settings?.errorPolicy === 'object' ? 'threshold.noneRules' : 'threshold.none') }, ...LEVELS.map((level) => ({ value: level as string, label: t(`threshold.${level}`) }))]} />
          <span className="s t3">{t('threshold.hint')}</span>
        </div>
        <div className="field">
          <span className="lab">{t('autofix.label')}</span>
          <Segmented<'policy' | 'on' | 'off'> label={t('autofix.label')} value={handling?.autoFix === undefined ? 'policy' : handling.autoFix ? 'on' : 'off'}
            onChange={(next) => { if (!readOnly) setOne('autoFix', next === 'policy' ? undefined : next === 'on', t('autofix.label')); }}
            options={[{ value: 'policy', label: t('autofix.policy') }, { value: 'on', label: t('autofix.on') }, { value: 'off', label: t('autofix.off') }]} />
          <span className="s t3">{t('autofix.hint')}</span>
        </div>
        <DryRun workflowId={document.id} nodeIds={[nodeId]} titles={(id) => titleOf(document, id, catalog)} rules={deciders.rules}
          settingOf={() => ({ ...deciders.setting, ...ofStep(document, nodeId, catalog) })} leads={deciders.leads} />
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
