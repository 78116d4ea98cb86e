/** Above the records: copies that are late because a place does not take them. They are tried again by themselves. */
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { t, tn } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { navigate } from '../router.ts';

export function SinkBanner() {
  const sinks = useCommand('audit_sinks', {}, { refetchInterval: 10_000 });
  const { busy, run } = useAsyncAction();
  const may = usePermission();
  const late = sinks.data?.filter((sink) => sink.error !== undefined && !sink.paused) ?? [];
  if (!late.length) return null;
  return (
    <Banner signal="warn" title={t('sink.failedTitle')} actions={<>
      {may('audit_sink_now') ? <Button small icon="retry" busy={busy} onClick={() => void run(() => act('audit_sink_now', {}))}>{t('sink.now')}</Button> : null}
      <Button small onClick={() => navigate({ screen: 'settings', part: 'sinks' })}>{t('anchor.toSettings')}</Button>
    </>}>
      {late.map((sink) => <p key={sink.id} className="s t2">{sink.error} {tn('sink.waiting', sink.waiting)}</p>)}
      <p className="s t3">{t('sink.failedText')}</p>
    </Banner>
  );
}
