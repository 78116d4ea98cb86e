// Where a run comes from, when it was not begun at the beginning: another run, or a checkpoint of another program; and which runs began from it.

import { useMemo } from 'react';
import { sentences } from '../../api/error.ts';
import { stepAt } from '../../run/run-paths.ts';
import type { RunView } from '../../run/run-state.ts';
import type { NodeDescriptor, RunDetails } from '../../api/types.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import { useReruns } from '../../features/rerun/use-reruns.ts';
import { namesIn, formatStep } from '../../shared/format-path.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import { formatDateTime, formatNumber, t } from '../../i18n/index.ts';
import { Menu } from '../../kit/index.ts';
import { navigate } from '../router.ts';
import { useInnerNames } from '../workbench/inner-names.ts';

interface Props {
  run: Pick<RunDetails, 'definition' | 'parentRunId' | 'resumedFrom' | 'importedFrom'>; catalog: NodeDescriptor[];
  /** It knows the steps of other files that have begun. */
  view?: RunView | null;
}

/** The step that it began at, by its title and with its iteration. */
function useBegunAt({ run, catalog, view = null }: Props): string | undefined {
  const { definition, resumedFrom } = run;
  const names = useMemo(() => namesIn(view, definition, (id) => titleOf(definition, id, catalog)), [view, definition, catalog]);
  const titles = useInnerNames(names, resumedFrom === undefined ? null : stepAt(resumedFrom), definition, catalog);
  return resumedFrom === undefined ? undefined : formatStep(resumedFrom, titles);
}

export function Origin(props: Props) {
  const { run } = props;
  const step = useBegunAt(props);
  const parent = run.parentRunId;
  return (
    <>
      {parent === undefined ? null : <RunLink to={parent} words={step === undefined ? t('rerun.ofShort', { run: shortRunId(parent) }) : t('rerun.of', { run: shortRunId(parent), step })} />}
      {run.importedFrom ? <Imported from={run.importedFrom} step={step} /> : null}
    </>
  );
}

/** Runs form a tree: one leads to the other. */
function RunLink({ to, words }: { to: string; words: string }) {
  return <button type="button" className="link s ell" title={words} onClick={() => navigate({ screen: 'run', runId: to })}>{words}</button>;
}

/** The other way along the tree. `supersededBy`: the one that took the place of a run that waited. */
export function Began({ run, supersededBy }: { run: Pick<RunDetails, 'runId'>; supersededBy: string | undefined }) {
  const began = useReruns(run.runId, supersededBy);
  const words = (id: string): string => t(id === supersededBy ? 'rerun.tookPlace' : 'rerun.began', { run: shortRunId(id) });
  const [only, ...others] = began;
  if (only === undefined) return null;
  if (others.length === 0) return <RunLink to={only} words={words(only)} />;
  const all = t('rerun.beganMany', { n: formatNumber(began.length) });
  return (
    <Menu align="start" trigger={<button type="button" className="link s ell" title={all}>{all}</button>}
      entries={began.map((id) => ({ id, label: words(id), icon: 'retry', onSelect: () => navigate({ screen: 'run', runId: id }) }))} />
  );
}

function Imported({ from, step }: { from: NonNullable<RunDetails['importedFrom']>; step: string | undefined }) {
  const at = from.createdAt;
  const words = sentences(
    step === undefined ? t('rerun.importedOnly') : t('rerun.imported', { step }),
    from.runId === undefined ? undefined : t('rerun.importedRun', { run: from.runId }),
    at === undefined ? undefined : t('rerun.importedAt', { time: formatDateTime(at) }),
  );
  return <span className="s t2 ell" title={words}>{words}</span>;
}
