import { useCommand } from '../../api/queries.ts';
import type { RunTrouble } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button } from '../../kit/index.ts';

type Words = 'disk' | 'store' | 'worker';
/** Trouble that passes: the host tries again by itself. */
const PASSES = new Map<string, Words>([['DISK_FULL', 'disk'], ['STORE_FAILED', 'store'], ['WAITS_FOR_WORKER', 'worker']]);

/** Why the host holds a run that has not ended; undefined while all is well. No event tells it, because the log cannot be written then. */
export function useTrouble(runId: string | null, open: boolean): RunTrouble | undefined {
  const run = useCommand('run_get', { runId: runId ?? '' }, { enabled: runId !== null && open, refetchInterval: 2_000 });
  return open ? run.data?.trouble : undefined;
}

/** What holds the run, why, and what can be done now. */
export function TroubleBanner({ trouble, onResume, busy = false }: { trouble: RunTrouble; onResume?: (() => void) | undefined; busy?: boolean }) {
  const passes = PASSES.get(trouble.code);
  const words = passes ?? 'fault';
  // A queue is no error.
  const signal = passes === 'worker' && trouble.message === '' ? 'wait' : passes ? 'warn' : 'err';
  return (
    <Banner signal={signal} title={t(`trouble.${words}`)}
      actions={passes || !onResume ? undefined : <Button variant="primary" icon="play" busy={busy} onClick={onResume}>{t('run.resume')}</Button>}>
      <p className="s t2">{t(`trouble.${words}Now`)}</p>
      {/* Of a full disk the message says nothing that the title does not. */}
      <p className="s t3">{trouble.code === 'DISK_FULL' ? null : `${trouble.message} `}<code>{trouble.code}</code></p>
    </Banner>
  );
}
