// Iterations and branches of a run by how they stand, as the host knows them: one failed round of thousands is found without reading every event.

import { useCallback, useEffect, useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import type { Commands } from '../../api/types.ts';
import { formatNumber, t, tn } from '../../i18n/index.ts';
import { Button, Dialog, EmptyState, Segmented, SignalIcon, Skeleton, VirtualList, type Signal } from '../../kit/index.ts';
import { PathOrder } from './path-order.ts';

type RunPath = Commands['run_paths']['response']['paths'][number];
type Stand = 'all' | 'failed' | 'waiting' | 'running';

export const standOf = (path: RunPath): Exclude<Stand, 'all'> | 'done' => (path.waiting ? 'waiting' : path.failed ? 'failed' : path.running ? 'running' : 'done');
const SIGNAL: { readonly [S in ReturnType<typeof standOf>]: Signal } = { waiting: 'person', failed: 'err', running: 'run', done: 'ok' };

/** What is there is drawn so often while pages come: each drawing looks at all of it. */
const DRAW_MS = 250;

/** All pages, one after the other; the dialog shows what is there already. `all`: it was the last one. */
function usePaths(runId: string) {
  const [{ paths, all }, setRead] = useState<{ paths: readonly RunPath[] | null; all: boolean }>({ paths: null, all: false });
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let open = true;
    const read = async () => {
      const order = new PathOrder<RunPath>();
      let fresh: RunPath[] = [];
      let drawn = -Infinity;
      for (let after: number | undefined; ;) {
        const page = await call('run_paths', { runId, ...(after === undefined ? {} : { after }) });
        if (!open) return;
        fresh.push(...page.paths);
        after = page.paths.at(-1)?.firstSeq;
        const last = !page.truncated || after === undefined;
        if (last || performance.now() - drawn >= DRAW_MS) {
          setRead({ paths: order.with(fresh), all: last });
          fresh = [];
          drawn = performance.now();
        }
        if (last) return;
      }
    };
    read().catch((cause: unknown) => { if (open) setError(toApiError(cause)); });
    return () => { open = false; };
  }, [runId, turn]);
  const again = useCallback(() => { setError(null); setTurn((before) => before + 1); }, []);
  return { paths, all, error, again };
}

export function PathsDialog({ runId, live, words, onLook, onClose }: { runId: string; /** More may come. */ live: boolean; words: (path: string) => string; onLook: (path: string) => void; onClose: () => void }) {
  const { paths, all, error, again } = usePaths(runId);
  const [stand, setStand] = useState<Stand>('all');
  // By its name: a page that comes later may be laid in before it.
  const [chosen, setChosen] = useState<string | null>(null);
  const counts = useMemo(() => {
    const sums = { failed: 0, waiting: 0, running: 0, done: 0 };
    for (const path of paths ?? []) sums[standOf(path)]++;
    return sums;
  }, [paths]);
  const shown = useMemo(() => (paths ?? []).filter((path) => stand === 'all' || standOf(path) === stand), [paths, stand]);
  const at = useMemo(() => Math.max(0, chosen === null ? 0 : shown.findIndex((path) => path.path === chosen)), [shown, chosen]);
  return (
    <Dialog open title={t('paths.title')} closeLabel={t('common.close')} width={560} onClose={onClose}>
      {error ? <EmptyState title={error.message} text={error.hint} actions={<Button icon="retry" onClick={again}>{t('common.tryAgain')}</Button>} /> : paths === null ? <Skeleton rows={6} /> : (
        <div className="paths">
          <p className="s t2">{tn(all && !live ? 'paths.text' : 'paths.soFar', paths.length)}</p>
          <Segmented<Stand> small label={t('paths.filter')} value={stand} onChange={(next) => { setStand(next); setChosen(null); }}
            options={[{ value: 'all', label: t('paths.all') }, { value: 'failed', label: t('paths.failed', { n: formatNumber(counts.failed) }) }, { value: 'waiting', label: t('paths.waiting', { n: formatNumber(counts.waiting) }) }, { value: 'running', label: t('paths.running', { n: formatNumber(counts.running) }) }]} />
          {shown.length === 0 ? <p className="s t3">{t('paths.none')}</p> : (
            <VirtualList<RunPath> className="paths-list" items={shown} rowHeight={28} keyOf={(path) => path.path} label={t('paths.title')} selected={at} onSelect={(index) => setChosen(shown[index]?.path ?? null)} clickOpens
              onOpen={(index) => { const path = shown[index]; if (path) onLook(path.path); }}
              row={(path) => {
                const how = standOf(path);
                return <div className="paths-row s"><SignalIcon signal={SIGNAL[how]} label={t(`paths.is.${how}`)} /><span className="ell grow" title={path.path}>{words(path.path)}</span><span className="t3">{path.kept ? t('paths.kept') : t('paths.events', { from: formatNumber(path.firstSeq), to: formatNumber(path.lastSeq) })}</span></div>;
              }} />
          )}
        </div>
      )}
    </Dialog>
  );
}
