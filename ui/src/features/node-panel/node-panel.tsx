// The right panel: settings of the chosen step, its data, its error handling; or the settings of the workflow.

import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import { useLatest } from '../../code/use-latest.ts';
import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Button, EmptyState, Icon, Tabs } from '../../kit/index.ts';
import { diagnosticsAt, pointerOf, Findings } from '../../schema-form/index.ts';
import { seenIn } from '../../shared/conditions/condition-editor.tsx';
import { formatPath } from '../../shared/format-path.ts';
import { usePins } from '../../shared/pins.ts';
import { splitPort } from '../../shared/step-ids.ts';
import { DataTab } from './data-tab.tsx';
import { defaultMode } from './default-mode.ts';
import { EarlierData } from './earlier-data.tsx';
import { earlierSteps } from './earlier-steps.ts';
import { ErrorTab } from './error-tab.tsx';
import { canTryRequest } from './try-request.ts';
import { useExpressionHost } from './expression-host.ts';
import { useFullValues } from './full-values.ts';
import { servedSteps } from './handler-tab.tsx';
import type { IncomingStep } from './incoming-field.tsx';
import { listFieldOf } from './list-field.ts';
import { PanelHeader } from './panel-header.tsx';
import { PinBand, pinnedValues } from './pin-band.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { showsNext, useArriving, useStepData, type StepDataState, type StepValues } from './step-data.ts';
import { RETRY_DEFAULTS, hasErrorPort, thenOf, titleOf } from './then-words.ts';
import type { NodePanelProps, PanelTab } from './types.ts';
import { useNewErrors } from './use-new-errors.ts';
import { WorkflowPanel } from './workflow-panel.tsx';
import './panel.css';

/** Above this width data stands beside the settings. */
const WIDE = 840;

export function NodePanel(props: NodePanelProps) {
  const { document, selected } = props;
  useNewErrors(props.run);
  const known = selected.filter((id) => Object.hasOwn(document.nodes, id));
  const only = known.length === 1 ? known[0] : undefined;
  if (only !== undefined) return <OneNode {...props} nodeId={only} key={only} />;
  if (known.length > 1) {
    return (
      <aside className="pane node-panel" aria-label={t('panel.label')}>
        <EmptyState title={tn('panel.many', known.length)} text={t('panel.manyText')} />
      </aside>
    );
  }
  return <WorkflowPanel {...props} />;
}

function OneNode(props: NodePanelProps & { nodeId: string }) {
  const { document, nodeId, catalog, diagnostics, onEdit, run, readOnly = false } = props;
  const node = document.nodes[nodeId];
  const around = props.settled ?? document;
  const descriptor = catalog.find((one) => one.type === node?.type);
  const [own, setOwn] = useState<PanelTab>(node?.type === 'builtin.error_handler' ? 'error' : 'settings');
  const tab = props.tab ?? own;
  const setTab = (next: PanelTab) => {
    setOwn(next);
    props.onTab?.(next);
  };
  const tabNow = useLatest(setTab);
  const openErrors = useCallback(() => tabNow.current('error'), [tabNow]);
  const pins = usePins();
  const ran = useStepData(document.id, nodeId, run, props.at?.nodeId === nodeId ? props.at.path : undefined);
  // Runs in the builder put out what is pinned; an old run shows what it put out.
  const pinFile = readOnly || !pins || Object.keys(pins.steps).length === 0 ? undefined : pins.fileRef;
  const data = useFullValues(useArriving(around, nodeId, run, ran, readOnly ? undefined : pins?.steps, pinFile));
  const values = data.kind === 'data' ? data.values : null;
  // The rules of a handler are asked about the call that failed: their names are those of its step.
  const about = node?.type === 'builtin.error_handler' ? servedSteps(around, nodeId)[0] ?? nodeId : nodeId;
  const theirs = useFullValues(useStepData(document.id, about, run, props.at?.nodeId === about || props.at?.nodeId === nodeId ? props.at.path : undefined));
  const seen = theirs.kind === 'data' ? theirs.values : null;
  const seenPins = pinFile !== undefined && showsNext(theirs) ? pinFile : undefined;
  const pinned = seenPins === undefined ? '' : Object.values(pins?.steps ?? {}).map((one) => one.pinnedAt).join(' ');
  const revision = seen ? `${seen.runId} ${seen.path ?? ''} ${String(seen.input.length)} ${String(seen.running)} ${pinned}` : `${theirs.kind} ${pinned}`;
  const asked = useExpressionHost(document, about, run?.runId || undefined, seen?.path, revision, seenPins);
  // A step that has not run yet is asked about what would arrive.
  const input = about === nodeId ? values?.input : seen?.input;
  const host = useMemo(() => ({ ...asked, ...(input?.length ? { seen: seenIn(input.map((one) => one.data)) } : {}) }), [asked, input]);
  const box = useRef<HTMLElement>(null);
  const wide = useWide(box);
  const shown = wide && (tab === 'input' || tab === 'output') ? 'settings' : tab;
  const before = useMemo(() => earlierSteps(around, about).map((id) => ({ id, title: titleOf(around, id, catalog) })), [around, about, catalog]);
  const incoming = useMemo(() => incomingSteps(around, nodeId, catalog), [around, nodeId, catalog]);
  const draft = useCallback(() => document, [document]);
  const pin = pins?.steps[nodeId];
  const [side, setSide] = useState<'pinned' | 'run'>(readOnly ? 'run' : 'pinned');
  const pinnedData = useMemo<StepDataState | null>(() => (pin ? { kind: 'data', values: pinnedValues(pin) } : null), [pin]);
  const each = (node?.mode ?? (descriptor ? defaultMode(descriptor, node?.config) : undefined)) === 'each';
  const earlier = useMemo(() => (before.length > 0 ? <EarlierData steps={before} each={each} host={host} draggable={!readOnly} /> : undefined), [before, each, host, readOnly]);
  const { onShown } = props;
  useEffect(() => {
    onShown?.(shown);
    return () => onShown?.(null);
  }, [shown, onShown]);
  if (!node) return null;

  // In the builder what is pinned is what runs put out from now on; an old run shows what it put out.
  const shownOut = pinnedData && side === 'pinned' ? pinnedData : data;
  const out = shownOut.kind === 'data' ? shownOut.values : null;
  const counts = { input: values && Math.max(values.input.length, values.counts?.input ?? 0), output: out ? countOut(out) : undefined };
  const pointer = pointerOf('', ['nodes', nodeId]);
  const tabs = [
    { id: 'settings' as const, label: t('panel.tab.settings') },
    ...(wide ? [] : [
      { id: 'input' as const, label: t('panel.tab.input'), ...(counts.input ? { count: formatNumber(counts.input) } : {}) },
      { id: 'output' as const, label: t('panel.tab.output'), ...(counts.output ? { count: formatNumber(counts.output) } : {}) },
    ]),
    { id: 'error' as const, label: t('panel.tab.error'), ...retries(ownRetries(node, descriptor)) },
  ];
  const where = values?.path && formatPath(values.path, (id) => titleOf(around, id, catalog));
  const portTitles = Object.fromEntries((descriptor?.ports ?? []).flatMap((port) => (port.title === undefined ? [] : [[port.id, port.title]])));
  const { onEachEntry } = props;
  const list = readOnly || !onEachEntry ? null : listIn(node, out);
  const eachEntry = list === null || !onEachEntry ? undefined : () => onEachEntry(nodeId, list);
  const ports = outputPorts(descriptor, values);
  const band = pins && ports.length > 0 ? <PinBand pins={pins} nodeId={nodeId} title={titleOf(around, nodeId, catalog)} node={node} ports={ports} portTitles={portTitles} state={data} side={side} onSide={setSide} /> : undefined;
  const { onTry } = props;
  const tryIt = onTry && !readOnly && !counts.output && canTryRequest(document, nodeId, catalog) ? (
    <div className="row wrap"><Button icon="play" onClick={() => onTry(nodeId)}>{t('data.tryRequest')}</Button><span className="s t3">{t('data.tryRequestText')}</span></div>
  ) : undefined;
  // Who sets a step up needs to see what arrives: without data there is nothing to choose from.
  const [only, ...others] = incoming;
  const unseen = !values && (data.kind === 'none' || (data.kind === 'not_called' && !data.yet));
  const runEarlier = onTry && !readOnly && unseen && only && others.length === 0 ? (
    <div className="row wrap"><Button small icon="play" onClick={() => onTry(only.id)}>{t('data.runEarlier')}</Button><span className="s t3">{t('data.runEarlierText')}</span></div>
  ) : undefined;
  const inputData = <DataTab readOnly={readOnly} nodeId={nodeId} side="input" state={data} where={where} item={host.item} onItem={host.setItem} root="item" head={runEarlier} foot={earlier} />;
  const head = tryIt || band ? <>{tryIt}{band}</> : undefined;
  const output = <DataTab readOnly={readOnly} onEachEntry={eachEntry} nodeId={nodeId} side="output" state={shownOut} head={head} where={where} item={host.item} onItem={host.setItem} root="_result" portTitles={portTitles} />;
  const settings = <SettingsTab nodeId={nodeId} node={node} descriptor={descriptor} diagnostics={diagnostics} host={host} contextSchema={document.context?.schema} model={document.settings?.model} skills={{ workflowId: document.id, folder: document.settings?.skills }} incoming={incoming} readOnly={readOnly} draft={draft} onEdit={onEdit} />;
  return (
    <aside className="pane node-panel" aria-label={t('panel.label')} ref={box}>
      <PanelHeader {...props} document={around} settled={undefined} node={around.nodes[nodeId] ?? node} descriptor={descriptor} />
      <Findings findings={diagnosticsAt(diagnostics, pointer, false)} />
      <Tabs<PanelTab> tabs={tabs} value={shown} onChange={setTab} label={t('panel.tabs')}>
        {shown === 'settings' && wide ? (
          <div className="panel-wide">
            <section aria-label={t('data.input')}><h3 className="cap panel-cap">{t('data.input')}</h3>{inputData}</section>
            <section aria-label={t('panel.tab.settings')}>{settings}</section>
            <section aria-label={t('data.output')}><h3 className="cap panel-cap">{t('data.output')}</h3>{output}</section>
          </div>
        ) : shown === 'settings' ? (
          <div className="panel-split">
            <div className="panel-scroll">{settings}</div>
            {values && values.input.length > 0 ? (
              <details className="more panel-fields">
                <summary className="cap">{t('data.input')}</summary>
                {inputData}
              </details>
            ) : runEarlier ? <div className="panel-nodata">{runEarlier}</div> : null}
          </div>
        ) : shown === 'input' ? inputData : shown === 'output' ? output : (
          <ErrorTab document={document} nodeId={nodeId} descriptor={descriptor} catalog={catalog} diagnostics={diagnostics} readOnly={readOnly} host={host} onEdit={onEdit} />
        )}
      </Tabs>
      <Foot document={around} nodeId={nodeId} catalog={catalog} descriptor={descriptor} onOpen={openErrors} />
    </aside>
  );
}

/** The ports that can be pinned: those of the kind, or, where the settings make them, those that something came out of. */
function outputPorts(descriptor: NodeDescriptor | undefined, values: StepValues | null): string[] {
  const fixed = descriptor && !descriptor.dynamicPorts && descriptor.role !== 'recovery' ? descriptor.ports.map((port) => port.id) : [];
  return [...new Set([...fixed, ...Object.keys(values?.output ?? {})])].filter((port) => port !== 'error');
}

/** The list in the first item that the step's main port gave. */
function listIn(node: WorkflowNode, values: StepValues | null): string | null {
  const first = values?.output['success']?.[0];
  return first ? listFieldOf(node, first.data) : null;
}

/** Steps whose wires lead here, each once, in the order of the wires. */
function incomingSteps(document: Workflow, nodeId: string, catalog: readonly NodeDescriptor[]): IncomingStep[] {
  const ids = document.edges.filter((edge) => edge.to === nodeId).map((edge) => splitPort(edge.from).node);
  return [...new Set(ids)].map((id) => ({ id, title: titleOf(document, id, catalog) }));
}

/** What a run does where the number is left out of a policy, too. */
const ownRetries = (node: WorkflowNode | undefined, descriptor: NodeDescriptor | undefined): number | undefined => {
  const own = node?.errorHandling?.retryPolicy;
  return own && (own.maxAttempts ?? descriptor?.retryPolicy?.maxAttempts ?? RETRY_DEFAULTS.maxAttempts);
};
const countOut = ({ output, counts }: StepValues) => Object.entries(output).reduce((n, [port, list]) => n + Math.max(list.length, counts?.output[port] ?? 0), 0);
const retries = (n: number | undefined) => (n === undefined || n <= 0 ? {} : { count: n });

/** One line that says where an error of this step goes. */
const Foot = memo(function Foot({ document, nodeId, catalog, descriptor, onOpen }: Pick<NodePanelProps, 'document' | 'catalog'> & { nodeId: string; descriptor: NodeDescriptor | undefined; onOpen: () => void }) {
  if (!hasErrorPort(descriptor)) return null;
  const then = thenOf(document, nodeId, catalog);
  const n = ownRetries(document.nodes[nodeId], descriptor);
  const text = n !== undefined && n > 0 ? tn('foot.retries', n, { next: then.text }) : t('foot.none', { next: then.text.replace(/^then /, '') });
  return (
    <button type="button" className="panel-foot row s t2" onClick={onOpen}>
      <svg width="12" height="12" aria-hidden="true"><path d="M6 1l5 5-5 5-5-5z" fill={then.wired ? 'var(--wire-err)' : 'none'} stroke={then.wired ? 'none' : 'var(--wire-safe)'} strokeWidth="1.5" /></svg>
      <span className="grow">{text}</span>
      <Icon name="right" size={12} className="t3" />
    </button>
  );
});

function useWide(box: { current: HTMLElement | null }): boolean {
  const [wide, setWide] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver((entries) => setWide((entries[0]?.contentRect.width ?? 0) >= WIDE));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return wide;
}
