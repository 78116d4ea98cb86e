/** A group of failures: what it is, the correction with its preview, replays, and the failures themselves. */
import { useMemo, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatDateTime, formatNumber, t, tn } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Skeleton, VirtualList } from '../../kit/index.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { plain } from '../../text/letters.ts';
import { CorrectionForm } from './correction-form.tsx';
import { ReplayCard } from './replay-card.tsx';

type Members = Commands['failure_members']['response'];

const PAGE = 200;

export interface GroupDetailProps {
  group: string;
  onOpenRun(runId: string): void;
  onOpenTask(taskId: string): void;
  onPropose(): void;
}

export function GroupDetail({ group, onOpenRun, onOpenTask, onPropose }: GroupDetailProps) {
  const may = usePermission();
  const query = useCommand('failure_group', { group }, {
    // Progress is looked at while there is some.
    refetchInterval: (state) => (state.state.data?.replays.some((one) => one.status === 'running' || one.running > 0) ? 500 : 3_000),
    placeholderData: (old) => old,
  });
  const [chosen, setChosen] = useState<Members['failures'][number] | null>(null);
  const details = query.data;
  if (!details) {
    return <div className="fl-det">{query.error ? <Banner signal="err" title={query.error.message}><span className="s t2">{query.error.hint}</span></Banner> : <Skeleton rows={6} />}</div>;
  }
  const step = plain(details.stepTitle ?? details.stepId);
  const sample = chosen ?? details.newest;
  return (
    <div className="fl-det">
      <section className="fl-card" aria-label={t('failures.title')}>
        <h2 className="l">{tn('failures.open', details.open)}</h2>
        <span className="t2">{t('failures.at', { workflow: plain(details.workflowName), step })}</span>
        <span className="fl-message">{details.code ? <b>{plain(details.code)} </b> : null}<Pieces text={details.sample} /></span>
        <span className="s t3">{t('failures.between', { first: formatDateTime(details.firstAt), last: formatDateTime(details.lastAt), total: formatNumber(details.total) })}</span>
        <details><summary className="s t2">{t('failures.shape')}</summary><pre className="fl-shape mono" tabIndex={0}>{details.shape.map(plain).join('\n')}</pre></details>
      </section>
      {details.suggestion ? (
        <Banner signal="info" title={t('failures.suggestion', { n: formatNumber(details.suggestion.times) })} actions={may('failure_propose') ? <Button small icon="flow" onClick={onPropose}>{t('failures.propose')}</Button> : null}>
          <span className="s t2">{t('failures.suggestionText', { step })} <code className="mono">{plain(JSON.stringify(details.suggestion.config))}</code></span>
        </Banner>
      ) : null}
      {sample && details.open > 0 ? (may('replay_start') ? <CorrectionForm group={group} open={details.open} sample={sample} /> : null) : <EmptyState title={t('failures.gone')} text={t('failures.choose')} />}
      {details.replays.length > 0 ? <h3 className="m">{t('failures.replays')}</h3> : null}
      {details.replays.map((replay) => <ReplayCard key={replay.replay} replay={replay} onOpenRun={onOpenRun} />)}
      {details.open > 0 ? <MemberList group={group} title={(place) => placeText(place, details.stepId, step)} sample={sample?.failure} onChoose={setChosen} onOpenRun={onOpenRun} onOpenTask={onOpenTask} /> : null}
    </div>
  );
}

/** The title of the step; of one in a loop with the number of the iteration. */
function placeText(place: string, stepId: string, title: string): string {
  const iterations = [...place.matchAll(/\[[^\]]*\]/g)].map(([found]) => found);
  if (place.replaceAll(/\[[^\]]*\]/g, '') !== stepId) return plain(place);
  return plain([title, ...iterations].join(' '));
}

/** Every open failure, however many there are: pages are read as they come into sight. */
function MemberList({ group, sample, title, onChoose, onOpenRun, onOpenTask }: {
  group: string; sample: number | undefined; title(stepId: string): string;
  onChoose(failure: Members['failures'][number]): void; onOpenRun(runId: string): void; onOpenTask(taskId: string): void;
}) {
  const query = useInfiniteQuery<Members, ApiError, { pages: Members[] }, unknown[], number | undefined>({
    queryKey: ['failure_members', { group }, 'pages'],
    queryFn: ({ pageParam, signal }) => call('failure_members', { group, limit: PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) }, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next,
    placeholderData: (old) => old,
  });
  const members = useMemo(() => query.data?.pages.flatMap((page) => page.failures) ?? [], [query.data]);
  const at = members.findIndex((one) => one.failure === sample);
  const open = (index: number) => {
    const one = members[index];
    if (!one) return;
    if (one.taskId) onOpenTask(one.taskId);
    else onOpenRun(one.runId);
  };
  return (
    <section className="fl-card" aria-label={t('failures.members')}>
      <h3 className="m">{t('failures.members')}</h3>
      <div className="fl-rows">
        <VirtualList label={t('failures.membersList')} items={members} rowHeight={28} keyOf={(one) => String(one.failure)} {...(at < 0 ? {} : { selected: at })}
          onSelect={(index) => { const one = members[index]; if (one) onChoose(one); }} onOpen={open}
          onEnd={() => { if (query.hasNextPage && !query.isFetching) void query.fetchNextPage(); }}
          row={(one) => (
            <div className="fl-line">
              <span className="mono t2">{shortRunId(one.runId)}</span>
              <span className="ell">{title(one.stepId)}</span>
              <span className="ell t2">{t(one.taskId ? 'failures.task' : 'failures.failedRun')}</span>
              <span className="t3 nw">{formatDateTime(one.at)}</span>
            </div>
          )} />
      </div>
    </section>
  );
}
