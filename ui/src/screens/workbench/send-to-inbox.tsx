import { useRef, useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Button, toast } from '../../kit/index.ts';
import { attempt } from '../commands.ts';
import { navigate } from '../router.ts';

/**
 * Has a person asked about the call that failed the run (C23): one press, one task. While that task's run has not ended the
 * way to it stands in place of the button.
 */
export function SendToInbox({ runId }: { runId: string }) {
  const may = usePermission();
  const { data } = useCommand('run_get', { runId }, { enabled: runId !== '' });
  const [busy, setBusy] = useState(false);
  // A second press comes before the first has drawn anything.
  const going = useRef(false);
  if (runId === '') return null;
  const open = (taskId: string | undefined) => navigate(taskId === undefined ? { screen: 'inbox' } : { screen: 'inbox', taskId });
  if (data?.sentAs) {
    const { taskId } = data.sentAs;
    // It stands where the button stood: the second press of a double click is not meant for it.
    return <Button icon="inbox" title={t('run.sentHint')} onClick={(event) => { if (event.detail < 2) open(taskId); }}>{t('run.sentOpen')}</Button>;
  }
  if (!may('run_send')) return null;
  async function send() {
    if (going.current) return;
    going.current = true;
    setBusy(true);
    const sent = await attempt(() => act('run_send', { runId }), t('run.sendFailed'));
    if (sent) toast({ signal: 'person', text: t(sent.already ? 'run.sentAlready' : 'run.sent'), action: { label: t('run.sentOpen'), run: () => open(sent.taskId) } });
    going.current = false;
    setBusy(false);
  }
  return <Button icon="inbox" busy={busy} title={t('run.sendHint')} onClick={() => void send()}>{t('run.send')}</Button>;
}
