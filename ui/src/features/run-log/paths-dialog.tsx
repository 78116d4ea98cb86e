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

/** All pages, one after the other; the dialog shows what is there already. */
function usePaths(runId: string) {
  const [paths, setPaths] = useState<readonly RunPath[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let open = true;
    const read = async () => {
      const order = new PathOrder<RunPath>();
      for (let after: number | undefined; ;) {
        const page = await call('run_paths', { runId, ...(after === undefined ? {} : { after }) });
        if (!open) return;
        setPaths(order.with(page.paths));
        after = page.paths.at(-1)?.firstSeq;
        if (!page.truncated || after === undefined) return;
      }
    };
    read().catch((cause: unknown) => { if (open) setError(toApiError(cause)); });
    return () => { open = false; };
  }, [runId, turn]);
  const again = useCallback(() => { setError(null); setTurn((before) => before + 1); }, []);
  return { paths, error, again };
}

export function PathsDialog({ runId, words, onLook, onClose }: { runId: string; words: (path: string) => string; onLook: (path: string) => void; onClose: () => void }) {
  const { paths, error, again } = usePaths(runId);
  const [stand, setStand] = useState<Stand>('all');
  const [at, setAt] = useState(0);
  const counts = useMemo(() => {
    const sums = { failed: 0, waiting: 0, running: 0, done: 0 };
    for (const path of paths ?? []) sums[standOf(path)]++;
    return sums;
  }, [paths]);
  const shown = useMemo(() => (paths ?? []).filter((path) => stand === 'all' || standOf(path) === stand), [paths, stand]);
  return (
    <Dialog open title={t('paths.title')} closeLabel={t('common.close')} width={560} onClose={onClose}>
      {error ? <EmptyState title={error.message} text={error.hint} actions={<Button icon="retry" onClick={again}>{t('common.tryAgain')}</Button>} /> : paths === null ? <Skeleton rows={6} /> : (
        <div className="paths">
          <p className="s t2">{tn('paths.text', paths.length)}</p>
          <Segmented<Stand> small label={t('paths.filter')} value={stand} onChange={(next) => { setStand(next); setAt(0); }}
            options={[{ value: 'all', label: t('paths.all') }, { value: 'failed', label: t('paths.failed', { n: formatNumber(counts.failed) }) }, { value: 'waiting', label: t('paths.waiting', { n: formatNumber(counts.waiting) }) }, { value: 'running', label: t('paths.running', { n: formatNumber(counts.running) }) }]} />
          {shown.length === 0 ? <p className="s t3">{t('paths.none')}</p> : (
            <VirtualList<RunPath> className="paths-list" items={shown} rowHeight={28} keyOf={(path) => path.path} label={t('paths.title')} selected={at} onSelect={setAt} clickOpens
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
