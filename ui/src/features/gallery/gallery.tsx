/** First screen: samples, an empty workflow, recent files, latest runs. Says what the person wants; the screen does it. */
import './gallery.css';
import { useState, type ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import type { RunRow, Sample, SampleNeed, WorkflowEntry } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatAgo, formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Icon, IconButton, Kbd, Menu, SignalIcon, Skeleton } from '../../kit/index.ts';
import { outcomeText, StatusIcon } from '../../shared/run-status.tsx';
import { GraphArt } from './graph-art.tsx';

export interface Loaded<T> { data: T | undefined; error: ApiError | null; retry(): void }
export interface GalleryProps {
  samples: Loaded<Sample[]>;
  workflows: Loaded<WorkflowEntry[]>;
  runs: Loaded<RunRow[]>;
  /** Whether this person may make workflows, and delete them. */
  may(what: 'workflow_create' | 'workflow_duplicate' | 'workflow_delete'): boolean;
  busy: string | null;
  newKeys: string | undefined;
  runHref(runId: string): string;
  onRunSample(sample: Sample): void;
  onOpenSample(sample: Sample): void;
  onNew(): void;
  onTemplates(): void;
  onOpen(entry: WorkflowEntry): void;
  onDuplicate(entry: WorkflowEntry): void;
  onDelete(entry: WorkflowEntry): void;
  onShowRuns(entry: WorkflowEntry | null): void;
  /** Stands above everything as long as there is no workflow. */
  notice?: ReactNode;
}

export function Gallery(props: GalleryProps) {
  const { samples, workflows } = props;
  const makes = props.may('workflow_create');
  // A sample is opened as a file of one's own.
  const [featured, ...others] = (makes && samples.data) || [];
  const recent = <RecentSection {...props} />;
  // Who has workflows looks for them; who has none looks for samples.
  const own = (workflows.data?.length ?? 0) > 0;
  // Until it is known which of the two comes first, rows hold the place of both.
  const known = workflows.data !== undefined || workflows.error !== null;
  return (
    <div className="g-mid">
      <section className="g-main" aria-label={t('gallery.title')}>
        <p className="t2 g-intro">{t('gallery.intro')}</p>
        {known && !own ? props.notice : null}
        {samples.error && makes ? <Failed error={samples.error} retry={samples.retry} /> : null}
        {featured ? <Hero sample={featured} {...props} /> : samples.data || samples.error || !makes ? null : <HeroSkeleton />}
        {known ? (
          <>
            {own || !makes ? recent : null}
            {makes ? <>
            <div className="row"><b>{t('gallery.samples')}</b><span className="s t2">{t('gallery.samplesHint')}</span><Button small variant="ghost" className="end" onClick={props.onTemplates}>{t('templates.byJob')}</Button></div>
            <div className="g-cards">
              {others.map((sample) => <SampleCard key={sample.id} sample={sample} busy={props.busy !== null} onOpen={() => props.onOpenSample(sample)} />)}
              {samples.data || samples.error ? null : [0, 1, 2].map((n) => (
                <div key={n} className="g-card" aria-hidden="true"><svg /><span className="tx"><Skeleton rows={2} height={16} /></span></div>
              ))}
              <EmptyCard busy={props.busy !== null} keys={props.newKeys} onNew={props.onNew} />
            </div>
            {own ? null : recent}
            </> : null}
          </>
        ) : <div className="box g-rec" aria-busy="true" aria-label={t('gallery.loading')}><Skeleton rows={FEW} height={36} /></div>}
      </section>
      <aside className="g-side" aria-label={t('gallery.latest')}><Latest {...props} featured={featured} /></aside>
    </div>
  );
}

/** More than these would push the samples out of sight. */
const FEW = 8;

function RecentSection(props: GalleryProps) {
  const { workflows } = props;
  const [all, setAll] = useState(false);
  const folders = new Set(workflows.data?.map((entry) => entry.folder)).size;
  const count = workflows.data?.length ?? 0;
  return (
    <section className="g-recent" aria-label={t('gallery.recent')}>
      <div className="row">
        <b>{t('gallery.recent')}</b>
        {folders > 0 ? <span className="s t2">{tn('gallery.recentFrom', folders)}</span> : null}
        {count > FEW ? <Button small variant="ghost" className="end" aria-expanded={all} onClick={() => setAll(!all)}>{all ? t('gallery.fewer') : t('gallery.showAll', { n: formatNumber(count) })}</Button> : null}
      </div>
      {workflows.error ? <Failed error={workflows.error} retry={workflows.retry} /> : <Recent {...props} entries={workflows.data?.slice(0, all ? count : FEW) ?? []} />}
    </section>
  );
}

function Failed({ error, retry }: { error: ApiError; retry(): void }) {
  return (
    <Banner signal="err" title={error.message} actions={<Button small icon="retry" onClick={retry}>{t('common.tryAgain')}</Button>}>
      {error.hint ? <span className="s t2">{error.hint}</span> : null}
    </Banner>
  );
}

function Hero({ sample, busy, onRunSample, onOpenSample }: { sample: Sample } & GalleryProps) {
  return (
    <div className="g-hero">
      <div>
        <h2 className="l">{sample.title}</h2>
        <p className="t2">{sample.description}</p>
        <p className="s t2 traits">
          {sample.traits.map((trait) => <span key={trait}><Icon name="check" size={12} />{trait}</span>)}
        </p>
        <div className="row go">
          <Button variant="primary" icon="play" keys="Enter" busy={busy === `run:${sample.id}`} disabled={busy !== null} onClick={() => onRunSample(sample)}>
            {t('gallery.run')}
          </Button>
          <Button icon="flow" busy={busy === `open:${sample.id}`} disabled={busy !== null} onClick={() => onOpenSample(sample)}>{t('gallery.build')}</Button>
        </div>
      </div>
      <div><GraphArt workflow={sample.document} large width={456} height={196} label={t('gallery.graph', { name: sample.title })} /></div>
    </div>
  );
}

function HeroSkeleton() {
  return <div className="g-hero" aria-hidden="true"><div><Skeleton rows={4} /></div><div /></div>;
}

function SampleCard({ sample, busy, onOpen }: { sample: Sample; busy: boolean; onOpen(): void }) {
  const traits = [tn('common.steps', sample.steps), ...sample.traits].join(', ');
  return (
    <div className="g-cell">
      <SampleButton {...{ sample, busy, onOpen, traits }} />
      {sample.needs.map((need) => <Need key={`${need.kind} ${need.name ?? ''}`} need={need} />)}
    </div>
  );
}

const NEED = { model: 'gallery.need.model', pricedModel: 'gallery.need.pricedModel', toolServer: 'gallery.need.toolServer' } as const;

/** What has to be set up before a sample runs, and where. */
function Need({ need }: { need: SampleNeed }) {
  const words = t(NEED[need.kind], { name: need.name ?? '' });
  if (need.ready) return <p className="s t3 g-need"><Icon name="check" size={12} /><span>{t('gallery.need.ready', { what: words })}</span></p>;
  return (
    <p className="s g-need">
      <SignalIcon signal="warn" /><span>{t('gallery.need.missing', { what: words })} <a href="#/settings">{t('gallery.need.setUp')}</a></span>
    </p>
  );
}

function SampleButton({ sample, busy, onOpen, traits }: { sample: Sample; busy: boolean; onOpen(): void; traits: string }) {
  return (
    <button type="button" className="g-card" disabled={busy} onClick={onOpen}>
      <GraphArt workflow={sample.document} width={264} height={80} />
      <span className="tx">
        <b className="ell"><span className="vh">{t('gallery.sampleOpen')} </span>{sample.title}</b>
        <span className="s t2 g-what" title={sample.description}>{sample.description}</span>
        <span className="s t3 ell" style={{ marginTop: 4 }} title={traits}>{traits}</span>
      </span>
    </button>
  );
}

function EmptyCard({ busy, keys, onNew }: { busy: boolean; keys: string | undefined; onNew(): void }) {
  return (
    <button type="button" className="g-card" disabled={busy} onClick={onNew}>
      <svg viewBox="0 0 264 80" aria-hidden="true">
        <path d="M24 40h216" stroke="var(--line-control)" strokeWidth="2" strokeDasharray="4 4" />
        <rect x="116.5" y="24.5" width="32" height="32" rx="6" fill="var(--bg-surface)" stroke="var(--line-control)" />
        <path d="M132.5 33v15M125 40.5h15" stroke="var(--text-2)" strokeWidth="1.5" />
      </svg>
      <span className="tx">
        <b>{t('gallery.empty')}</b>
        <span className="s t2 g-what">{t('gallery.emptyText')}</span>
        <span className="s t3" style={{ marginTop: 4 }}>{keys ? <Kbd keys={keys} /> : ' '}</span>
      </span>
    </button>
  );
}

function Recent({ entries, may, onOpen, onDuplicate, onDelete, onShowRuns }: GalleryProps & { entries: WorkflowEntry[] }) {
  if (entries.length === 0) {
    return <div className="box"><EmptyState title={t('gallery.noRecent')} text={t(may('workflow_create') ? 'gallery.noRecentText' : 'gallery.noRecentRole')} /></div>;
  }
  return (
    <div className="box g-rec" role="list">
      {entries.map((entry) => (
        <div key={entry.ref} className="g-row" role="listitem">
          <Icon name="flow" className="t2" />
          <button type="button" className="open ell" onClick={() => onOpen(entry)} title={plain(entry.description ?? entry.name)}><Pieces text={entry.name} /></button>
          <span className="s t2 ell" title={entry.path}>{t('gallery.folder', { folder: lastPart(entry.folder), steps: tn('common.steps', entry.nodes) })}</span>
          <span className="s cell"><EntryState entry={entry} /></span>
          <span className="s t3 cell" style={{ justifyContent: 'flex-end' }} title={entry.modifiedAt}>{formatAgo(entry.lastRun?.startedAt ?? entry.modifiedAt)}</span>
          <Menu trigger={<IconButton small icon="dots" label={t('common.actions', { name: entry.name })} />} entries={[
            { id: 'open', label: t('common.open'), icon: 'flow', onSelect: () => onOpen(entry) },
            ...(may('workflow_duplicate') ? [{ id: 'duplicate', label: t('gallery.duplicate'), icon: 'copy' as const, disabled: Boolean(entry.problem), onSelect: () => onDuplicate(entry) }] : []),
            { id: 'runs', label: t('gallery.runs'), icon: 'runs', onSelect: () => onShowRuns(entry) },
            ...(may('workflow_delete') ? [null, { id: 'delete', label: t('gallery.delete'), icon: 'x' as const, danger: true, onSelect: () => onDelete(entry) }] : []),
          ]} />
        </div>
      ))}
    </div>
  );
}

/** The name of a folder; the whole path is in the tooltip. */
function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

function EntryState({ entry }: { entry: WorkflowEntry }) {
  if (entry.problem) return <><SignalIcon signal="warn" /><span className="ell" title={entry.problem}>{t('gallery.cannotRead')}</span></>;
  if (entry.hasDraft) return <><SignalIcon signal="idle" /><span className="ell" title={t('gallery.draft')}>{t('gallery.draft')}</span></>;
  if (!entry.lastRun && entry.ranBefore !== undefined) return <span className="t3 ell" title={t('gallery.runsDeletedText', { day: entry.ranBefore })}>{t('gallery.runsDeleted')}</span>;
  if (!entry.lastRun) return <span className="t3">{t('gallery.neverRun')}</span>;
  return <><StatusIcon {...entry.lastRun} /><span className="ell" title={entry.lastRun.errorMessage}>{outcomeText(entry.lastRun)}</span></>;
}

function Latest({ runs, runHref, featured, busy, onRunSample, onShowRuns }: GalleryProps & { featured: Sample | undefined }) {
  return (
    <>
      <div className="row">
        <span className="cap">{t('gallery.latest')}</span>
        {runs.data?.length ? <Button small variant="ghost" className="end" onClick={() => onShowRuns(null)}>{t('gallery.allRuns')}</Button> : null}
      </div>
      {runs.error ? <Failed error={runs.error} retry={runs.retry} /> : null}
      {!runs.data && !runs.error ? <div className="box" style={{ padding: '0 12px' }}><Skeleton rows={5} height={36} /></div> : null}
      {runs.data?.length === 0 ? (
        <div className="box">
          <EmptyState art={<RunsArt />} title={t('gallery.noRuns')} text={t('gallery.noRunsText')}
            actions={featured ? <Button icon="play" disabled={busy !== null} onClick={() => onRunSample(featured)}>{t('gallery.run')}</Button> : null} />
        </div>
      ) : null}
      {runs.data?.length ? (
        <div className="box">
          {runs.data.map((run) => (
            <a key={run.runId} className="g-run" href={runHref(run.runId)}>
              <StatusIcon {...run} />
              <span className="col">
                <span className="ell" title={plain(run.workflowName)}><bdi><Pieces text={run.workflowName} /></bdi></span>
                <span className="s t2 ell" title={run.errorMessage ?? outcomeText(run)}>{run.errorMessage ?? outcomeText(run)}</span>
              </span>
              <span className="s t3">{formatAgo(run.startedAt)}</span>
            </a>
          ))}
        </div>
      ) : null}
    </>
  );
}

export function RunsArt() {
  return (
    <svg className="art" viewBox="0 0 336 72" aria-hidden="true">
      <path d="M0 36h336" stroke="var(--line-strong)" />
      {[[16.5, 8.5, 56], [76.5, 22.5, 96], [120.5, 40.5, 64], [188.5, 54.5, 120]].map(([x, y, w]) => (
        <rect key={x} x={x} y={y} width={w} height="10" rx="2" fill="var(--bg-sunken)" stroke="var(--line-control)" strokeDasharray="3 2" />
      ))}
      <path d="M232.5 0v72" stroke="var(--sel)" />
    </svg>
  );
}
