// One record: what it says, its bytes, its hash computed again on this page, and what it belongs to.

import { parseExact } from '../../json/exact-json.ts';
import { errorText } from '../../api/error.ts';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { ValueView, CopyButton } from '../../code/ValueView.tsx';
import { shortRunId } from '../../shared/run-status.tsx';
import { t } from '../../i18n/index.ts';
import { Button, EmptyState, Icon, Segmented, Skeleton } from '../../kit/index.ts';
import { plainValue } from '../../shared/evidence/controls.ts';
import { same } from '../../shared/diff.ts';
import { DiffView } from '../../shared/diff-view.tsx';
import { isPatch, type Operation } from '../../shared/evidence/patch.ts';
import { Pieces } from '../../code/pieces.tsx';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { isObject } from '../../json/json.ts';
import { useCommand } from '../../api/queries.ts';
import { hashOf, spaced } from './hash.ts';
import { Apart } from './apart.tsx';
import { OriginGraph } from './origin-graph.tsx';
import { term } from './query.ts';
import type { AuditRecord } from './types.ts';
import { ACTOR_ICON, actorText, actorValue, clock, day, eventLook, levelText, summaryText } from './words.ts';

export interface RecordProps { seq: number; onSeq(seq: number): void; onQuery(query: string): void; /** `at`: the moment at which the run is looked at. */ onRun(runId: string, step?: string, at?: string): void }

export function RecordPane(props: RecordProps) {
  const found = useCommand('audit_get', { seq: props.seq }, { staleTime: 10_000 });
  if (found.data) return <Shown key={props.seq} {...props} record={found.data} />;
  if (found.error) return <EmptyState title={t('audit.cannotRead', { seq: props.seq })} text={errorText(found.error)} actions={<Button icon="retry" onClick={() => void found.refetch()}>{t('common.tryAgain')}</Button>} />;
  return <div style={{ padding: 16 }} aria-busy="true"><Skeleton rows={6} /></div>;
}

function Shown({ record, seq, onSeq, onQuery, onRun }: RecordProps & { record: AuditRecord }) {
  const { row, entry } = record;
  const look = eventLook(row.event, row.level);
  const metadata = typeof entry['metadata'] === 'object' && entry['metadata'] !== null ? (entry['metadata'] as Record<string, unknown>) : {};
  const text = (name: string) => (typeof metadata[name] === 'string' ? metadata[name] : undefined);
  const task = text('taskId');
  const claimed = claimedText(metadata['claimedActor']);
  return (
    <div className="au-rec" data-seq={seq}>
      <header className="row au-rec-head"><Icon name={look.icon} className={look.color} /><h2 className="grow ell"><SafeText line text={look.text} /></h2>
        {row.workflowId ? <><Button small icon="clock" onClick={() => onRun(row.runId, row.nodeId, row.timestamp)}>{t('audit.openRunAt')}</Button><Button small icon="ext" onClick={() => onRun(row.runId, row.nodeId)}>{t('audit.openRun')}</Button></> : null}<CopyButton value={record.entry} /></header>
      <dl className="kv au-kv">
        <dt>{t('audit.record')}</dt><dd className="mono">{row.seq}</dd>
        <dt>{t('audit.col.time')}</dt><dd className="au-when"><span className="mono">{day(row.timestamp)} {clock(row.timestamp)}</span><span className="mono s t3">{row.timestamp}</span></dd>
        <dt>{t('audit.col.actor')}</dt><dd><span className="row gap1"><Icon name={ACTOR_ICON[row.actor.type]} size={12} className="t2" /><SafeText line text={`${actorText(row.actor)}${row.actor.role ? `, ${row.actor.role}` : ''}${text('via') ? `, ${text('via') ?? ''}` : ''}`} /></span></dd>
        <dt>{t('audit.level')}</dt><dd>{levelText(row.level)}</dd>
        {row.workflowName ? <><dt>{t('audit.col.workflow')}</dt><dd><SafeText line text={row.workflowName} /></dd></> : null}
        <dt>{t('audit.col.run')}</dt><dd className="mono"><SafeText line text={row.runId} /></dd>
        {row.nodeId === '$run' ? null : <><dt>{t('audit.col.step')}</dt><dd><SafeText line text={row.nodeTitle ? `${row.nodeTitle} (${row.nodeId})` : row.nodeId} /></dd></>}
        {claimed ? <><dt>{t('audit.claimedActor')}</dt><dd><SafeText line text={claimed} /></dd></> : null}
      </dl>
      {row.summary ? <p className="au-sum"><SafeText text={summaryText(row)} cut={600} /></p> : null}
      {text('notes') ? <div className="au-ds"><span className="cap">{t('audit.note')}</span><SafeText text={text('notes') ?? ''} cut={1000} /></div> : null}
      {/* What is not as it was sealed comes first. */}
      {record.apart && record.apart.state !== 'kept' ? <Apart apart={record.apart} onSeq={onSeq} /> : null}
      <Content record={record} metadata={metadata} />
      {record.apart?.state === 'kept' ? <Apart apart={record.apart} onSeq={onSeq} /> : null}
      <Hashes record={record} onSeq={onSeq} />
      {record.related.length > 1 ? <div className="au-ds"><span className="cap row">{t('audit.origin')}<span className="end t2">{t('audit.records', { n: record.related.length })}</span></span><OriginGraph related={record.related} current={row.seq} onOpen={onSeq} /></div> : null}
      <div className="au-ds au-rel">
        <span className="cap">{t('audit.relatedTitle')}</span>
        <Go icon="runs" onGo={() => onQuery(term('run', row.runId))}>{t('audit.sameRun', { id: shortRunId(row.runId) })}</Go>
        {task ? <Go icon="inbox" onGo={() => onQuery(term('text', task))}>{t('audit.sameTask')}</Go> : null}
        <Go icon={ACTOR_ICON[row.actor.type]} onGo={() => onQuery(term('actor', actorValue(row.actor)))}>{t('audit.sameActor')}</Go>
        {text('errorType') ? <Go icon="errd" onGo={() => onQuery(term('error.type', text('errorType') ?? ''))}>{t('audit.sameError')}</Go> : null}
        {typeof entry['contextSnapshotHash'] === 'string' ? <Go icon="hash" onGo={() => onQuery(term('text', String(entry['contextSnapshotHash'])))}>{t('audit.samePayload')}</Go> : null}
      </div>
    </div>
  );
}

/** Who somebody said to be: an actor, or in older records a name. Nobody looked whether it is true. */
export function claimedText(claimed: unknown): string | undefined {
  if (typeof claimed === 'string') return claimed || undefined;
  if (!isObject(claimed)) return undefined;
  const { type, id, role } = claimed;
  const actor = ACTOR_TYPES.find((one) => one === type);
  const name = actor ? actorText({ type: actor, ...(typeof id === 'string' ? { id } : {}) }) : typeof id === 'string' ? id : undefined;
  return name === undefined ? JSON.stringify(claimed) : typeof role === 'string' ? `${name}, ${role}` : name;
}
const ACTOR_TYPES = ['human', 'agent', 'system'] as const;

function Go({ icon, onGo, children }: { icon: Parameters<typeof Icon>[0]['name']; onGo(): void; children: ReactNode }) {
  return <button type="button" className="link s row" onClick={onGo}><Icon name={icon} size={12} />{children}</button>;
}

type View = 'diff' | 'json' | 'bytes';
function Content({ record, metadata }: { record: AuditRecord; metadata: Record<string, unknown> }) {
  const patch = record.payload?.patch ?? metadata['patch'];
  const changes = isPatch(patch) && patch.length > 0;
  const both = record.payload && 'before' in record.payload && 'after' in record.payload;
  const [view, setView] = useState<View>(changes || both ? 'diff' : 'json');
  const entry = useMemo(() => plainValue(record.entry), [record.entry]);
  const options: { value: View; label: string }[] = [...(changes || both ? [{ value: 'diff' as const, label: t('audit.view.diff') }] : []), { value: 'json', label: t('audit.view.json') }, { value: 'bytes', label: t('audit.view.bytes') }];
  return (
    <div className="au-ds">
      <span className="cap row">{view === 'diff' ? t('audit.change') : view === 'json' ? t('audit.content') : t('audit.bytes')}<span className="end"><Segmented<View> small label={t('audit.view')} value={view} onChange={setView} options={options} /></span></span>
      {view === 'json' ? <ValueView value={entry} label={t('audit.content')} /> : null}
      {view === 'bytes' ? <pre className="well au-bytes" tabIndex={0} aria-label={t('audit.bytes')}><Pieces text={record.canonical} /></pre> : null}
      {view === 'diff' && both ? <DiffView before={record.payload?.before} after={record.payload?.after} label={t('audit.change')} /> : null}
      {view === 'diff' && !both && isPatch(patch) ? <Patch patch={patch} /> : null}
      {record.payload?.error !== undefined && view === 'json' ? <ValueView value={plainValue(record.payload.error)} label={t('audit.error')} /> : null}
    </div>
  );
}

/** A patch alone: what each place became. What it was stands there where the patch tests it. */
function Patch({ patch }: { patch: Operation[] }) {
  const was = new Map(patch.filter((one) => one.op === 'test').map((one) => [one.path, one.value]));
  const line = (mark: '+' | '-', text: string, key: string) => (
    <div className={`dl ${mark === '+' ? 'a' : 'd'}`} key={key}><span className="dl-mark">{mark === '+' ? '+' : '−'}<span className="vh">{mark === '+' ? t('diff.come') : t('diff.gone')}</span></span><bdi className="dl-text"><Pieces text={text} /></bdi></div>
  );
  return (
    <div className="diff" role="group" aria-label={t('audit.change')}>
      {patch.filter((one) => one.op !== 'test').flatMap((one, index) => [
        ...(one.op === 'remove' || was.has(one.path) ? [line('-', `${one.path} ${was.has(one.path) ? JSON.stringify(was.get(one.path)) : ''}`, `d${String(index)}`)] : []),
        ...(one.op === 'remove' ? [] : [line('+', `${one.path} ${'value' in one ? JSON.stringify(one.value) : `← ${one.from}`}`, `a${String(index)}`)]),
      ])}
    </div>
  );
}

/** The link to the record before, the stored hash, and the one computed here over the bytes shown. */
function Hashes({ record, onSeq }: { record: AuditRecord; onSeq(seq: number): void }) {
  const { row, canonical, entry } = record;
  const [now, setNow] = useState<string | null>(null);
  useEffect(() => {
    let live = true;
    void hashOf(canonical).then((hash) => { if (live) setNow(hash); });
    return () => { live = false; };
  }, [canonical]);
  const before = useCommand('audit_get', { seq: row.seq - 1 }, { enabled: row.seq > 0, staleTime: 10_000 });
  const linked = row.seq === 0 ? /^0{64}$/.test(row.prevHash) : before.data ? before.data.row.hash === row.prevHash : undefined;
  // The bytes have to say the same as what is shown above.
  const says = useMemo(() => {
    try {
      const { hash: _, signature: __, ...shown } = entry;
      return same(parseExact(canonical), shown);
    } catch {
      return false;
    }
  }, [canonical, entry]);
  const equal = now === null ? undefined : now === row.hash;
  const good = equal === true && linked !== false && says;
  return (
    <div className="au-ds">
      <span className="cap row">{t('audit.hash')}
        {now === null ? null : <span className={`end row gap1 ${good ? 'c-ok' : 'c-err'}`} role="status"><Icon name={good ? 'okc' : 'errd'} size={12} />{good ? t('audit.equal') : !says ? t('audit.otherWords') : equal ? t('audit.notLinked') : t('audit.notEqual')}</span>}
      </span>
      <div className="well col au-hashes">
        <span className="row s t2"><Icon name="chain" size={12} />{row.seq === 0 ? t('audit.firstRecord') : <>{t('audit.previous')} <button type="button" className="link" onClick={() => onSeq(row.seq - 1)}>{row.seq - 1}</button></>}<Mark good={linked} /></span>
        <code className="t2">{spaced(row.prevHash)}</code>
        <span className="row s t2"><Icon name="hash" size={12} />{t('audit.storedHash')}<Mark good={equal} /></span>
        <code>{spaced(row.hash)}</code>
        <span className="row s t2"><Icon name="retry" size={12} />{t('audit.computedHash')}<Mark good={equal} /></span>
        <code>{now === null ? ' ' : spaced(now)}</code>
      </div>
      <span className="s t2 row gap1"><Icon name={row.signed ? 'lock' : 'pencil'} size={12} />{row.signed ? t('audit.signed') : t('audit.unsigned')}</span>
    </div>
  );
}
function Mark({ good }: { good: boolean | undefined }) {
  if (good === undefined) return <span className="end" />;
  return <span className={`end ${good ? 'c-ok' : 'c-err'}`}><Icon name={good ? 'check' : 'errd'} size={12} label={good ? t('audit.fits') : t('audit.fitsNot')} /></span>;
}
