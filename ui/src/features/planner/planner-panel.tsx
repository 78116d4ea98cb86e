/** The planner beside the canvas: a conversation, what is under way, and a proposal to accept or reject. */
import './planner.css';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { PlanExplanation, PlanView } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { formatNumber, t, type MessageKey } from '../../i18n/index.ts';
import { Badge, Banner, Button, IconButton, SignalIcon, TextArea } from '../../kit/index.ts';
import type { Part } from './changes.ts';
import { Said, StepLink, type Links } from './message.tsx';
import { TryDialog } from './try-dialog.tsx';

export interface PlannerProps extends Links {
  view: PlanView | undefined;
  parts: readonly Part[];
  readOnly: boolean;
  /** A run is on the canvas. */
  hasRun: boolean;
  busy: boolean;
  explanation: PlanExplanation | null;
  onAsk(text: string, asks: boolean): Promise<boolean>;
  onExplain(ofRun: boolean): void;
  onTry(allowed: string[]): void;
  onCancel(): void;
  onForget(): void;
  onAccept(parts: readonly Part[]): void;
  onReject(parts: readonly Part[]): void;
  onSettings(): void;
  onSamples(): void;
  onClose(): void;
}

const TONE = { new: 'ok', changed: 'info', removed: 'err', wires: 'info', workflow: 'info' } as const;

export function PlannerPanel(props: PlannerProps) {
  const { view, parts, busy, readOnly, explanation, titleOf } = props;
  const [text, setText] = useState('');
  const [trying, setTrying] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => field.current?.querySelector('textarea')?.focus(), []);
  const count = view?.messages.length ?? 0;
  useEffect(() => { end.current?.scrollIntoView?.({ block: 'nearest' }); }, [count, explanation, view?.working?.stage]);
  const working = view?.working;
  const proposal = parts.length > 0 ? view?.proposal : undefined;
  const send = async (asks: boolean) => {
    if (text.trim() !== '' && await props.onAsk(text, asks)) setText('');
  };
  const name = (part: Part): string => (part.step === undefined ? t(`plan.part.${part.kind}`) : plain(titleOf(part.step)));
  return (
    <section className="pl" aria-label={t('plan.title')} data-scope="panel">
      <header className="pl-head"><b className="grow">{t('plan.title')}</b>
        {count > 0 || view?.proposal ? <Button small variant="ghost" disabled={working !== undefined} onClick={props.onForget}>{t('plan.forget')}</Button> : null}
        <IconButton icon="x" label={t('plan.close')} onClick={props.onClose} />
      </header>
      <div className="pl-body">
        {view && !view.model ? (
          <Banner signal="info" title={t('plan.noModel')} actions={<>
            <Button variant="primary" onClick={props.onSettings}>{t('plan.noModelSettings')}</Button>
            <Button onClick={props.onSamples}>{t('plan.noModelSamples')}</Button>
          </>}>
            <span className="s t2">{t('plan.noModelText')}</span>
          </Banner>
        ) : count === 0 ? <p className="t2">{t('plan.intro')}</p> : null}
        {view?.messages.map((message, index) => <Said key={`${message.at}-${String(index)}`} message={message} titleOf={titleOf} onStep={props.onStep} onEvent={props.onEvent} />)}
        {working ? (
          <div className="pl-said" role="status">
            <span className="row gap1"><SignalIcon signal="run" />{t(stageKey(working.stage))}</span>
            {working.steps.map((step, index) => <span key={`${String(index)}-${step}`} className="s t2">{String(index + 1)}. {plain(step)}</span>)}
            <span className="s t3">{t('plan.stageCost', { n: formatNumber(working.questionTokens), used: formatNumber(working.usage.inputTokens + working.usage.outputTokens) })}</span>
            <div className="row"><Button small icon="stop" onClick={props.onCancel}>{t('plan.cancel')}</Button></div>
          </div>
        ) : null}
        {explanation ? <Explained told={explanation} {...props} /> : null}
        {proposal && !working ? (
          <section className="pl-lines" aria-label={t('plan.proposal')}>
            <b>{t('plan.proposal')}</b>
            <div className="pl-parts">
              {parts.map((part) => (
                <div key={part.key} className="pl-part" data-part={part.key}>
                  <Badge signal={TONE[part.kind]}>{t(`plan.part.${part.kind}`)}</Badge>
                  <span className="ell">{part.step === undefined ? '' : <StepLink step={part.step} titleOf={titleOf} onStep={props.onStep} />}</span>
                  <IconButton small icon="check" label={t('plan.accept', { name: name(part) })} disabled={readOnly || busy} onClick={() => props.onAccept([part])} />
                  <IconButton small icon="x" label={t('plan.reject', { name: name(part) })} disabled={busy} onClick={() => props.onReject([part])} />
                </div>
              ))}
            </div>
            <div className="row wrap gap1">
              <Button variant="primary" disabled={readOnly || busy} onClick={() => props.onAccept(parts)}>{t('plan.acceptAll')}</Button>
              <Button disabled={busy} onClick={() => props.onReject(parts)}>{t('plan.rejectAll')}</Button>
              <Button icon="play" disabled={busy} onClick={() => setTrying(true)}>{t('plan.try')}</Button>
            </div>
          </section>
        ) : null}
        <div ref={end} />
      </div>
      <div className="pl-ask" ref={field}>
        <div className="row wrap gap1">
          <Button small disabled={busy} onClick={() => props.onExplain(false)}>{t('plan.explainWorkflow')}</Button>
          {props.hasRun ? <Button small disabled={busy} onClick={() => props.onExplain(true)}>{t('plan.explainRun')}</Button> : null}
        </div>
        {view?.model ? <>
          <TextArea aria-label={t(proposal ? 'plan.refine' : 'plan.ask')} placeholder={t('plan.placeholder')} value={text} onChange={setText} maxLength={20_000}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                void send(readOnly);
              }
            }} />
          <span className="s t3">{readOnly ? t('plan.readOnly') : t('plan.cost', { provider: view.model.provider, model: view.model.model })}</span>
          <div className="row gap1">
            <Button variant="primary" icon="spark" disabled={readOnly || working !== undefined || text.trim() === ''} busy={busy} onClick={() => void send(false)}>{t('plan.send')}</Button>
            <Button title={t('plan.questionHint')} disabled={working !== undefined || busy || text.trim() === ''} onClick={() => void send(true)}>{t('plan.question')}</Button>
          </div>
        </> : null}
      </div>
      {trying && proposal ? <TryDialog calls={proposal.calls} onClose={() => setTrying(false)} onTry={(allowed) => { setTrying(false); props.onTry(allowed); }} /> : null}
    </section>
  );
}

const STAGES: ReadonlySet<string> = new Set(['outline', 'generate', 'repair', 'runtime_fix', 'metadata', 'explain', 'try']);
const stageKey = (stage: string): MessageKey => `plan.stage.${STAGES.has(stage) ? stage : ''}` as MessageKey;

function Explained({ told, titleOf, onStep, onEvent }: { told: PlanExplanation } & Links): ReactNode {
  const ofRun = told.runId !== undefined;
  return (
    <section className="pl-lines" aria-label={t(ofRun ? 'plan.explainedRun' : 'plan.explained')}>
      <b>{t(ofRun ? 'plan.explainedRun' : 'plan.explained')}</b>
      {told.lines.length === 0 ? <span className="t2">{t(ofRun ? 'plan.explainNone' : 'plan.explainEmpty')}</span> : null}
      {told.lines.map((line, index) => (
        <div key={`${String(line.seq ?? index)}-${line.step ?? ''}`} className="pl-said">
          <span>{line.step === undefined ? null : <StepLink step={line.step} titleOf={titleOf} onStep={onStep} />}{line.seq !== undefined && told.runId !== undefined
            ? <> · <button type="button" className="pl-link s" onClick={() => onEvent(told.runId ?? '', line.seq ?? 0)}>{t('plan.event', { n: line.seq })}</button></> : null}</span>
          <span className="s t2">{line.code === undefined ? '' : `${line.code}: `}{plain(line.text)}</span>
        </div>
      ))}
    </section>
  );
}
