// The input as a form and as JSON, what changes, and quick ways to a correction.

import { useCallback, useMemo, useState } from 'react';
import { formatBytes, formatDateTime, formatDuration, formatMoney, formatTime, t, tn } from '../../i18n/index.ts';
import { Button, Icon, Kbd, Segmented, TextArea, toast } from '../../kit/index.ts';
import { useNow } from '../../kit/use-now.ts';
import { SchemaForm } from '../../schema-form/index.ts';
import { ValueView } from '../../code/ValueView.tsx';
import { asSchema } from '../../json/json-schema.ts';
import { plain } from '../../text/letters.ts';
import { hiddenIn, plainValue } from '../../shared/evidence/controls.ts';
import { changedPaths, diffLines, same } from '../../shared/diff.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { ConflictBanner as NotSent } from '../../shared/conflict-banner.tsx';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import type { DetailProps } from './detail.tsx';
import { tooLong } from './bounds.ts';
import { changesText } from './change-words.ts';
import { dropDraft, unmask } from './drafts.ts';
import { SuggestButton, useModelSuggestion } from './model-suggestion.tsx';
import { asDiagnostics, formSchema, titleAt, wholeMasks } from './schema.ts';
import { afterText, approvalsText, cannotApprove, decidedText, isAction, isFailure, isTheirs, leading, pathText, viaText, whenText, whoText } from './words.ts';

export function CorrectTab(props: DetailProps) {
  const { task } = props;
  if (task.state !== 'open') return <Decided {...props} />;
  const edits = task.allowedActions.includes('correct') || task.allowedActions.includes('submit');
  return <div className="ib-two">{edits ? <FormSide {...props} /> : <ShownSide {...props} />}<ChangeSide {...props} edits={edits} /></div>;
}

/** Somebody else has it: nothing is typed that cannot be sent. */
const useTheirs = ({ task, me }: Pick<DetailProps, 'task' | 'me'>): boolean => isTheirs(task, me, useNow(15_000));

/** Nobody has filled it in yet: nothing is wrong with it. */
const isUntouched = ({ task, work }: Pick<DetailProps, 'task' | 'work'>): boolean => !isFailure(task) && !work.changed;

function FormSide(props: DetailProps) {
  const { task, work, mayDecide } = props;
  const { value, setValue, check } = work;
  const schema = useMemo(() => formSchema(asSchema(task.schema), task.input, work.revealed ? [] : wholeMasks(task.input, task.redacted)), [task.schema, task.input, work.revealed, task.redacted]);
  const untouched = isUntouched(props);
  const diagnostics = useMemo(() => (untouched ? [] : asDiagnostics(check.violations, schema)), [untouched, check.violations, schema]);
  const onChange = useCallback((next: unknown) => setValue(next), [setValue]);
  const hidden = useMemo(() => hiddenIn(value), [value]);
  const theirs = useTheirs(props);
  const title = t(isFailure(task) ? 'inbox.correctTitle' : task.kind === 'pause' ? 'inbox.resumeTitle' : 'inbox.fillTitle');
  return (
    <div className="ib-side">
      {/* Letters typed here belong to the fields, not to the shortcuts. */}
      <div className="ib-form" data-quiet>
        <b className="ib-form-title">{title}</b>
        <SchemaForm schema={schema} value={value} onChange={onChange} diagnostics={diagnostics} label={title} lenient onUnread={work.setUnread} readOnly={!mayDecide || props.send !== undefined || theirs} />
      </div>
      <Masked {...props} />
      {hidden.length ? (
        <p className="s c-wait row gap1 ib-hidden"><Icon name="warn" size={12} /><span>{tn('inbox.hiddenLetters', hidden.length)} {hidden.slice(0, 3).map((one) => `${pathText(plain(one.path))} (${one.codes.join(', ')})`).join('; ')}</span></p>
      ) : null}
      <CheckLine {...props} />
      <Note {...props} />
    </div>
  );
}

/** Of approvals and of decisions without a correction: the data is shown. */
function ShownSide(props: DetailProps) {
  const { work, task } = props;
  const title = t(task.reason === 'tool_call' ? 'inbox.tool.arguments' : 'inbox.dataTitle');
  return (
    <div className="ib-side">
      <b>{title}</b>
      <ValueView value={useMemo(() => plainValue(work.original), [work.original])} label={title} />
      <Masked {...props} />
      <Files {...props} />
      <Votes {...props} />
      <Note {...props} />
    </div>
  );
}

/** Files that stand in the input or the error. */
function Files({ task, mayDecide, onAttachment }: DetailProps) {
  if (!task.attachments.length) return null;
  return (
    <div className="field">
      <span className="lab">{t('inbox.files')} {mayDecide ? <span className="t3">{t('inbox.files.hint')}</span> : null}</span>
      <ul className="ib-files" aria-label={t('inbox.files')}>
        {task.attachments.map((file) => (
          <li key={file.id} className="row">
            <Icon name="doc" className="t2" /><span className="grow ell"><SafeText line text={file.name} /></span><span className="s t3 nw">{formatBytes(file.size)}</span>
            {mayDecide ? <Button small icon="dl" aria-label={t('inbox.files.save', { name: plain(file.name) })} onClick={() => onAttachment(file.id)}>{t('inbox.files.get')}</Button> : null}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Several people must approve: who has, and what is missing. */
function Votes({ task, me }: DetailProps) {
  if (task.minApprovals < 2 && !task.noSelfApproval) return null;
  const why = task.state === 'open' ? cannotApprove(task, me) : undefined;
  return (
    <div className="field">
      <span className="lab">{t('inbox.votes')} {approvalsText(task) ? <span className="t3">{approvalsText(task)}</span> : null}</span>
      {task.votes.length ? (
        <ul className="ib-votes" aria-label={t('inbox.votes')}>
          {task.votes.map((vote) => (
            <li key={vote.by} className="row gap1"><Icon name="check" size={12} className="c-ok" /><SafeText line text={vote.onBehalfOf ? t('inbox.votedFor', { who: whoText(vote.by), other: whoText(vote.onBehalfOf) }) : whoText(vote.by)} />
              <span className="s t3 nw">{formatDateTime(vote.at)}</span>{vote.notes ? <span className="t2"><SafeText text={vote.notes} cut={300} /></span> : null}</li>
          ))}
        </ul>
      ) : null}
      {task.noSelfApproval ? <span className="s t2">{t('inbox.noSelf', { who: task.startedBy ? whoText(task.startedBy) : t('inbox.noSelf.unknown') })}</span> : null}
      {why ? <span className="s c-wait row gap1" role="status"><Icon name="lock" size={12} />{why}</span> : null}
    </div>
  );
}

function Masked({ task, work, onReveal }: DetailProps) {
  if (work.revealed || !task.redacted.length) return null;
  const whole = wholeMasks(task.input, task.redacted);
  return (
    <div className="col ib-masked">
      {whole.length < task.redacted.length ? (
        <span className="s t2 row gap1"><Icon name="eye" size={12} /><span>{t('inbox.maskedPart', { mask: '•••1•' })} {task.mayReveal && !whole.length ? <button type="button" className="link" onClick={onReveal}>{t('inbox.reveal')}</button> : null}</span></span>
      ) : null}
      {whole.map((pointer) => (
        <div className="field" key={pointer}>
          <span className="lab"><SafeText line text={titleAt(asSchema(task.schema), pointer)} /> <span className="t3">{t('inbox.masked')}</span></span>
          <span className="input off">
            <span className="grow" aria-label={t('inbox.masked')}>••••••••</span>
            {task.mayReveal ? <button type="button" className="link s row gap1" onClick={onReveal}><Icon name="eye" size={12} />{t('inbox.reveal')}</button> : <Icon name="lock" size={12} />}
          </span>
        </div>
      ))}
      {task.mayReveal ? null : <span className="s t3">{t('inbox.mayNotReveal')}</span>}
    </div>
  );
}

/** One state at a time, and the engine's: the fields say nothing of their own about what fits. */
function CheckLine({ work, task }: DetailProps) {
  const { check, changed } = work;
  if (check.state === 'off') return null;
  // What failed once is not praised because no schema speaks against it.
  const asFailed = !changed && isFailure(task);
  const untouched = isUntouched({ task, work });
  return (
    <div className="row s ib-check" role="status">
      {check.state === 'unread' ? <><Icon name="pencil" size={12} className="t3" /><span className="t2">{t('inbox.check.unread')}</span></> : null}
      {check.state === 'busy' ? <><Icon name="arc" size={12} spin className="t3" /><span className="t2">{t('inbox.check.busy')}</span></> : null}
      {check.state === 'failed' ? <><Icon name="warn" size={12} className="c-wait" /><span>{t('inbox.check.failed')} <SafeText text={check.problem ?? ''} cut={200} /></span></> : null}
      {check.state === 'valid' && asFailed ? <span className="t2">{t('inbox.check.unchanged')}</span> : null}
      {check.state === 'valid' && !asFailed ? <><span className="c-ok row gap1"><Icon name="okc" size={12} />{t('inbox.check.valid')}</span><span className="t3">{t(task.schema ? 'inbox.check.engine' : 'inbox.check.anything')}</span></> : null}
      {check.state === 'invalid' && untouched ? <span className="t2">{tn('inbox.check.todo', check.violations.length)}</span> : null}
      {check.state === 'invalid' && !untouched ? <><span className="c-err row gap1"><Icon name="errd" size={12} />{tn('inbox.check.invalid', check.violations.length)}</span>{asFailed ? <span className="t3">{t('inbox.check.asFailed')}</span> : null}</> : null}
    </div>
  );
}

function Note(props: DetailProps) {
  const { task, work, mayDecide, keysOf } = props;
  const theirs = useTheirs(props);
  const keys = theirs ? undefined : keysOf('note');
  const long = tooLong(work.notes);
  return (
    <>
    {mayDecide && theirs ? <p className="s t2 row gap1" role="status"><Icon name="lock" size={12} />{t('inbox.cannot.claimed', { who: plain(whoText(task.claimedBy ?? '')) })}</p> : null}
    <div className="field">
      <label className="field ib-note">
        <span className="lab">{t('inbox.note')} <span className="t3">{t('inbox.noteHint')}</span>{keys ? <span className="end"><Kbd keys={keys} /></span> : null}</span>
        <TextArea value={work.notes} onChange={work.setNotes} rows={2} disabled={!mayDecide || theirs} data-note invalid={long !== undefined} aria-describedby={long ? 'ib-note-long' : undefined} />
      </label>
      {long ? <span id="ib-note-long" role="alert" className="s c-err row gap1"><Icon name="errd" size={12} />{long}</span> : null}
    </div>
    </>
  );
}

const SOURCE_ICON = { rule: 'wrench', history: 'clock', llm: 'agent' } as const;

function ChangeSide(props: DetailProps & { edits: boolean }) {
  const { task, work, me, edits, onReviewAll, mayDecide, send } = props;
  const now = useNow(15_000);
  const [view, setView] = useState<'together' | 'side'>('together');
  const lines = useMemo(() => changedPaths(diffLines(work.original, work.value)), [work.original, work.value]);
  const next = leading(task, work);
  const ofModel = useModelSuggestion(task.id);
  // They were made over the masked input.
  const suggestions = useMemo(
    () => (ofModel ? [...task.suggestions, ofModel] : task.suggestions).map((one) => (work.revealed ? { ...one, correctedInput: unmask(one.correctedInput, task.input, work.original) } : one)),
    [ofModel, task.suggestions, task.input, work.revealed, work.original],
  );
  const schema = asSchema(task.schema);
  const use = (next: unknown) => {
    const { value } = work;
    work.setWhole(next);
    // An answer may come while one writes.
    if (work.changed) toast({ signal: 'info', text: t('inbox.usedInstead'), action: { label: t('inbox.undo'), run: () => work.setWhole(value) } });
  };
  return (
    <div className="ib-side">
      {edits ? (
        <>
          <div className="row ib-changes"><b className="nw">{t('inbox.changes')}</b><span className="s t2 nw">{work.differs ? tn('inbox.fields', lines.length) : t('inbox.nothingChanged')}</span>
            <span className="end row gap1">
              {work.changed ? <Button small variant="ghost" icon="undo" disabled={send !== undefined} onClick={work.reset}>{t('inbox.reset')}</Button> : null}
              <Segmented<'together' | 'side'> small label={t('diff.view')} value={view} onChange={setView} options={[{ value: 'together', label: t('diff.together') }, { value: 'side', label: t('diff.side') }]} />
            </span>
          </div>
          <DiffView before={work.original} after={work.value} schema={work.hides} view={view} label={t('inbox.changes')} />
        </>
      ) : null}
      {edits && (suggestions.length || task.allowedActions.includes('correct')) ? (
        <div className="field">
          {suggestions.length ? <span className="lab">{t('inbox.suggestions')}</span> : null}
          {suggestions.length ? <div className="box">
            {suggestions.map((one, index) => {
              const used = same(one.correctedInput, work.value);
              return (
                // Suggestions have no name but their place.
                <div className="ib-sug" key={`s${String(index)}`}>
                  <Icon name={SOURCE_ICON[one.source]} className="t2" label={t(`inbox.source.${one.source}`)} />
                  <span className="col">
                    <SafeText text={one.changes.length ? changesText(schema, work.original, one) : one.rationale} cut={300} />
                    <span className="s t2"><SafeText text={one.changes.length ? one.rationale : t(`inbox.source.${one.source}`)} cut={300} /></span>
                    {one.valid ? null : <span className="s c-err row gap1"><Icon name="errd" size={12} />{t('inbox.suggestionInvalid')}</span>}
                  </span>
                  <Button small icon={used ? 'check' : undefined} disabled={used || !mayDecide || send !== undefined} onClick={() => use(one.correctedInput)}>{used ? t('inbox.used') : t('inbox.use')}</Button>
                </div>
              );
            })}
          </div> : null}
          <SuggestButton task={task} disabled={!mayDecide || send !== undefined || isTheirs(task, me, now)} />
        </div>
      ) : null}
      {task.sameCount > 1 && mayDecide && task.kind !== 'form' ? (
        <div className="well row ib-same">
          <Icon name="copy" /><span className="grow col"><span>{tn(isFailure(task) ? 'inbox.others' : 'inbox.othersAsk', task.sameCount - 1)}</span><span className="s t2">{work.changed ? t('inbox.othersCorrect') : t('inbox.othersDecide')}</span></span>
          <Button small onClick={onReviewAll}>{t('inbox.reviewAll')}</Button>
        </div>
      ) : null}
      {next ? <div className="field"><span className="lab">{t('inbox.afterTitle')}</span><SafeText className="t2" text={afterText(task, next)} /></div> : null}
      <Led {...props} />
    </div>
  );
}

/** The last steps before the question. */
function Led({ task, onTab }: DetailProps) {
  // That a step began says little; what came of it says more.
  const told = task.trace.filter((one) => one.event !== 'step_start').slice(-4);
  if (!told.length) return null;
  return (
    <div className="field">
      <span className="lab">{t('inbox.led')}<span className="end"><button type="button" className="link s" onClick={() => onTab('happened')}>{t('inbox.all')}</button></span></span>
      <ol className="box s ib-led">
        {told.map((one, index) => (
          <li className="row" key={`${one.at} ${String(index)}`}><span className="t3 mono">{formatTime(one.at)}</span><SafeText line text={`${one.title}: ${one.summary}`} /></li>
        ))}
      </ol>
    </div>
  );
}

/** Somebody else was faster, here or at a terminal: who and when, and what this person had written until then. */
function ConflictBanner({ task, work, send }: DetailProps) {
  const now = useNow(60_000);
  const mine = work.changed || work.notes.trim() !== '';
  if (!mine || (send && (send.state !== 'failed' || send.unsure))) return null;
  const { decision } = task;
  const who = decision ? whoText(decision.operatorId) : '';
  return (
    <>
      <NotSent title={decision ? t('inbox.meanwhile', { who: plain(who), when: whenText(decision.at, now), what: decidedText(task, decision).toLowerCase() }) : t('inbox.meanwhile.ended')}
        json={work.changed ? () => JSON.stringify(work.value, null, 2) : undefined} onDrop={() => dropDraft(task.id)} />
      {work.notes.trim() ? <div className="field"><span className="lab">{t('inbox.meanwhile.note')}</span><SafeText text={work.notes} /></div> : null}
      {work.changed ? <div className="field"><span className="lab">{t('inbox.meanwhile.input')}</span><DiffView before={work.original} after={work.value} schema={work.hides} label={t('inbox.meanwhile.input')} /></div> : null}
    </>
  );
}

function Decided(props: DetailProps) {
  const { task, work } = props;
  const decision = task.decision;
  if (!decision) return <div className="ib-side"><ConflictBanner {...props} /><p className="t2">{t(`inbox.ended.${task.state === 'open' ? 'done' : task.state}`)}</p></div>;
  const after = decision.correctedInput;
  return (
    <div className="ib-side">
      <ConflictBanner {...props} />
      <dl className="kv">
        <dt>{t('inbox.decision.what')}</dt><dd>{isAction(decision.action) ? decidedText(task, decision) : <SafeText line text={decision.action} />}</dd>
        {decision.toolGrant ? <><dt>{t('inbox.decision.grant')}</dt><dd>{t(`inbox.decision.grant.${decision.toolGrant}`)}</dd></> : null}
        {decision.budgetMicros === undefined ? null : <><dt>{t('inbox.decision.budget')}</dt><dd>{formatMoney(decision.budgetMicros)}</dd></>}
        <dt>{t('inbox.decision.who')}</dt><dd><SafeText line text={whoText(decision.operatorId)} /></dd>
        {decision.onBehalfOf ? <><dt>{t('inbox.decision.behalf')}</dt><dd><SafeText line text={whoText(decision.onBehalfOf)} /></dd></> : null}
        <dt>{t('inbox.decision.when')}</dt><dd>{formatDateTime(decision.at)}</dd>
        <dt>{t('inbox.decision.took')}</dt><dd>{formatDuration(decision.durationMs)}</dd>
        <dt>{t('inbox.decision.via')}</dt><dd><SafeText line text={viaText(decision.via)} /></dd>
      </dl>
      {task.votes.length ? <Votes {...props} /> : null}
      {decision.notes ? <div className="field"><span className="lab">{t('inbox.note')}</span><SafeText text={decision.notes} /></div> : null}
      {after === undefined ? null : <div className="field"><span className="lab">{t('inbox.changed')}</span><DiffView before={work.original} after={after} schema={work.hides} label={t('inbox.changed')} /></div>}
    </div>
  );
}
