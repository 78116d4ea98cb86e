/** The tests of a workflow: how many pass in the bar, and a list with the differences of each. */

import { Popover } from '@base-ui/react/popover';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import { useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatNumber, t } from '../../i18n/index.ts';
import { Button, IconButton, SignalIcon, type Signal } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { TestEditor, type TestedWorkflow } from './test-editor.tsx';
import './workflow-tests.css';

type Report = Commands['test_run']['response'];
type Outcome = Report['tests'][number];
type Coverage = NonNullable<Report['coverage']>;

/** What a test that was run is called, and its sign. */
function stateOf(outcome: Outcome | undefined): [Signal, string] {
  if (!outcome) return ['idle', t('tests.notRun')];
  return outcome.result?.passed === true ? ['ok', t('tests.passed')] : ['err', t('tests.failed')];
}

/** Steps that are shown of a test. */
const MOST_STEPS = 30;

interface StepNames {
  /** Ids of the steps with their titles, in the order of the file. */
  titles: ReadonlyMap<string, string>;
  onShow(stepId: string): void;
}

const PARTS = { output: 'tests.part.output', status: 'tests.part.status', context: 'tests.part.context', assertions: 'tests.part.assertions' } as const;

/** What of the run a difference without a step is about. */
function partOf(field: string): (typeof PARTS)[keyof typeof PARTS] | 'tests.part.run' {
  const [name = ''] = field.split('/');
  return name in PARTS ? PARTS[name as keyof typeof PARTS] : 'tests.part.run';
}

/** Steps of a test: what differs first, then what was reached and is as expected. */
function StepMarks({ result, titles, onShow }: StepNames & { result: NonNullable<Outcome['result']> }) {
  const wrong = new Set(result.differences.flatMap((one) => one.step ?? []));
  // What no single step has come to.
  const parts = new Set(result.differences.flatMap((one) => (one.step === undefined ? [partOf(one.field)] : [])));
  const reached = new Set(result.coverage.steps);
  const right = [...titles.keys()].filter((id) => reached.has(id) && !wrong.has(id));
  const all = [...wrong, ...right];
  if (all.length === 0 && parts.size === 0) return null;
  return (
    <div className="tests-steps" role="group" aria-label={t('tests.steps', { name: plain(result.name) })}>
      {[...parts].map((part) => <span key={part} className="tests-step s"><SignalIcon signal="err" label={t('tests.stepDiffers')} />{t(part)}</span>)}
      {all.slice(0, MOST_STEPS).map((id) => (
        <button key={id} type="button" className="tests-step s" disabled={!titles.has(id)} title={t('tests.stepShow')} onClick={() => onShow(id)}>
          <SignalIcon signal={wrong.has(id) ? 'err' : 'ok'} label={t(wrong.has(id) ? 'tests.stepDiffers' : 'tests.stepFits')} />
          <bdi className="ell">{plain(titles.get(id) ?? id)}</bdi>
        </button>
      ))}
      {all.length > MOST_STEPS ? <span className="s t2">{t('tests.stepsMore', { n: formatNumber(all.length - MOST_STEPS) })}</span> : null}
    </div>
  );
}

export function TestsChip({ fileRef, titles, onShow, onProve, ...tested }: StepNames & TestedWorkflow & { fileRef: string; onProve?: (() => void) | undefined }) {
  const may = usePermission()('test_run');
  const mayEdit = usePermission()('test_save');
  const [open, setOpen] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const [saved, setSaved] = useState<{ file: string; notes: string[] } | null>(null);
  const { data: tests = [] } = useCommand('test_list', { ref: fileRef }, { enabled: may });
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [coverage, setCoverage] = useState<Coverage | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<ApiError | null>(null);
  async function run(files?: string[]) {
    setBusy(true);
    setFailed(null);
    try {
      const report = await call('test_run', { ref: fileRef, ...(files ? { files } : {}) });
      setOutcomes((before) => new Map([...(files ? before : []), ...report.tests.map((one): [string, Outcome] => [one.file, one])]));
      // Coverage of one test says nothing about all.
      setCoverage(files ? null : report.coverage ?? null);
    } catch (cause) {
      setFailed(toApiError(cause));
    }
    setBusy(false);
  }
  const ran = tests.flatMap((test) => outcomes.get(test.file) ?? []);
  const passed = ran.filter((one) => one.result?.passed === true).length;
  const signal: Signal | null = ran.length === 0 ? null : passed === ran.length ? 'ok' : 'err';
  if (!may) return null;
  return (
    <>
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={
        <button type="button" className="tests-chip s opt" title={t('tests.title')}>
          <span className="t2">{t('tests.label')}</span><b>{formatNumber(tests.length)}</b>{signal ? <SignalIcon signal={signal} /> : null}
        </button>
      } />
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={4} className="layer">
          <Popover.Popup className="pop tests-pop" aria-label={t('tests.title')}>
            <div className="tests-head">
              <div className="row"><b className="grow">{t('tests.title')}</b>
                {tests.length > 0 ? <Button small icon="play" busy={busy} onClick={() => void run()}>{t('tests.run')}</Button> : null}
              </div>
              <span className="s t2">{tests.length === 0 ? t('tests.none') : t('tests.hint')}</span>
              {onProve ? <span className="row gap1"><Button small icon="shield" onClick={() => { setOpen(false); onProve(); }}>{t('proof.action')}</Button></span> : null}
              {ran.length > 0 ? <span className="s">{t('tests.summary', { passed: formatNumber(passed), total: formatNumber(ran.length) })}</span> : null}
              {coverage ? <span className="s t2">{t('tests.coverage', { steps: coverage.stepsReached, allSteps: coverage.steps, ports: coverage.portsReached, allPorts: coverage.ports })}</span> : null}
              {failed ? <span className="s c-err">{t('tests.runFailed')}: <Pieces text={`${failed.message} ${failed.hint}`} /></span> : null}
            </div>
            {tests.length === 0 ? null : (
              <ul className="tests-list">
                {tests.map((test) => {
                  const outcome = outcomes.get(test.file);
                  const [sign, word] = stateOf(outcome);
                  const problem = outcome?.problem ?? test.problem;
                  return (
                    <li key={test.file}>
                      <div className="row">
                        <SignalIcon signal={problem === undefined ? sign : 'err'} label={word} />
                        <bdi className="grow ell" title={plain(test.file)}><Pieces text={test.name} /></bdi>
                        {mayEdit && test.problem === undefined ? <IconButton small icon="pencil" label={t('tests.editOne', { name: plain(test.name) })} disabled={busy} onClick={() => { setOpen(false); setSaved(null); setEditing(test.file); }} /> : null}
                        <IconButton small icon="play" label={t('tests.runOne', { name: plain(test.name) })} disabled={busy} onClick={() => void run([test.file])} />
                      </div>
                      {outcome?.result ? <StepMarks result={outcome.result} titles={titles} onShow={(id) => { setOpen(false); onShow(id); }} /> : null}
                      {saved?.file === test.file ? saved.notes.map((note) => <p key={note} className="s c-warn"><Pieces text={note} /></p>) : null}
                      {problem === undefined ? null : <p className="s c-err"><Pieces text={problem} /></p>}
                      {(outcome?.result?.differences ?? []).map((one) => <p key={`${one.step ?? ''} ${one.field} ${one.message}`} className="s c-err"><Pieces text={one.message} /></p>)}
                      {outcome?.result?.passed === false ? outcome.result.notes.map((note) => <p key={note} className="s t2"><Pieces text={note} /></p>) : null}
                    </li>
                  );
                })}
              </ul>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
    {editing === null ? null : (
      <TestEditor fileRef={fileRef} file={editing} titles={titles} {...tested} onClose={() => setEditing(null)}
        onSaved={(notes, wanted) => {
          setSaved({ file: editing, notes });
          setOutcomes((before) => new Map([...before].filter(([file]) => file !== editing)));
          setEditing(null);
          setOpen(true);
          if (wanted) void run([editing]);
        }} />
    )}
    </>
  );
}
