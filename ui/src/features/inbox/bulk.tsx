// One decision, or one correction, for many tasks: each is seen before anything is sent, each gets its own record.

import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { shortRunId } from '../../shared/run-status.tsx';
import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Badge, Button, Checkbox, Field, Icon, Segmented, TextArea, VirtualList } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { at, type Operation } from '../../shared/evidence/patch.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { withoutSecrets } from '../../shared/secret-paths.ts';
import type { JsonSchema } from '../../api/types.ts';
import { tooLong } from './bounds.ts';
import { anyUsedUp } from './budget.ts';
import { isToolCall } from './tool-call.tsx';
import type { BulkDraft, Correction } from './undo-send.ts';
import type { TaskAction, TaskRow } from './types.ts';
import { useFits, type Fit } from './use-fits.ts';
import { ACTION_ICON, actionText, isAction, pathText } from './words.ts';

/** Sent at once, after one confirmation each by the table. */
const ORDER: TaskAction[] = ['retry', 'approve', 'skip', 'reject', 'abort'];

export interface BulkHandle { can(action: TaskAction): boolean; send(action: TaskAction): void }
export interface BulkProps {
  tasks: readonly TaskRow[];
  /** How many more were chosen that somebody else has. */
  theirs?: number;
  /** The correction of the task that was open, when it changes something. */
  correction: Correction | null;
  /** What was set in it before its decision was taken back. */
  begun?: BulkDraft | undefined;
  keysOf(action: TaskAction): string | undefined;
  onSend(action: TaskAction, ids: string[], draft: BulkDraft, patch?: Operation[]): void;
  onClear(): void;
  /** Keys reach the panel through this. */
  handle(handle: BulkHandle): void;
}

export function Bulk({ tasks, theirs = 0, correction, begun, keysOf, onSend, onClear, handle }: BulkProps) {
  // Those that take no correction stay in the inbox, and the table says why.
  const corrects = correction !== null && tasks.some((task) => task.allowedActions.includes('correct'));
  const [mode, setMode] = useState(begun?.mode ?? 'correct');
  const correcting = corrects && mode === 'correct';
  const [off, setOff] = useState<ReadonlySet<string>>(begun?.off ?? new Set());
  const [notes, setNotes] = useState(begun?.notes ?? '');
  const ids = useMemo(() => tasks.map((task) => task.id), [tasks]);
  const { fits, left } = useFits(ids, correcting ? correction.patch : null);
  const good = (task: TaskRow) => !off.has(task.id) && (!correcting || fits.get(task.id)?.state === 'fits');
  const chosen = tasks.filter(good);
  const fitting = tasks.filter((task) => fits.get(task.id)?.state === 'fits').length;
  const not = fits.size - fitting;

  const one = new Set(tasks.map((task) => task.fingerprint)).size === 1;
  const runs = new Set(tasks.map((task) => task.runId)).size;
  const workflows = [...new Set(tasks.map((task) => task.workflowName))];
  const items = tasks.reduce((sum, task) => sum + Math.max(1, task.cases), 0);
  const usedUp = anyUsedUp(tasks);
  const stays = (action: TaskAction) => !(action === 'approve' && tasks.some(isToolCall));
  const actions: TaskAction[] = [...(correcting ? ['correct' as const] : []), ...ORDER.filter((action) => stays(action) && tasks.length > 0 && tasks.every((task) => task.allowedActions.filter(isAction).includes(action)))];
  const long = tooLong(notes);
  const can = (action: TaskAction) => long === undefined && chosen.length > 0 && actions.includes(action) && (action !== 'correct' || left === 0);
  const send = (action: TaskAction) => {
    if (can(action)) onSend(action, (action === 'correct' ? chosen : tasks.filter((task) => !off.has(task.id))).map((task) => task.id), { mode, off, notes }, action === 'correct' ? correction?.patch : undefined);
  };
  // What most likely fails again is done by its button only.
  const keyed = (action: TaskAction) => !(action === 'retry' && usedUp);
  useEffect(() => handle({ can: (action) => can(action) && keyed(action), send }));
  const toggle = (id: string) => {
    const next = new Set(off);
    if (!next.delete(id)) next.add(id);
    setOff(next);
  };
  const sample = correction?.patch.filter((operation) => operation.op !== 'test') ?? [];
  return (
    <section className="ib-det ib-bulk" aria-label={t('inbox.bulk.label')}>
      <header className="ib-hd">
        <span className="tile t32 k-person"><Icon name="copy" /></span>
        <div className="col"><h2 className="l ell">{one ? tn(tasks[0]?.kind === 'decision' ? 'inbox.bulk.same' : 'inbox.bulk.sameAsk', tasks.length) : tn('inbox.bulk.chosen', tasks.length)}{items > tasks.length ? ` ${t('inbox.bulk.items', { n: formatNumber(items) })}` : ''}</h2>
          <span className="s t2"><SafeText text={`${one ? `${tasks[0]?.title ?? ''}, ` : ''}${tn('inbox.bulk.runs', runs, { workflows: workflows.slice(0, 3).join(', ') })} ${t('inbox.bulk.records')}`} cut={300} /></span></div>
        {corrects ? <Segmented<'correct' | 'same'> small label={t('inbox.bulk.mode')} value={mode} onChange={setMode} options={[{ value: 'correct', label: t('inbox.bulk.correct') }, { value: 'same', label: t('inbox.bulk.decide') }]} /> : null}
      </header>
      <div className="ib-bulk-body">
        {correcting ? (
          <div className="row ib-bulk-what"><span className="t2">{t('inbox.bulk.change')}</span>
            <span className="ell mono s">{sample.slice(0, 4).map((operation) => <Op key={`${operation.op}${operation.path}`} operation={operation} schema={correction.schema} />)}{sample.length > 4 ? ` +${String(sample.length - 4)}` : ''}</span>
            <span className="end row s" role="status">
              {left > 0 ? <span className="t2 row gap1"><Icon name="arc" size={12} spin />{tn('inbox.bulk.checking', left)}</span> : null}
              <span className="c-ok row gap1"><Icon name="okc" size={12} />{tn('inbox.bulk.fit', fitting)}</span>
              {not > 0 ? <span className="c-err row gap1"><Icon name="errd" size={12} />{tn('inbox.bulk.notFit', not)}</span> : null}
            </span>
          </div>
        ) : null}
        <div className={`ib-res ib-res-head ${correcting ? '' : 'same'}`} aria-hidden="true"><span /><span>{t('inbox.bulk.run')}</span><span>{t('inbox.bulk.task')}</span>{correcting ? <><span>{t('inbox.bulk.original')}</span><span>{t('inbox.bulk.corrected')}</span><span>{t('inbox.bulk.check')}</span></> : <span>{t('inbox.bulk.step')}</span>}</div>
        <VirtualList grid label={t('inbox.bulk.table')} items={tasks} rowHeight={32} keyOf={(task) => task.id}
          row={(task) => (
            <div className={`ib-res ${correcting ? '' : 'same'}`} role="presentation">
              <span role="gridcell"><Checkbox checked={good(task)} disabled={correcting && fits.get(task.id)?.state !== 'fits'} label={t('inbox.choose', { title: `${plain(task.title)} ${shortRunId(task.runId)}` })} onChange={() => toggle(task.id)} /></span>
              <span role="gridcell" className="t2 mono">{shortRunId(task.runId)}</span>
              <What task={task} withError={!correcting} />
              {correcting ? <FitCells fit={fits.get(task.id)} patch={sample} schema={correction.schema} /> : <span role="gridcell" className="t2"><SafeText line text={task.nodeTitle} /></span>}
            </div>
          )} />
        <div className="ib-bulk-note"><Field label={t('inbox.note')} hint={t('inbox.bulk.noteHint')} error={long}>{({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} value={notes} onChange={setNotes} rows={2} data-note />}</Field></div>
      </div>
      <footer className="ib-act">
        <b className="nw">{t('inbox.bulk.count', { n: chosen.length, all: tasks.length })}</b><span className="vr" />
        {actions.map((action, index) => (
          <Button key={action} variant={index === 0 && action !== 'abort' && action !== 'reject' ? 'primary' : action === 'abort' || action === 'reject' ? 'danger' : 'default'} icon={ACTION_ICON[action]} keys={keyed(action) ? keysOf(action) : undefined} disabled={!can(action)} onClick={() => send(action)}>
            {t('inbox.bulk.action', { action: actionText(action), n: action === 'correct' ? chosen.length : tasks.length - [...off].filter((id) => ids.includes(id)).length })}
          </Button>
        ))}
        {usedUp && actions.includes('retry') ? <span className="t2">{t('inbox.bulk.usedUp')}</span> : actions.length || tasks.length === 0 ? null : <span className="t2">{t('inbox.bulk.nothing')}</span>}
        {theirs > 0 ? <span className="t2">{tasks.length === 0 ? t('inbox.bulk.allTheirs') : tn('inbox.bulk.theirs', theirs)}</span> : null}
        <span className="grow" />
        <Button variant="ghost" keys="Escape" onClick={onClear}>{t('inbox.bulk.clear')}</Button>
      </footer>
    </section>
  );
}

/** What tells one row from the next: title and item first, then for how many it stands; what they have in common comes last. */
function What({ task, withError }: { task: TaskRow; withError: boolean }) {
  const item = task.item === undefined ? '' : t('inbox.item', { n: task.item + 1 });
  return (
    <span role="gridcell" className="ib-bulk-task" title={plain([task.title, item, task.errorMessage ?? ''].filter(Boolean).join(' · '))}>
      <b className="ib-bulk-title"><SafeText line text={task.title} /></b>
      {item ? <span className="t2 nw">{item}</span> : null}
      {task.cases > 1 ? <Badge>{t('inbox.andMore', { n: formatNumber(task.cases - 1) })}</Badge> : null}
      {withError && task.errorMessage && task.errorMessage !== task.title ? <span className="t2 ib-bulk-why"><SafeText line text={task.errorMessage} /></span> : null}
    </span>
  );
}

function Op({ operation, schema }: { operation: Operation; schema: JsonSchema }): ReactNode {
  const value = 'value' in operation ? ` = ${JSON.stringify(withoutSecrets(schema, operation.value, operation.path))}` : '';
  return <code className="badge"><SafeText line text={`${operation.op === 'remove' ? '− ' : ''}${pathText(operation.path)}${operation.op === 'remove' ? '' : value}`} /></code>;
}

function FitCells({ fit, patch, schema }: { fit: Fit | undefined; patch: Operation[]; schema: JsonSchema }) {
  const show = (value: unknown) => patch.slice(0, 4).map((operation) => { const found = at(value, operation.path); return found === undefined ? t('inbox.bulk.empty') : JSON.stringify(withoutSecrets(schema, found, operation.path)); }).join(', ');
  if (!fit) return <><span role="gridcell" className="sk" /><span role="gridcell" /><span role="gridcell" className="t3">{t('inbox.bulk.wait')}</span></>;
  return (
    <>
      <span role="gridcell" className="mono"><SafeText line text={show(fit.before)} /></span>
      <span role="gridcell" className="mono">{fit.after === undefined ? <span className="t3">{t('inbox.bulk.noChange')}</span> : <SafeText line text={show(fit.after)} />}</span>
      <span role="gridcell" className={fit.state === 'fits' ? 'c-ok' : 'c-err'}><span className="row gap1"><Icon name={fit.state === 'fits' ? 'okc' : 'errd'} size={12} />{fit.state === 'fits' ? t('inbox.bulk.fits') : <SafeText line text={fit.message ?? t('inbox.bulk.doesNot')} />}</span></span>
    </>
  );
}
