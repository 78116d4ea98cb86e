/** The address of a webhook step, and its test: the next request at the test address is shown and can start a run of the draft. */
import './webhook.css';
import { useDeferredValue, useEffect, useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { copyText } from '../../api/save-file.ts';
import type { JsonMap } from '../../api/types.ts';
import { formatTime, t, tn } from '../../i18n/index.ts';
import { Button, Icon, IconButton, SignalIcon, toast } from '../../kit/index.ts';
import { useRunWithEvent } from '../trigger-run-context.ts';
import { attempt } from '../use-async-action.ts';

/** How often the host is asked whether a request was received. */
const POLL_MS = 1_000;

export function WebhookPanel({ workflowId, nodeId, config }: { workflowId: string; nodeId: string; config: JsonMap }) {
  const now = useDeferredValue(config);
  const { data } = useCommand('hook_preview', { config: now }, { placeholderData: (old) => old });
  const may = usePermission();
  const [listening, setListening] = useState<{ listenId: string; address: string; endsAt: string } | null>(null);
  const [ended, setEnded] = useState(false);
  const [event, setEvent] = useState<JsonMap | null>(null);
  const runWith = useRunWithEvent();
  const heard = useCommand('hook_heard', { listenId: listening?.listenId ?? '' }, { enabled: listening !== null, refetchInterval: POLL_MS, gcTime: 0 }).data;
  useEffect(() => {
    if (listening === null || heard === undefined || heard.state === 'listening') return;
    if (heard.event !== undefined) setEvent(heard.event as JsonMap);
    setEnded(heard.state === 'ended');
    setListening(null);
  }, [listening, heard]);
  const listenId = listening?.listenId;
  // Who leaves the step does not listen any more; it would end by itself after some minutes.
  useEffect(() => () => { if (listenId !== undefined) void act('hook_stop', { listenId }).catch(() => undefined); }, [listenId]);

  const listen = () => attempt(async () => {
    setEnded(false);
    setListening(await act('hook_listen', { workflowId, nodeId, config }));
  }, t('hook.listenFailed'));
  const answers = data?.answers ?? false;
  return (
    <div className="webhook" role="group" aria-label={t('hook.title')}>
      <Address label={t('hook.address')} address={data?.address} />
      <span className="s t3">{t('hook.addressHint')}</span>
      {listening ? (
        <div aria-live="polite">
          <Address label={t('hook.testAddress')} address={listening.address} />
          <span className="s t2 row gap1"><SignalIcon signal="run" />{t('hook.listening', { when: formatTime(listening.endsAt) })}</span>
          {heard && heard.refused > 0 ? <span className="s c-err">{tn('hook.refused', heard.refused, { reason: heard.reason ?? '' })}</span> : null}
        </div>
      ) : null}
      {ended && !listening ? <span className="s t2" role="status">{t('hook.ended')}</span> : null}
      <div className="webhook-buttons">
        {listening
          ? <Button small icon="stop" onClick={() => setListening(null)}>{t('hook.stop')}</Button>
          : answers && may('hook_listen') ? <Button small disabled={data?.address === undefined} onClick={() => void listen()}>{t('hook.listen')}</Button> : null}
        {runWith ? <Button small icon="play" onClick={() => runWith(nodeId, event ?? sampleOf(config, `${workflowId}.${nodeId}`))}>{event ? t('hook.runEvent') : t('hook.runSample')}</Button> : null}
      </div>
      {data && !answers ? <span className="s t3">{t('hook.noServer')}</span> : null}
      {event ? (
        <div aria-live="polite">
          <span className="row gap1"><Icon name="check" size={12} /><b>{t('hook.received')}</b></span>
          <pre className="well mono s" tabIndex={0} aria-label={t('hook.received')}>{JSON.stringify(event, null, 2)}</pre>
        </div>
      ) : null}
    </div>
  );
}

/** A request that the webhook could get. */
function sampleOf(config: JsonMap, triggerId: string): JsonMap {
  const path = typeof config['path'] === 'string' ? config['path'] : '';
  return { method: 'POST', path, query: {}, headers: {}, contentType: 'application/json', body: {}, files: [], deliveryId: null, receivedAt: new Date().toISOString(), triggerId, manual: true };
}

function Address({ label, address }: { label: string; address: string | undefined }) {
  if (address === undefined) return <span className="s t3">{t('hook.noAddress')}</span>;
  const copy = () => void attempt(async () => {
    await copyText(address);
    toast({ signal: 'ok', text: t('hook.copied') });
  });
  return (
    <div>
      <span className="lab">{label}</span>
      <div className="webhook-address"><code className="mono s">{address}</code><IconButton small icon="copy" label={t('hook.copy', { what: label })} onClick={copy} /></div>
    </div>
  );
}
