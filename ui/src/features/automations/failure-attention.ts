// An active workflow failed while nobody looks: the system says so, at most once an hour for each workflow.

import { useEffect, useRef } from 'react';
import { useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { plain } from '../../text/letters.ts';
import { mayNotify, say, useNotifyFailures, type Notice } from '../../shared/notify.ts';

type Failure = Commands['failure_list']['response'][number];

/** A failure of a source has no run. */
const keyOf = (one: Failure) => one.runId ?? `${one.workflowId} ${one.failedAt}`;

/** The failures that are new since the last look; what was there at the first look is not. */
export function freshFailures(failures: readonly Failure[], known: Set<string>): Failure[] {
  const first = known.size === 0;
  const found = failures.filter((one) => !known.has(keyOf(one)));
  for (const one of failures) known.add(keyOf(one));
  // Something must be known afterwards, or the next failure would be the first look again.
  known.add('');
  return first ? [] : found;
}
export function noticeOf(failure: Failure): Notice {
  return { title: t('automations.notice', { name: plain(failure.workflowName) }), body: t(failure.runId === undefined ? 'automations.noticeSource' : 'automations.noticeText'), runId: keyOf(failure) };
}

/** Once, in the frame. */
export function useFailureAttention(onOpen: (runId?: string) => void): void {
  const [wanted] = useNotifyFailures();
  const may = usePermission();
  const { data } = useCommand('failure_list', {}, { refetchInterval: 10_000, enabled: wanted && may('failure_list') });
  const known = useRef(new Set<string>());
  const latest = useRef(onOpen);
  latest.current = onOpen;
  useEffect(() => {
    if (!wanted || data === undefined || mayNotify() !== 'yes') return;
    const come = freshFailures(data, known.current);
    if (document.hasFocus()) return;
    for (const failure of come) say(noticeOf(failure), () => latest.current(failure.runId));
  }, [data, wanted]);
}
