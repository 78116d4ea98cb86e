/** Files that every audit record is copied to as it comes. */
import { transport } from '../../api/client.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { sentences } from '../../api/error.ts';
import { attempt } from '../../shared/use-async-action.ts';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { formatDateTime, formatNumber, t, tn } from '../../i18n/index.ts';
import { Badge, Button } from '../../kit/index.ts';
import { PlaceLine, useOutside } from './outside-places.tsx';

export function SinksSection() {
  const files = useCommand('audit_sinks', {}, { refetchInterval: 10_000 });
  const { busy, doing } = useOutside(t('sink.failedTitle'));
  const may = usePermission();
  const pick = transport().pickFolder;
  const mayChange = may('audit_sink_add');
  async function add() {
    const folder = pick && await attempt(() => pick());
    if (folder) await doing(() => act('audit_sink_add', { folder: folder.handle }), t('sink.added'));
  }
  return (
    <Section id="sinks" title={t('sink.title')} hint={t('sink.hint')}>
      {files.data ? null : <NotRead error={files.error} retry={files.refetch} />}
      {files.data ? <div className="box">
        {files.data.length === 0 ? <NoLine icon="copy" title={t('sink.none')} text={t('sink.noneText')} /> : null}
        {files.data.map((file) => (
          <PlaceLine key={file.id} one={file} icon="copy" says={sentences(file.at ? tn('sink.last', file.next - (file.begins ?? 0), { time: formatDateTime(file.at) }) : t('sink.never'), file.begins === undefined ? undefined : t('sink.begins', { n: formatNumber(file.begins) }))}
            badge={file.error && file.waiting > 0 ? <Badge>{tn('sink.waiting', file.waiting)}</Badge> : null}
            remove={mayChange ? { label: t('sink.removeOf', { place: file.place }), text: t('sink.remove'), busy, onRemove: () => void doing(() => act('audit_sink_remove', { id: file.id }), t('sink.removed')) } : undefined} />
        ))}
      </div> : null}
      <div className="row wrap">
        {mayChange && pick ? <Button icon="folder" busy={busy} onClick={() => void add()}>{t('sink.add')}</Button> : null}
        {files.data?.length && may('audit_sink_now') ? <Button icon="retry" busy={busy} onClick={() => void doing(() => act('audit_sink_now', {}), t('sink.done'))}>{t('sink.now')}</Button> : null}
      </div>
      {pick || !mayChange ? null : <span className="s t3">{t('sink.folderHttp')}</span>}
    </Section>
  );
}
