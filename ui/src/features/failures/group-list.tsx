/** Groups of failures, those that failed last first. */
import './failures.css';
import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import type { Commands } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatAgo, formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Skeleton, VirtualList } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';

type Page = Commands['failure_groups']['response'];

const PAGE = 100;

export function GroupList({ selected, onSelect }: { selected: string | undefined; onSelect(group: string): void }) {
  const query = useInfiniteQuery<Page, ApiError, { pages: Page[] }, unknown[], string | undefined>({
    queryKey: ['failure_groups', {}, 'pages'],
    queryFn: ({ pageParam, signal }) => call('failure_groups', { limit: PAGE, ...(pageParam ? { after: pageParam } : {}) }, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next,
    refetchInterval: 3_000,
    placeholderData: (old) => old,
  });
  const groups = useMemo(() => query.data?.pages.flatMap((page) => page.groups), [query.data]);
  const first = query.data?.pages[0];
  const at = groups?.findIndex((group) => group.group === selected) ?? -1;
  return (
    <section className="fl-groups" aria-label={t('failures.title')}>
      <div className="fl-bar s t2" role="status">
        {first ? tn('failures.groups', first.total) : null}
        {first?.filling ? <span className="t3">{t('failures.filling')}</span> : null}
      </div>
      {query.error ? <Banner signal="err" title={query.error.message} actions={<Button small icon="retry" onClick={() => void query.refetch()}>{t('common.tryAgain')}</Button>}><span className="s t2">{query.error.hint}</span></Banner> : null}
      {groups === undefined ? (query.error ? null : <div style={{ padding: 16 }}><Skeleton rows={6} /></div>) : groups.length === 0 ? (
        <EmptyState title={t('failures.none')} text={t('failures.noneText')} />
      ) : (
        <VirtualList clickOpens label={t('failures.list')} items={groups} rowHeight={48} keyOf={(group) => group.group} {...(at < 0 ? {} : { selected: at })}
          onSelect={(index) => { const group = groups[index]; if (group) onSelect(group.group); }}
          onOpen={(index) => { const group = groups[index]; if (group) onSelect(group.group); }}
          onEnd={() => { if (query.hasNextPage && !query.isFetching) void query.fetchNextPage(); }}
          row={(group) => (
            <div className="fl-group">
              <span className="fl-count c-err" aria-label={tn('failures.open', group.open)}>{formatNumber(group.open)}</span>
              <span className="fl-cause">
                <b className="ell" title={plain(group.message)}><Pieces text={group.code ? `${group.code}: ${group.sample || group.message}` : group.sample || group.message} /></b>
                <span className="ell t2">{t('failures.at', { workflow: plain(group.workflowName), step: plain(group.stepTitle ?? group.stepId) })}</span>
              </span>
              <span className="t3 nw">{formatAgo(group.lastAt)}</span>
            </div>
          )} />
      )}
    </section>
  );
}
