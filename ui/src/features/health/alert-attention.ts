// An alert about the health of a workflow is raised while nobody looks: the system says so, once for each.

import { useEffect, useRef } from 'react';
import { useCommand, usePermission } from '../../api/queries.ts';
import type { RaisedHealthAlert } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { plain } from '../../text/letters.ts';
import { mayNotify, say, useNotifyFailures } from '../../shared/notify.ts';

const keyOf = (one: RaisedHealthAlert) => `${one.alertId} ${one.workflowId} ${one.since}`;

/** The alerts that are new since the last look; what was raised at the first look is not. */
export function freshAlerts(raised: readonly RaisedHealthAlert[], known: Set<string>): RaisedHealthAlert[] {
  const first = known.size === 0;
  const found = raised.filter((one) => !known.has(keyOf(one)));
  for (const one of raised) known.add(keyOf(one));
  // Something must be known afterwards, or the next alert would be the first look again.
  known.add('');
  return first ? [] : found;
}

/** Once, in the frame. Switched with the messages about failures. */
export function useAlertAttention(onOpen: (workflow: string) => void): void {
  const [wanted] = useNotifyFailures();
  const may = usePermission();
  const { data } = useCommand('health_alerts', {}, { refetchInterval: 15_000, enabled: wanted && may('health_alerts') });
  const known = useRef(new Set<string>());
  const latest = useRef(onOpen);
  latest.current = onOpen;
  useEffect(() => {
    if (!wanted || data === undefined || mayNotify() !== 'yes') return;
    const come = freshAlerts(data.raised, known.current);
    if (document.hasFocus()) return;
    for (const alert of come) {
      const notice = { title: t('health.notice', { name: plain(alert.name) }), body: t('health.noticeText', { workflow: plain(alert.workflowName) }), runId: keyOf(alert) };
      say(notice, () => latest.current(alert.workflowId));
    }
  }, [data, wanted]);
}
