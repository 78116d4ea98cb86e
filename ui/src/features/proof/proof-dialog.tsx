/** The proof of the error handling of the workflow on the screen: how far it is, what each fault leads to, and what helps. */

import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import { queryClient, useCommand } from '../../api/queries.ts';
import type { Commands, Workflow } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatDateTime, formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, Dialog, EmptyState, SignalIcon, toast, type Signal } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import './proof.css';

export type ProofView = Commands['proof_get']['response'];
export type ProofReport = NonNullable<ProofView['last']>['report'];
export type FaultResult = ProofReport['results'][number];
export type ProofFix = NonNullable<FaultResult['fixes']>[number];
type Outcome = FaultResult['outcome'];

const GOOD: ReadonlySet<Outcome> = new Set(['noEffect', 'recovered', 'handled', 'asksPerson', 'cancelled']);
const SIGNALS: { readonly [O in Outcome]: Signal } = {
  noEffect: 'ok', recovered: 'ok', handled: 'ok', asksPerson: 'person', cancelled: 'stop', endsFailed: 'err', losesItems: 'err', overBudget: 'err', repeatsWrite: 'err', neverEnds: 'err',
};
const LOOK_MS = 400;
const isGood = (result: FaultResult) => GOOD.has(result.outcome);

export interface ProofProps {
  fileRef: string;
  document: Workflow;
  readOnly: boolean;
  /** The last proof is one of exactly this document. */
  current: boolean;
  titleOf(stepId: string): string;
  onFix(fix: ProofFix, stepId: string): void;
  onShow(stepId: string): void;
  onClose(): void;
}

export function ProofDialog(props: ProofProps) {
  const { fileRef, document, current, onClose } = props;
  const { data: view, error } = useCommand('proof_get', { ref: fileRef }, { refetchInterval: (query) => (query.state.data?.running ? LOOK_MS : false), staleTime: 0 });
  const [starting, setStarting] = useState(false);
  const [failed, setFailed] = useState<ApiError | null>(null);
  const running = view?.running;
  const start = async () => {
    setStarting(true);
    setFailed(null);
    try {
      const begun = await call('proof_start', { ref: fileRef, document });
      const key = ['proof_get', { ref: fileRef }];
      // A look that is under way may have been answered before the start.
      await queryClient.cancelQueries({ queryKey: key });
      queryClient.setQueryData(key, begun);
    } catch (cause) {
      setFailed(toApiError(cause));
    }
    setStarting(false);
  };
  // One press proves: a report that says nothing about what is on the screen is made anew.
  const tried = useRef(false);
  useEffect(() => {
    if (view === undefined || tried.current) return;
    tried.current = true;
    if (!view.running && !current) void start();
  });
  // What has ended is seen on the canvas.
  const was = useRef(false);
  useEffect(() => {
    const is = running !== undefined;
    if (was.current && !is) {
      for (const name of ['error_coverage', 'health_list', 'health_get']) void queryClient.invalidateQueries({ queryKey: [name] });
    }
    was.current = is;
  }, [running]);
  const busy = starting || running !== undefined;
  const report = view?.last?.report;
  const problem = failed ? `${failed.message} ${failed.hint}` : error?.message ?? view?.problem;
  return (
    <Dialog open onClose={onClose} title={t('proof.title')} closeLabel={t('proof.close')} width={880} footer={<>
      <span className="grow s t3">{t('proof.hint')}</span>
      {running ? <Button onClick={() => void call('proof_cancel', { ref: fileRef })}>{t('proof.cancel')}</Button> : <Button onClick={onClose} keys="Escape">{t('proof.close')}</Button>}
      {running ? null : <Button variant="primary" icon="shield" busy={busy} onClick={() => void start()}>{t(report ? 'proof.again' : 'proof.prove')}</Button>}
    </>}>
      <div className="proof">
        {problem !== undefined && !busy ? <Banner signal="err" title={t('proof.failed')}><span className="s t2"><Pieces text={problem} /></span></Banner> : null}
        {busy ? <Waiting done={running?.done ?? 0} total={running?.total ?? 0} /> : report
          ? <Report {...props} report={report} at={view?.last?.at ?? ''} />
          : problem === undefined ? <EmptyState title={t('proof.none')} text={t('proof.noneText')} /> : null}
      </div>
    </Dialog>
  );
}

function Waiting({ done, total }: { done: number; total: number }) {
  const words = total === 0 ? t('proof.starting') : t('proof.running', { done: formatNumber(done), total: formatNumber(total) });
  return (
    <div className="proof-wait" role="status">
      <span>{words}</span>
      <progress aria-label={words} max={Math.max(1, total)} {...(total === 0 ? {} : { value: done })} />
    </div>
  );
}

function Report({ report, at, current, ...rest }: ProofProps & { report: ProofReport; at: string }) {
  const { titleOf } = rest;
  const byStep = new Map<string, FaultResult[]>();
  for (const result of report.results) byStep.set(result.step, [...(byStep.get(result.step) ?? []), result]);
  // What is not handled is what somebody came for.
  const steps = [...byStep].toSorted(([, a], [, b]) => Number(a.every(isGood)) - Number(b.every(isGood)));
  const handled = Object.values(report.steps).reduce((sum, one) => sum + one.handled, 0);
  const share = report.tried === 0 ? 0 : (handled / report.tried) * 100;
  const troubled = report.base.filter((one) => one.problem !== undefined);
  const { pairs } = report;
  return (
    <>
      <div className="col gap1">
        <b className="proof-score">{report.score === undefined ? t('proof.nothing') : t('proof.score', { score: formatNumber(report.score), n: formatNumber(report.tried) })}</b>
        <div className="proof-bar" aria-hidden="true"><i style={{ width: `${String(share)}%` }} /><i className="bad" style={{ width: `${String(report.tried === 0 ? 0 : 100 - share)}%` }} /></div>
        <ul className="proof-totals s">
          {Object.entries(report.totals).map(([outcome, n]) => <li key={outcome} className="row gap1"><SignalIcon signal={SIGNALS[outcome as Outcome]} />{t(`proof.outcome.${outcome as Outcome}`)} {formatNumber(n)}</li>)}
        </ul>
        <span className="s t2">{t('proof.at', { when: formatDateTime(at), runs: formatNumber(report.runs) })}</span>
        {current ? null : <span className="s c-wait row gap1"><SignalIcon signal="warn" />{t('proof.outdated')}</span>}
        {troubled.map((one) => <span key={one.name} className="s c-wait"><Pieces text={`${t('proof.base', { name: one.name, status: one.status })} ${one.problem ?? ''}`} /></span>)}
      </div>
      {steps.map(([step, results]) => <Step key={step} step={step} results={results} {...rest} />)}
      {pairs.results.length === 0 ? null : (
        <section className="proof-step" aria-label={t('proof.pairs')}>
          <header><h3 className="grow">{t('proof.pairs')}</h3><span className="s t2">{t('proof.pairsOf', { handled: formatNumber(pairs.handled), tried: formatNumber(pairs.results.length), left: formatNumber(pairs.leftOut) })}</span></header>
          <Rows results={pairs.results} {...rest} />
        </section>
      )}
      {report.notTried.length === 0 ? null : (
        <section className="col gap1">
          <h3>{t('proof.notTried')}</h3>
          <ul className="proof-left s t2">
            {report.notTried.map((one) => (
              <li key={`${one.step ?? ''} ${one.reason}`}>
                {one.step === undefined ? null : <b>{one.faults === undefined ? titleOf(one.step) : t('proof.notTriedOf', { step: titleOf(one.step), n: tn('proof.faults', one.faults) })}</b>} <Pieces text={one.reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Step({ step, results, ...rest }: Omit<ProofProps, 'current'> & { step: string; results: FaultResult[] }) {
  const tried = results.reduce((sum, one) => sum + one.faults.length, 0);
  const handled = results.filter(isGood).reduce((sum, one) => sum + one.faults.length, 0);
  const title = rest.titleOf(step);
  return (
    <section className="proof-step" aria-label={title} data-step={step}>
      <header>
        <SignalIcon signal={handled === tried ? 'ok' : 'err'} />
        <h3 className="grow ell">{title}</h3>
        <span className="s t2">{handled === tried ? t('proof.allHandled', { n: formatNumber(tried) }) : t('proof.ofStep', { handled: formatNumber(handled), tried: formatNumber(tried) })}</span>
        <Button small variant="ghost" onClick={() => rest.onShow(step)}>{t('proof.show')}</Button>
      </header>
      <Rows results={results} {...rest} />
    </section>
  );
}

/** Those that are not handled; the others behind one line. */
function Rows({ results, ...rest }: Omit<ProofProps, 'current'> & { results: FaultResult[] }) {
  const bad = results.filter((one) => !isGood(one));
  const good = results.filter(isGood);
  // The same change helps several faults: it is offered once.
  const offered = new Set<string>();
  const fixesOf = (result: FaultResult) => (result.fixes ?? []).filter((fix) => {
    const key = JSON.stringify([fix.label, fix.edits, fix.port]);
    return offered.has(key) ? false : offered.add(key);
  });
  const row = (one: FaultResult) => <Row key={`${one.step} ${one.faults.join()} ${one.also?.step ?? ''} ${one.also?.faults.join() ?? ''} ${String(one.firstCallOnly)}`} result={one} fixes={fixesOf(one)} {...rest} />;
  return (
    <>
      {bad.length > 0 ? <ul>{bad.map(row)}</ul> : null}
      {good.length > 0 ? <details><summary>{tn('proof.handledRows', good.length)}</summary><ul>{good.map(row)}</ul></details> : null}
    </>
  );
}

/** The codes of each type of error together: `ToolError AUTH, HTTP_STATUS; crash`. */
function namesOf(faults: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const fault of faults) {
    const [, type = fault, code] = /^([A-Z][A-Za-z]+) (\S+)$/.exec(fault) ?? [];
    groups.set(type, [...(groups.get(type) ?? []), ...(code === undefined ? [] : [code])]);
  }
  return [...groups].map(([type, codes]) => (codes.length === 0 ? type : `${type} ${codes.join(', ')}`)).join('; ');
}

function faultWords(result: FaultResult, titleOf: (id: string) => string): string {
  const { also } = result;
  const own = `${namesOf(result.faults)}${result.firstCallOnly ? ` (${t('proof.firstOnly')})` : ''}`;
  return also === undefined ? own : t('proof.then', { first: `${titleOf(result.step)}: ${own}`, step: titleOf(also.step), second: namesOf(also.faults) });
}

function Row({ result, fixes, fileRef, document, readOnly, titleOf, onFix, onClose }: Omit<ProofProps, 'current'> & { result: FaultResult; fixes: readonly ProofFix[] }) {
  const [saving, setSaving] = useState(false);
  const words = faultWords(result, titleOf);
  const [fault = ''] = result.faults;
  const { also } = result;
  const save = async () => {
    setSaving(true);
    try {
      const name = t('proof.testName', { step: titleOf(result.step), fault: words }).slice(0, 120);
      const saved = await call('proof_save_test', {
        ref: fileRef, document, name, fault: { step: result.step, fault, firstCallOnly: result.firstCallOnly },
        ...(also === undefined ? {} : { also: { step: also.step, fault: also.faults[0] ?? '', firstCallOnly: false } }),
      });
      void queryClient.invalidateQueries({ queryKey: ['test_list'] });
      toast({ signal: 'ok', text: t('proof.saved', { file: plain(saved.file) }), ...(saved.notes[0] === undefined ? {} : { detail: plain(saved.notes[0]) }) });
    } catch (cause) {
      const { message, hint } = toApiError(cause);
      toast({ signal: 'err', text: t('proof.saveFailed'), detail: plain(`${message} ${hint}`) });
    }
    setSaving(false);
  };
  const fix = (one: ProofFix) => {
    onClose();
    onFix(one, result.failedStep ?? result.also?.step ?? result.step);
    toast({ signal: 'info', text: t('proof.fixed', { what: plain(one.label) }), detail: t('proof.fixedText') });
  };
  return (
    <li className="proof-row" data-outcome={result.outcome}>
      <span className="word"><SignalIcon signal={SIGNALS[result.outcome]} />{t(`proof.outcome.${result.outcome}`)}</span>
      <div className="col">
        <bdi className="faults"><Pieces text={words} /></bdi>
        <bdi className="s t2 faults"><Pieces text={result.message} /></bdi>
      </div>
      <span className="acts">
        {readOnly ? null : fixes.map((one) => <Button key={one.label} small icon="wrench" onClick={() => fix(one)}>{plain(one.label)}</Button>)}
        {readOnly ? null : <Button small variant="ghost" icon="okc" busy={saving} title={t('proof.saveTestOf', { fault: plain(words), step: titleOf(result.step) })} onClick={() => void save()}>{t('proof.saveTest')}</Button>}
      </span>
    </li>
  );
}
