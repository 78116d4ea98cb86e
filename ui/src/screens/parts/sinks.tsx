/** Destinations that receive a copy of every new audit record, with their progress and actions. */
import { useState } from 'react';
import { transport } from '../../api/client.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { sentences } from '../../api/error.ts';
import type { AuditSinkView } from '../../api/types.ts';
import { attempt } from '../../shared/use-async-action.ts';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { formatDateTime, formatNumber, formatSecret, t, tn } from '../../i18n/index.ts';
import { Badge, Button, Icon, toast } from '../../kit/index.ts';
import { PlaceLine, useOutside } from './outside-places.tsx';
import { SinkForm } from './sink-form.tsx';

function says(sink: AuditSinkView) {
  return sentences(
    sink.at ? tn('sink.last', sink.next - (sink.begins ?? 0), { time: formatDateTime(sink.at) }) : t('sink.never'),
    sink.begins === undefined ? undefined : t('sink.begins', { n: formatNumber(sink.begins) }),
  );
}

export function SinksSection() {
  const sinks = useCommand('audit_sinks', {}, { refetchInterval: 10_000 });
  const { busy, doing } = useOutside(t('sink.failedTitle'));
  const [adding, setAdding] = useState(false);
  const may = usePermission();
  const pick = transport().pickFolder;
  const mayChange = may('audit_sink_add');
  async function add() {
    const folder = pick && await attempt(() => pick());
    if (folder) await doing(() => act('audit_sink_add', { folder: folder.handle }), t('sink.added'));
  }
  async function test(sink: AuditSinkView) {
    const told = await attempt(() => act('audit_sink_test', { id: sink.id }));
    if (told) toast(told.ok ? { signal: 'ok', text: t('sink.testOk') } : { signal: 'warn', text: t('sink.testFailed'), ...(told.error ? { detail: told.error } : {}) });
  }
  return (
    <Section id="sinks" title={t('sink.title')} hint={t('sink.hint')}>
      {sinks.data ? null : <NotRead error={sinks.error} retry={sinks.refetch} />}
      {sinks.data ? <div className="box">
        {sinks.data.length === 0 ? <NoLine icon="copy" title={t('sink.none')} text={t('sink.noneText')} /> : null}
        {sinks.data.map((sink) => (
          <PlaceLine key={sink.id} one={sink} icon="copy" says={says(sink)}
            badge={<>
              <Badge title={t('sink.nameHint')}>{sink.name}</Badge>
              {sink.kind === 'file' ? null : <Badge>{t(`sink.kind.${sink.kind}`)}</Badge>}
              {sink.paused ? <Badge>{t('sink.paused')}</Badge> : null}
              {sink.waiting > 0 && (sink.error !== undefined || sink.paused) ? <Badge>{tn('sink.waiting', sink.waiting)}</Badge> : null}
            </>}
            remove={mayChange ? { label: t('sink.removeOf', { place: sink.place }), text: t('sink.remove'), busy, onRemove: () => void doing(() => act('audit_sink_remove', { id: sink.id }), t('sink.removed')) } : undefined}>
            {sink.credential ? <span className="s t3 row gap1"><Icon name="lock" size={12} />{t('anchor.withSecret', { name: formatSecret(sink.credential) })}</span> : null}
            {mayChange ? <div className="row">
              <Button small busy={busy} aria-label={t('sink.testOf', { place: sink.place })} onClick={() => void test(sink)}>{t('sink.test')}</Button>
              <Button small busy={busy} aria-label={t(sink.paused ? 'sink.resumeOf' : 'sink.pauseOf', { place: sink.place })} onClick={() => void doing(() => act('audit_sink_pause', { id: sink.id, paused: !sink.paused }), t(sink.paused ? 'sink.resumed' : 'sink.nowPaused'))}>{t(sink.paused ? 'sink.resume' : 'sink.pause')}</Button>
            </div> : null}
          </PlaceLine>
        ))}
      </div> : null}
      <div className="row wrap">
        {mayChange && pick ? <Button icon="folder" busy={busy} onClick={() => void add()}>{t('sink.add')}</Button> : null}
        {mayChange && !adding ? <Button busy={busy} onClick={() => setAdding(true)}>{t('sink.addServer')}</Button> : null}
        {sinks.data?.length && may('audit_sink_now') ? <Button icon="retry" busy={busy} onClick={() => void doing(() => act('audit_sink_now', {}), t('sink.done'))}>{t('sink.now')}</Button> : null}
      </div>
      {adding ? <SinkForm busy={busy} onCancel={() => setAdding(false)} onAdd={(sink) => void doing(() => act('audit_sink_add', sink), t('sink.added')).then((kept) => { if (kept) setAdding(false); })} /> : null}
      {pick || !mayChange ? null : <span className="s t3">{t('sink.folderHttp')}</span>}
    </Section>
  );
}
