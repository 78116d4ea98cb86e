/** Backups that are made automatically: how often, where, how many, and what became of the last one. */
import { transport } from '../../api/client.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { formatDateTime, t, tn } from '../../i18n/index.ts';
import { Button, Icon, Select } from '../../kit/index.ts';
import { attempt, useAsyncAction } from '../../shared/use-async-action.ts';
import { NotRead, Section } from '../../shared/settings-section.tsx';

const HOURS = [1, 6, 24, 168] as const;
const KEEP = [3, 7, 14, 30, 100] as const;
const NEVER = '';

export function BackupSection() {
  const found = useCommand('backup_schedule', {}, { refetchInterval: 30_000 });
  const mayChange = usePermission()('backup_schedule_set');
  const { busy, run } = useAsyncAction();
  const pick = transport().pickFolder;
  const now = found.data;
  if (!now) return <Section id="backup" title={t('backup.title')} hint={t('backup.hint')}><NotRead error={found.error} retry={found.refetch} /></Section>;
  const { everyHours: hours, folder } = now;
  const set = (change: { everyHours?: number; folder?: string; keep?: number }) => run(() => act('backup_schedule_set', change), t('backup.set'));
  async function choose(everyHours: number) {
    const chosen = pick && await attempt(() => pick());
    if (chosen) await set({ everyHours, folder: chosen.handle });
  }
  const change = (next: string) => {
    if (next === NEVER) void set({});
    else if (folder === undefined) void choose(Number(next));
    else void set({ everyHours: Number(next) });
  };
  const every = (n: number) => (n % 24 === 0 ? tn('backup.days', n / 24) : tn('backup.hours', n));
  const choices = [...new Set([...HOURS, ...(hours === undefined ? [] : [hours])])].sort((a, b) => a - b);
  const counts = [...new Set([...KEEP, now.keep])].sort((a, b) => a - b);
  // Only a person at the machine chooses the folder.
  const locked = busy || !mayChange || (folder === undefined && !pick);
  return (
    <Section id="backup" title={t('backup.title')} hint={t('backup.hint')}>
      <div className="box">
        <div className="line">
          <Icon name="copy" className="t2" />
          <div className="grow col">
            <span>{t('backup.every')}</span>
            <span className="s t3">{now.lastAt === undefined ? t('backup.none') : t('backup.last', { at: formatDateTime(now.lastAt), file: now.lastFile ?? '' })}{now.nextAt === undefined ? '' : ` ${t('backup.next', { at: formatDateTime(now.nextAt) })}`}</span>
          </div>
          <span className="set-choice"><Select label={t('backup.every')} value={hours === undefined ? NEVER : String(hours)} disabled={locked} onChange={change} options={[{ value: NEVER, label: t('backup.never') }, ...choices.map((n) => ({ value: String(n), label: every(n) }))]} /></span>
        </div>
        {hours === undefined ? null : (
          <>
            <div className="line">
              <Icon name="folder" className="t2" />
              <div className="grow col"><span>{t('backup.folder')}</span><span className="s t3">{folder}</span></div>
              {pick && mayChange ? <Button small busy={busy} onClick={() => void choose(hours)}>{t('backup.choose')}</Button> : null}
            </div>
            <div className="line">
              <Icon name="rows" className="t2" />
              <span className="grow">{t('backup.keep')}</span>
              <span className="set-choice"><Select label={t('backup.keep')} value={String(now.keep)} disabled={busy || !mayChange} onChange={(next) => void set({ everyHours: hours, keep: Number(next) })} options={counts.map((n) => ({ value: String(n), label: String(n) }))} /></span>
            </div>
          </>
        )}
        {now.error === undefined ? null : <div className="line" role="status"><Icon name="errd" className="c-err" /><span className="s grow">{t('backup.failed', { error: now.error })}</span></div>}
      </div>
      {folder === undefined && !pick && mayChange ? <span className="s t3">{t('backup.folderHttp')}</span> : null}
    </Section>
  );
}
