/** Failures by what makes them alike: one correction for all of a group. */
import { act } from '../api/queries.ts';
import { GroupDetail } from '../features/failures/group-detail.tsx';
import { GroupList } from '../features/failures/group-list.tsx';
import { t } from '../i18n/index.ts';
import { EmptyState } from '../kit/index.ts';
import { openWithProposal } from './builder/open-plan.ts';
import { attempt } from './commands.ts';
import { Screen } from './frame.tsx';
import { RunsViews } from './parts/runs-views.tsx';
import { navigate } from './router.ts';

export function FailuresScreen({ group }: { group: string | undefined }) {
  const propose = async (id: string) => {
    const made = await attempt(() => act('failure_propose', { group: id }));
    if (!made) return;
    openWithProposal(made.ref);
    navigate({ screen: 'workflow', ref: made.ref });
  };
  return (
    <Screen title={t('failures.title')} bar={<RunsViews on="failures" />}>
      <div className="fl">
        <GroupList selected={group} onSelect={(id) => navigate({ screen: 'failures', group: id })} />
        {group === undefined
          ? <div className="fl-det"><EmptyState title={t('failures.title')} text={t('failures.choose')} /></div>
          : <GroupDetail key={group} group={group} onOpenRun={(runId) => navigate({ screen: 'run', runId })} onOpenTask={(taskId) => navigate({ screen: 'inbox', taskId })} onPropose={() => void propose(group)} />}
      </div>
    </Screen>
  );
}
