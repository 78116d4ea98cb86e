/** Files that every audit record is copied to as it comes. */
import { transport } from '../../api/client.ts';
import { act, useCommand, useMay } from '../../api/queries.ts';
import type { AuditSinkView } from '../../api/types.ts';
import { attempt, useDoing } from '../../features/doing.ts';
import { NoLine, Section } from '../../features/section.tsx';
import { formatDateTime, t, tn } from '../../i18n/index.ts';
import { Badge, Button, Icon, toast } from '../../kit/index.ts';

export function SinksSection() {
  const files = useCommand('audit_sinks', {}, { refetchInterval: 10_000 });
  const { busy, run } = useDoing();
  const may = useMay();
  const pick = transport().pickFolder;
  const mayChange = may('audit_sink_add');
  const doing = (work: () => Promise<AuditSinkView[]>, done: string) => run(async () => {
    const failed = (await work()).find((file) => file.error !== undefined);
    toast(failed ? { signal: 'warn', text: t('sink.failedTitle'), detail: failed.error } : { signal: 'ok', text: done });
  });
  async function add() {
    const folder = pick && await attempt(() => pick());
    if (folder) await doing(() => act('audit_sink_add', { folder: folder.handle }), t('sink.added'));
  }
  return (
    <Section id="sinks" title={t('sink.title')} hint={t('sink.hint')}>
      <div className="box">
        {files.data?.length === 0 ? <NoLine icon="copy" title={t('sink.none')} text={t('sink.noneText')} /> : null}
        {files.data?.map((file) => (
          <div key={file.id} className="line">
            <Icon name={file.error ? 'errd' : 'copy'} className={file.error ? 'c-err' : 't2'} />
            <div className="grow col">
              <span className="mono ell" title={file.place}>{file.place}</span>
              <span className="s t3">{file.at ? tn('sink.last', file.next, { time: formatDateTime(file.at) }) : t('sink.never')}</span>
              {file.error ? <span className="s c-err" role="alert">{file.error}</span> : null}
            </div>
            {file.error && file.waiting > 0 ? <Badge>{tn('sink.waiting', file.waiting)}</Badge> : null}
            {mayChange ? <Button small busy={busy} aria-label={t('sink.removeOf', { place: file.place })} onClick={() => void doing(() => act('audit_sink_remove', { id: file.id }), t('sink.removed'))}>{t('sink.remove')}</Button> : null}
          </div>
        ))}
      </div>
      <div className="row wrap">
        {mayChange && pick ? <Button icon="folder" busy={busy} onClick={() => void add()}>{t('sink.add')}</Button> : null}
        {files.data?.length && may('audit_sink_now') ? <Button icon="retry" busy={busy} onClick={() => void doing(() => act('audit_sink_now', {}), t('sink.done'))}>{t('sink.now')}</Button> : null}
      </div>
      {pick || !mayChange ? null : <span className="s t3">{t('sink.folderHttp')}</span>}
    </Section>
  );
}
