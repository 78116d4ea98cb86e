/** The audit chain: asked, followed, verified, exported. */
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { usePaneOpen, usePaneSize } from '../api/settings.ts';
import { queryClient } from '../api/queries.ts';
import { auditActions, type AuditHooks } from '../features/audit/actions.ts';
import { call } from '../api/client.ts';
import { saveFile } from '../api/save-file.ts';
import { useCommand, usePermission } from '../api/queries.ts';
import { AcceptCutDialog } from '../features/audit/accept-cut.tsx';
import { AuditArt } from '../features/audit/art.tsx';
import { ExportDialog } from '../features/audit/export-dialog.tsx';
import { Facets } from '../features/audit/facets.tsx';
import { QUALIFIERS, term, tokensOf, type Qualifier } from '../features/audit/query.ts';
import { QueryBox } from '../features/audit/query-box.tsx';
import { RecordPane } from '../features/audit/record.tsx';
import { forgetQuery, keepQuery, useSavedQueries } from '../features/audit/saved.ts';
import { AuditTable } from '../features/audit/table.tsx';
import type { AuditProfile, ExportFormat } from '../features/audit/types.ts';
import { isWrong, useAuditRows } from '../features/audit/use-audit.ts';
import { useFreshFacets } from '../features/audit/use-fresh-facets.ts';
import { VerdictBar } from '../features/audit/verdict-bar.tsx';
import { damageText, eventLook, levelText, missingWords } from '../features/audit/words.ts';
import '../features/audit/audit.css';
import { formatNumber, t, tn } from '../i18n/index.ts';
import { Banner, Button, Dialog, EmptyState, Field, IconButton, keysOf, Skeleton, SplitPane, Switch, TextInput, toast, useActions, useAllActions } from '../kit/index.ts';
import { attempt } from './commands.ts';
import { FindButton } from './frame.tsx';
import { AnchorBanner } from './parts/anchors.tsx';
import { SinkBanner } from './parts/sink-banner.tsx';
import { navigate } from './router.ts';

/** Newer records that stand above the one that somebody went to. */
const AROUND = 12;
/** Records that are shown with the first one. */
const FIRST_PAGE = 200;
/** So many new records are counted, and no more. */
const MANY = 500;

export function AuditScreen({ query: asked, seq }: { query: string | undefined; seq: number | undefined }) {
  const [query, setQuery] = useState(asked ?? '');
  useEffect(() => setQuery(asked ?? ''), [asked]);
  const text = useDeferredValue(query.trim());
  const settled = useSettled(text);
  const [follow, setFollow] = usePaneOpen('audit.follow', true);
  const [width, setWidth] = usePaneSize('audit.record', 384);
  const [dialog, setDialog] = useState<'save' | 'jump' | 'goTo' | 'export' | 'accept' | null>(null);
  const [verifying, setVerifying] = useState(false);
  /** The list begins before this record, not with the newest: somebody went to a place in the chain. */
  const [below, setBelow] = useState<number>();
  const list = useAuditRows(settled, follow, below);
  const [top, setTop] = useState(0);
  const fresh = useFresh(settled, list.stale || follow || below !== undefined ? undefined : list.rows?.[0]?.seq);
  // A link leads to a record that may be far back.
  const led = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (seq === led.current || list.stale || list.rows === undefined) return;
    led.current = seq;
    if (seq !== undefined && !settled && !list.rows.some((row) => row.seq === seq)) setBelow(seq + AROUND);
  }, [seq, list.stale, list.rows, settled]);
  const may = usePermission();
  const verifies = may('audit_verify');
  const status = useCommand('audit_status', {}, { enabled: may('audit_status'), refetchInterval: 5_000 });
  const facets = useCommand('audit_facets', settled ? { query: settled } : {}, { placeholderData: (old) => old, refetchInterval: follow ? 10_000 : false });
  // What is offered while one types comes from the whole chain: half a value fits nothing.
  const all = useCommand('audit_facets', {}, { placeholderData: (old) => old, staleTime: 60_000, enabled: settled !== '' });
  // People act seldom: the newest records alone do not have them all.
  const people = useCommand('audit_facets', { query: 'actor:human' }, { placeholderData: (old) => old, staleTime: 60_000, enabled: tokensOf(query).some((token) => token.qualifier === 'actor') });
  useFreshFacets(list.head?.size);
  const saved = useSavedQueries();
  const search = useRef<HTMLInputElement>(null);
  const exports = may('audit_export');
  const accepts = may('audit_accept_cut');
  const keys = useAllActions();
  const keyOf = (id: string) => { const found = keys.find((action) => action.id === id); return found ? keysOf(found)[0] : undefined; };

  const change = (next: string) => {
    setBelow(undefined);
    setQuery(next);
    navigate({ screen: 'audit', ...(next.trim() ? { query: next.trim() } : {}), ...(seq === undefined ? {} : { seq }) }, true);
  };
  const open = (next: number) => navigate({ screen: 'audit', ...(query.trim() ? { query: query.trim() } : {}), seq: next }, true);
  /** A place in the chain, among the records around it, whatever the query says. */
  const goTo = (next: number) => {
    if (list.rows?.some((row) => row.seq === next)) return open(next);
    setQuery('');
    setBelow(next + AROUND);
    navigate({ screen: 'audit', seq: next }, true);
  };
  const run = (runId: string, step?: string, at?: string) => navigate({ screen: 'run', runId, ...(step && step !== '$run' ? { step } : {}), ...(at === undefined ? {} : { at }) });

  async function verify() {
    if (verifying) return;
    setVerifying(true);
    const verdict = await attempt(() => call('audit_verify', { full: true }));
    setVerifying(false);
    // What is on the screen may be older than what was verified.
    list.retry();
    for (const key of ['audit_status', 'audit_get', 'audit_facets']) void queryClient.invalidateQueries({ queryKey: [key] });
    if (verdict?.state === 'broken' && verdict.broken) toast({ signal: 'err', text: t('audit.verifiedBroken', { seq: formatNumber(verdict.broken.seq) }), detail: damageText(verdict.broken.kind) });
    else if (verdict?.state === 'intact') toast({ signal: 'ok', text: t('audit.verifiedOk', { seq: formatNumber(Math.max(0, verdict.checked - 1)) }), detail: verdict.unsealedTail === 0 ? undefined : verdict.lastCheckpoint ? tn('audit.level.tail', verdict.unsealedTail) : t('audit.level.noCheckpoint') });
  }
  async function exportAs(format: ExportFormat, profile: AuditProfile): Promise<boolean> {
    const done = await attempt(() => call('audit_export', { format, profile, ...(settled ? { query: settled } : {}) }));
    if (!done) return false;
    const base64 = done.bytesBase64;
    const saved = base64 === undefined ? {} : await attempt(() => saveFile(done.fileName, { base64 }));
    // Nothing is said to be saved that was not: the person put the dialog away, or an error is shown.
    if (!saved) return false;
    const path = done.path ?? saved.path;
    // Who sends it on knows it from here, not only who opens the pack.
    const missing = missingWords(done.missing ?? [], format);
    const where = path && done.keptDays !== undefined ? t('audit.exportedKept', { path, days: done.keptDays }) : path ? t('audit.exportedTo', { path }) : t('audit.exportRecorded');
    const open = done.missing?.some((end) => end.accepted === undefined) === true;
    toast({ signal: open ? 'warn' : 'ok', text: t('audit.exported', { name: done.fileName }), detail: [missing, where].filter(Boolean).join(' ') });
    return true;
  }
  const move = (by: number) => {
    const rows = list.rows ?? [];
    const at = rows.findIndex((row) => row.seq === seq);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    if (next) open(next.seq);
  };
  /** The oldest record that is kept; of a query the oldest that is loaded, behind which older ones are asked for. */
  const toFirst = () => {
    if (settled && list.rows?.length) return move(Infinity);
    const oldest = status.data?.removed ?? 0;
    setQuery('');
    // A page ends with it: what was written next stands above.
    if (!list.rows?.some((row) => row.seq === oldest)) setBelow(oldest + FIRST_PAGE);
    navigate({ screen: 'audit', seq: oldest }, true);
  };
  const toNewest = () => {
    if (below === undefined) return move(-Infinity);
    setBelow(undefined);
    navigate({ screen: 'audit', ...(query.trim() ? { query: query.trim() } : {}) }, true);
  };
  const showFresh = () => {
    list.retry();
    setTop(top + 1);
  };
  useAuditActions({ first: toFirst, newest: toNewest, goTo: () => setDialog('goTo'), search: () => search.current?.focus(), move, verify: () => void verify(), follow: () => setFollow(!follow), exportAs: () => setDialog('export'), canExport: () => exports });

  const known = settled ? all.data ?? facets.data : facets.data;
  const values = useMemo<{ [Q in Qualifier]?: { value: string; hint?: string }[] }>(() => ({
    event: known?.event.map((one) => ({ value: one.value, hint: `${eventLook(one.value).text}, ${formatNumber(one.count)}` })) ?? [],
    actor: [...new Map([...people.data?.actor ?? [], ...known?.actor ?? []].map((one) => [one.value, { value: one.value, hint: formatNumber(one.count) }])).values()],
    level: ['INFO', 'WARN', 'ERROR', 'CRITICAL'].map((value) => ({ value, hint: levelText(value) })),
    'error.type': ['ToolError', 'LLMError', 'NetworkError', 'ValidationError', 'Timeout', 'UnknownError'].map((value) => ({ value })),
    workflow: known?.workflow.map((one) => ({ value: one.value, hint: formatNumber(one.count) })) ?? [],
    run: [...new Map((list.rows ?? []).slice(0, 300).filter((row) => row.workflowId).map((row) => [row.runId, { value: row.runId, hint: row.workflowName }])).values()].slice(0, 40),
    node: [...new Map((list.rows ?? []).slice(0, 300).filter((row) => row.nodeId !== '$run').map((row) => [row.nodeId, { value: row.nodeId, hint: row.nodeTitle }])).values()].slice(0, 40),
    since: dayChoices(), until: dayChoices(),
  }), [known, people.data, list.rows]);
  const size = list.head?.size;
  const empty = list.rows !== undefined && list.rows.length === 0;
  const wrong = isWrong(list.error);
  const found = list.rows === undefined || list.stale || size === undefined ? '' : settled ? t(list.more ? 'audit.foundMore' : 'audit.found', { n: formatNumber(list.total), all: formatNumber(size) }) : '';
  return (
    <main className="screen">
      <header className="bar">
        <h1>{t('audit.title')}</h1>
        <span className="s t2 nw">{size === undefined ? '' : tn('audit.total', size - (status.data?.removed ?? 0))}</span>
        <span className="grow" />
        <FindButton />
        <label className="au-switch s t2"><Switch checked={follow} onChange={setFollow} label={t('audit.follow')} /><span className="au-switch-text">{t('audit.follow')}</span></label>
        <span className="vr" />
        {exports ? <Button icon="dl" onClick={() => setDialog('export')}>{t('audit.exportEvidence')}</Button> : null}
        {verifies ? <Button variant="primary" icon="chain" busy={verifying} onClick={() => void verify()}>{t('audit.verify')}</Button> : null}
      </header>
      <div className="screen-body">
        <div className="au-bar" role="search">
          <QueryBox ref={search} value={query} onChange={change} values={values} found={found} keys={keyOf('audit.search')} />
          <Button icon="flag" disabled={!query.trim()} onClick={() => setDialog('save')}>{t('audit.saveQuery')}</Button>
          <Button icon="clock" onClick={() => setDialog('jump')}>{t('audit.jump')}</Button>
          <IconButton icon="hash" variant="default" label={t('audit.goTo')} keys={keyOf('audit.goTo')} onClick={() => setDialog('goTo')} />
        </div>
        {may('audit_status') ? <VerdictBar status={status.data} size={size} busy={verifying} onGo={goTo} onExport={exports ? () => setDialog('export') : undefined} onVerify={() => void verify()} onAccept={accepts ? () => setDialog('accept') : undefined} /> : null}
        <AnchorBanner anchors={status.data?.anchors} />
        {may('audit_sinks') ? <SinkBanner /> : null}
        {status.error && !status.data ? <Banner signal="err" title={status.error.message}><span className="s t2">{status.error.hint}</span></Banner> : null}
        {list.error ? <Banner signal="err" title={list.error.message} actions={wrong ? undefined : <Button small icon="retry" onClick={list.retry}>{t('common.tryAgain')}</Button>}><span className="s t2">{list.error.hint}</span></Banner> : null}
        <div className="au-main">
          <Facets facets={facets.data ?? (facets.error ? all.data : undefined)} query={query} saved={saved} onQuery={change} onForget={forgetQuery} />
          <SplitPane side="right" size={width} min={300} max={720} onResize={setWidth} label={t('audit.recordPane')} reserve={420} collapsed={seq === undefined} pane={
            seq === undefined ? null : <RecordPane seq={seq} onSeq={open} onQuery={change} onRun={run} />
          }>
            <div className={`au-mid ${list.stale && list.rows !== undefined ? 'stale' : ''}`} aria-busy={list.stale && !list.error}>
              {wrong ? <EmptyState title={t('audit.wrong')} text={t('audit.wrongText')} /> : list.rows === undefined ? (list.error ? null : <div style={{ padding: '0 16px' }} aria-busy="true"><Skeleton rows={16} /></div>)
                : empty ? (settled
                  ? <EmptyState title={t('audit.noneFound')} text={t('audit.noneFoundText')} actions={<Button icon="x" onClick={() => change('')}>{t('audit.clear')}</Button>} />
                  : <EmptyState art={<AuditArt />} title={t('audit.none')} text={t('audit.noneText')} actions={<Button icon="flow" onClick={() => navigate({ screen: 'workflows' })}>{t('audit.toGallery')}</Button>} />)
                  : <>{below === undefined ? null : <div className="au-below s"><span className="t2">{t('audit.below', { seq: formatNumber(list.rows[0]?.seq ?? 0) })}</span><button type="button" className="link" onClick={() => setBelow(undefined)}>{t('audit.toNewest')}</button></div>}{fresh === 0 ? null : <div className="au-below s" role="status"><span className="t2">{fresh >= MANY ? t('audit.freshMany', { n: formatNumber(MANY - 1) }) : tn('audit.fresh', fresh)}</span><button type="button" className="link" onClick={showFresh}>{t('audit.freshShow')}</button></div>}<AuditTable key={below ?? 'newest'} top={top} rows={list.rows} added={list.added} selected={seq ?? null} verdict={status.data} onSelect={open} onRun={run} onEnd={list.older} /></>}
            </div>
          </SplitPane>
        </div>
      </div>
      {dialog === 'save' ? <SaveDialog query={query.trim()} onClose={() => setDialog(null)} /> : null}
      {dialog === 'accept' ? <AcceptCutDialog onClose={() => setDialog(null)} /> : null}
      {dialog === 'export' ? <ExportDialog query={settled} onExport={exportAs} onClose={() => setDialog(null)} /> : null}
      {dialog === 'goTo' ? <GoToDialog from={status.data?.removed ?? 0} size={size} onClose={() => setDialog(null)} onGo={goTo} onFirst={toFirst} /> : null}
      {dialog === 'jump' ? <JumpDialog onClose={() => setDialog(null)} onJump={(at) => { setFollow(false); change([...tokensOf(query).filter((token) => token.qualifier !== 'until').map((token) => token.text), term('until', at.toISOString())].join(' ')); }} /> : null}
    </main>
  );
}

/** Records that came after the newest one that is shown, while the list does not follow. */
function useFresh(query: string, newest: number | undefined): number {
  const asked = useCommand('audit_list', { ...(query ? { query } : {}), after: newest ?? 0, limit: MANY }, { enabled: newest !== undefined, refetchInterval: 5_000, gcTime: 0 });
  return newest === undefined ? 0 : asked.data?.entries.length ?? 0;
}

function GoToDialog({ from, size, onGo, onFirst, onClose }: { from: number; size: number | undefined; onGo(seq: number): void; onFirst(): void; onClose(): void }) {
  const [text, setText] = useState('');
  const to = (size ?? 1) - 1;
  const seq = /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : undefined;
  const inside = seq !== undefined && seq >= from && (size === undefined || seq <= to);
  const range = t('audit.goToRange', { from: formatNumber(from), to: formatNumber(to) });
  const go = () => { if (inside) { onClose(); onGo(seq); } };
  return (
    <Dialog open onClose={onClose} title={t('audit.goToTitle')} closeLabel={t('common.cancel')} footer={<><Button onClick={() => { onClose(); onFirst(); }}>{t('audit.goToFirst')}</Button><span className="grow" /><Button keys="Escape" onClick={onClose}>{t('common.cancel')}</Button><Button variant="primary" disabled={!inside} onClick={go}>{t('audit.goToYes')}</Button></>}>
      <form className="col" style={{ gap: 12 }} onSubmit={(event) => { event.preventDefault(); go(); }}>
        <p className="t2">{t('audit.goToText')} {range}</p>
        <Field label={t('audit.goToNumber')} required>{({ id }) => <TextInput id={id} value={text} onChange={setText} inputMode="numeric" autoFocus />}</Field>
        {text.trim() && !inside ? <p className="s c-err" role="alert">{range}</p> : null}
      </form>
    </Dialog>
  );
}

/** A query is sent when the typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    // A qualifier without its value yet asks nothing.
    const ready = QUALIFIERS.some((name) => text.endsWith(`${name}:`)) ? text.replace(/\s*\S+:$/, '') : text;
    const timer = setTimeout(() => setSettled(ready), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function useAuditActions(hooks: AuditHooks): void {
  const latest = useRef(hooks);
  latest.current = hooks;
  useActions(useMemo(() => auditActions({
    search: () => latest.current.search(), move: (by) => latest.current.move(by), verify: () => latest.current.verify(), follow: () => latest.current.follow(), exportAs: () => latest.current.exportAs(), canExport: () => latest.current.canExport(), first: () => latest.current.first(), newest: () => latest.current.newest(), goTo: () => latest.current.goTo(),
  }), []));
}

function dayChoices(): { value: string; hint?: string }[] {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  return [0, 1, 7, 30].map((back) => ({ value: day(back) }));
}

function SaveDialog({ query, onClose }: { query: string; onClose(): void }) {
  const [name, setName] = useState('');
  const save = () => { if (name.trim()) { keepQuery(name.trim(), query); onClose(); } };
  return (
    <Dialog open typed onClose={onClose} title={t('audit.saveTitle')} closeLabel={t('common.cancel')} footer={<><Button keys="Escape" onClick={onClose}>{t('common.cancel')}</Button><Button variant="primary" disabled={!name.trim()} onClick={save}>{t('audit.saveYes')}</Button></>}>
      <form className="col" style={{ gap: 12 }} onSubmit={(event) => { event.preventDefault(); save(); }}>
        <code>{query}</code>
        <Field label={t('audit.saveName')} required>{({ id }) => <TextInput id={id} value={name} onChange={setName} maxLength={80} />}</Field>
      </form>
    </Dialog>
  );
}

function JumpDialog({ onJump, onClose }: { onJump(at: Date): void; onClose(): void }) {
  const [text, setText] = useState(() => { const now = new Date(); return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16); });
  const at = new Date(text);
  const bad = Number.isNaN(at.getTime());
  const jump = () => { if (!bad) { onJump(at); onClose(); } };
  return (
    <Dialog open typed onClose={onClose} title={t('audit.jumpTitle')} closeLabel={t('common.cancel')} footer={<><Button keys="Escape" onClick={onClose}>{t('common.cancel')}</Button><Button variant="primary" disabled={bad} onClick={jump}>{t('audit.jumpYes')}</Button></>}>
      <form className="col" style={{ gap: 12 }} onSubmit={(event) => { event.preventDefault(); jump(); }}>
        <p className="t2">{t('audit.jumpText')}</p>
        <Field label={t('audit.jumpAt')} required>{({ id }) => <TextInput id={id} type="datetime-local" value={text} onChange={setText} />}</Field>
      </form>
    </Dialog>
  );
}
