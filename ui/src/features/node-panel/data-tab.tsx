// What a step got and made: JSON, table or schema of one item, with search; fields can be dragged onto settings.

import { memo, useMemo, useState, type ReactNode } from 'react';
import { codeOf, errorText } from '../../api/error.ts';
import { BytesView } from '../../code/BytesView.tsx';
import { RunFiles } from '../../code/RunFiles.tsx';
import { RunTrace } from '../../code/RunTrace.tsx';
import { Name, ValueView, CopyButton } from '../../code/ValueView.tsx';
import { isCut } from '../../json/json.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { columnsOf, formatSize, keyOf, schemaOf, sizeOf } from '../../code/value-lines.ts';
import { formatDateTime, formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, IconButton, Segmented, Skeleton, TextInput } from '../../kit/index.ts';
import { LoadMore } from '../../shared/load-more.tsx';
import { shortRunId } from '../../shared/run-status.tsx';
import type { StepDataState, StepValues } from './step-data.ts';

type View = 'json' | 'table' | 'schema';

/** What ports are called, by their ids. */
export type PortTitles = { readonly [port: string]: string };

export interface DataTabProps {
  /** Nothing can be dragged onto a setting. */
  readOnly?: boolean;
  /** The output holds a list: a step behind takes its entries one by one. */
  onEachEntry?: (() => void) | undefined;
  nodeId: string;
  side: 'input' | 'output';
  state: StepDataState;
  item: number;
  onItem: (item: number) => void;
  /** Expression of the shown item's data, for dragging. */
  root?: string | undefined;
  /** Iteration or branch that the values are of, in words. */
  where?: string | undefined;
  /** What the ports are called on the card. */
  portTitles?: PortTitles | undefined;
  /** Above the data: pins the output. */
  head?: ReactNode;
  /** Below it: what earlier steps put out. */
  foot?: ReactNode;
}

export const DataTab = memo(function DataTab({ head, foot, ...props }: DataTabProps) {
  if (!head && !foot) return <Data {...props} />;
  return (
    <div className="data-with-head">
      {head ? <div className="data-head">{head}</div> : null}
      <Data {...props} />
      {foot ? <div className="data-foot">{foot}</div> : null}
    </div>
  );
});

function Data({ nodeId, side, state, item, onItem, root, where, portTitles, readOnly = false, onEachEntry }: Omit<DataTabProps, 'head' | 'foot'>) {
  switch (state.kind) {
    case 'loading':
      return <div className="panel-body"><Skeleton rows={6} height={20} /></div>;
    case 'failed':
      return <div className="panel-body"><Banner signal="warn" title={t('data.loadFailed')}><p className="s t2">{errorText(state.error)}</p></Banner></div>;
    case 'none':
      return <div className="panel-body"><EmptyState title={t('data.none')} text={t('data.noneText')} /></div>;
    case 'not_called':
      return <div className="panel-body"><EmptyState title={t(state.reading ? 'data.notRead' : state.yet ? 'data.notYet' : 'data.notCalled')} text={t(state.reading ? 'data.notReadText' : state.yet ? 'data.notYetText' : 'data.notCalledText')} /></div>;
    case 'not_loaded':
      return <div className="panel-body"><EmptyState title={t('gap.step')} text={state.calls === undefined ? t('gap.roundText') : t('gap.stepText', { n: formatNumber(state.calls) })} actions={<LoadMore />} /></div>;
    case 'kept':
      return <div className="panel-body"><EmptyState title={t('data.kept')} text={t('data.keptText')} actions={<KeptFrom runId={state.runId} />} /></div>;
    case 'data':
      // What arrives is known, and nothing of what it will put out.
      if (side === 'output' && state.values.source.startsWith('arrives') && Object.keys(state.values.output).length === 0) return <div className="panel-body"><EmptyState title={t('data.notYet')} text={t('data.outputNotYet')} /></div>;
      return <Values readOnly={readOnly} onEachEntry={onEachEntry} nodeId={nodeId} side={side} values={state.values} item={item} onItem={onItem} root={root} where={where} portTitles={portTitles} />;
  }
}

const KeptFrom = ({ runId }: { runId: string }) => <a href={`#/run/${encodeURIComponent(runId)}`}>{t('data.keptFrom', { run: shortRunId(runId) })}</a>;

function Values({ nodeId, side, values, item, onItem, root, where, portTitles, readOnly, onEachEntry }: { readOnly: boolean; portTitles: PortTitles | undefined; onEachEntry: (() => void) | undefined; where: string | undefined; nodeId: string; side: 'input' | 'output'; values: StepValues; item: number; onItem: (item: number) => void; root: string | undefined }) {
  const [view, setView] = useState<View>('json');
  const [search, setSearch] = useState('');
  const ports = useMemo(() => inOrder(Object.keys(values.output), portTitles), [values, portTitles]);
  const [chosen, setPort] = useState<string | null>(null);
  const port = chosen !== null && ports.includes(chosen) ? chosen : (ports[0] ?? '');
  const data = useMemo<unknown[]>(
    () => (side === 'input' ? values.input.map((one) => one.data) : (values.output[port] ?? []).map((one) => one.data)),
    [side, values, port],
  );
  const at = Math.min(item, Math.max(0, data.length - 1));
  // Of a long list the first items are here; a step that reads it where it lies is not told its items again.
  const count = Math.max(data.length, (side === 'input' ? values.counts?.input : values.counts?.output[port]) ?? 0);
  const label = t(side === 'input' ? 'data.input' : 'data.output');
  return (
    <div className="panel-body">
      <div className="row s t2">
        <span className="grow ell" title={where && plain(where)}>{values.source === 'kept' ? <KeptFrom runId={values.runId} /> : <Pieces text={sourceText(values, where)} />}</span>
        {data.length > 1 ? (
          <span className="row prev-pick">
            <IconButton small icon="left" label={t('data.previous')} disabled={at <= 0} onClick={() => onItem(at - 1)} />
            <span className="nw">{t('data.item', { n: at + 1, m: data.length })}</span>
            <IconButton small icon="right" label={t('data.next')} disabled={at >= data.length - 1} onClick={() => onItem(at + 1)} />
          </span>
        ) : (
          <span className="nw">{count === 0 ? t('data.itemsNone') : tn('data.items', count)}</span>
        )}
      </div>
      {data.length > 0 && count > data.length ? <p className="s t2">{t('data.firstOf', { m: formatNumber(data.length), n: formatNumber(count) })}</p> : null}
      {side === 'output' && ports.length > 1 ? (
        <Segmented small label={t('data.port')} value={port} onChange={setPort} options={ports.map((name) => ({ value: name, label: `${portTitles?.[name] ?? name} ${String(Math.max(values.output[name]?.length ?? 0, values.counts?.output[name] ?? 0))}` }))} />
      ) : null}
      {side === 'output' && values.error ? (
        <Banner signal="err" title={plain(values.error.message)}><p className="s t2"><code>{codeOf(values.error)}</code></p></Banner>
      ) : null}
      {data.length === 0 ? (
        side === 'output' && values.error ? null : (
          <p className="s t3">{values.running ? t('data.runningText') : values.source === 'waiting' ? t('data.notYet') : side === 'output' ? t(values.source.startsWith('arrives') ? 'data.notYet' : 'data.outputNone') : count > 0 ? t('data.inputElsewhere') : t('data.itemsNone')}</p>
        )
      ) : (
        <>
          {onEachEntry ? <div className="row"><Button small icon="plus" onClick={onEachEntry}>{t('data.eachEntry')}</Button></div> : null}
          {side === 'output' ? <BytesView runId={values.runId} step={nodeId} items={(values.output[port] ?? []).slice(at, at + 1)} /> : null}
          <div className="row data-tools">
            <TextInput icon="search" className="grow" aria-label={t('data.search')} placeholder={t('data.search')} value={search} onChange={setSearch} />
            <Segmented<View> small label={t('data.view')} value={view} onChange={setView}
              options={[{ value: 'json', label: t('data.view.json') }, { value: 'table', label: t('data.view.table') }, { value: 'schema', label: t('data.view.schema') }]} />
          </div>
          {view === 'json' ? (
            <>
              <ValueView value={data[at]} root={root} search={search} label={label} />
              <div className="row s t3"><span className="grow">{root && !readOnly ? t('data.dragHint') : ''}</span><span>{formatSize(sizeOf(data[at]))}</span><CopyButton value={data[at]} /></div>
            </>
          ) : view === 'table' ? (
            <>
              <Table data={data} root={readOnly ? undefined : root} at={at} onItem={onItem} search={search} label={label} />
              {root && !readOnly ? <p className="s t3">{t('data.dragHint')}</p> : null}
            </>
          ) : (
            <Schema data={data} root={root} search={search} label={label} />
          )}
        </>
      )}
      {side === 'output' && values.runId !== '' ? <RunFiles runId={values.runId} stepId={nodeId} version={String(values.running)} title={<h3 className="cap">{t('files.title')}</h3>} /> : null}
      {side === 'output' && values.runId !== '' ? <RunTrace runId={values.runId} stepId={nodeId} path={values.path} /> : null}
      {side === 'input' && values.config !== undefined && values.config !== null ? (
        <details className="data-config">
          <summary className="cap">{t('data.config')}</summary>
          <ValueView value={values.config} label={t('data.config')} />
        </details>
      ) : null}
    </div>
  );
}

function sourceText({ source, startedAt }: StepValues, where: string | undefined): string {
  if (source === 'waiting') return t('data.sourceWaiting');
  if (source === 'pinned') return t('pins.band');
  if (source === 'arrives' || source === 'arrivesPinned') return t(`data.${source}`);
  if (source === 'last') return t('data.source', { time: formatDateTime(startedAt) });
  return where ? t('data.sourceLiveAt', { where }) : t('data.sourceLive');
}

/** As on the card, whichever of them something came out of first; others behind. */
function inOrder(ports: string[], titles: PortTitles | undefined): string[] {
  const known = Object.keys(titles ?? {});
  return ports.toSorted((a, b) => (known.includes(a) ? known.indexOf(a) : known.length) - (known.includes(b) ? known.indexOf(b) : known.length));
}

const ROWS = 200;

function Table({ data, root, at, onItem, search, label }: { data: readonly unknown[]; root: string | undefined; at: number; onItem: (item: number) => void; search: string; label: string }) {
  const [limit, setLimit] = useState(ROWS);
  const columns = useMemo(() => columnsOf(data), [data]);
  const needle = search.trim().toLowerCase();
  const rows = useMemo(
    () => data.map((one, index) => ({ one, index })).filter(({ one }) => needle === '' || (JSON.stringify(one) ?? '').toLowerCase().includes(needle)),
    [data, needle],
  );
  if (rows.length === 0) return <p className="s t3">{t('value.noMatch', { text: search })}</p>;
  const plain = columns.length === 0;
  return (
    <div className="box data-table">
      <table aria-label={label}>
        <thead><tr><th scope="col">#</th>{plain ? <th scope="col">{label}</th> : columns.map((name) => <th scope="col" key={name}><Name name={name} path={[name]} root={root} /></th>)}</tr></thead>
        <tbody>
          {rows.slice(0, limit).map(({ one, index }) => (
            <tr key={index} className={index === at ? 'on' : ''} onClick={() => onItem(index)}>
              <th scope="row">{index + 1}</th>
              {plain ? <td><Pieces text={cell(one)} /></td> : columns.map((name) => <td key={name}><Pieces text={cell((one as Record<string, unknown> | null)?.[name])} /></td>)}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit ? <button type="button" className="value-more" onClick={() => setLimit(limit + ROWS)}>{t('value.moreRows', { n: Math.min(ROWS, rows.length - limit) })}</button> : null}
    </div>
  );
}

function cell(value: unknown): string {
  if (value === undefined) return '';
  if (isCut(value)) return t('value.cut', { size: formatSize(value.length) });
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function Schema({ data, root, search, label }: { data: readonly unknown[]; root: string | undefined; search: string; label: string }) {
  const needle = search.trim().toLowerCase();
  const lines = useMemo(() => schemaOf(data).filter((line) => needle === '' || line.name.toLowerCase().includes(needle)), [data, needle]);
  if (lines.length === 0) return <p className="s t3">{needle === '' ? t('value.empty') : t('value.noMatch', { text: search })}</p>;
  return (
    <div className="well value" role="group" aria-label={label}>
      {lines.map((line) => (
        <div className="vl schema-line" key={keyOf(line.path)} style={{ paddingLeft: line.depth * 12 }}>
          <Name name={line.name} path={line.path} root={root} />
          <span className="t3">{line.types.join(t('value.typesOr'))}{line.seen < data.length && line.depth === 0 ? '?' : ''}</span>
          {line.sample === undefined ? null : <span className="t2 ell"><Pieces text={line.sample} /></span>}
        </div>
      ))}
    </div>
  );
}
