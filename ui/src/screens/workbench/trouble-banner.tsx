import { useCommand } from '../../api/queries.ts';
import type { RunTrouble } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';

/** Trouble that passes: the host tries again by itself. */
const PASSES = new Set(['DISK_FULL', 'STORE_FAILED']);

/** Why the host holds a run that has not ended; undefined while all is well. No event tells it, because the log cannot be written then. */
export function useTrouble(runId: string | null, open: boolean): RunTrouble | undefined {
  const run = useCommand('run_get', { runId: runId ?? '' }, { enabled: runId !== null && open, refetchInterval: 2_000 });
  return open ? run.data?.trouble : undefined;
}

/** What holds the run, why, and what can be done now. */
export function TroubleBanner({ trouble, onResume, busy = false }: { trouble: RunTrouble; onResume?: (() => void) | undefined; busy?: boolean }) {
  const passes = PASSES.has(trouble.code);
  return (
    <Banner signal={passes ? 'warn' : 'err'} title={t(trouble.code === 'DISK_FULL' ? 'trouble.disk' : passes ? 'trouble.store' : 'trouble.fault')}
      actions={passes || !onResume ? undefined : <Button variant="primary" icon="play" busy={busy} onClick={onResume}>{t('run.resume')}</Button>}>
      <p className="s t2">{t(trouble.code === 'DISK_FULL' ? 'trouble.diskNow' : passes ? 'trouble.storeNow' : 'trouble.faultNow')}</p>
      {/* Of a full disk the message says nothing that the title does not. */}
      <p className="s t3">{trouble.code === 'DISK_FULL' ? null : `${trouble.message} `}<code>{trouble.code}</code></p>
    </Banner>
  );
}
