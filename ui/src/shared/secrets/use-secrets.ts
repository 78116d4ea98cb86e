/** The secrets of this machine. `signalbox secret` at a terminal changes them, too, so what is shown is looked up again. */
import { useCommand } from '../../api/queries.ts';

/** Time between two looks. */
const INTERVAL_MS = 3_000;

export function useSecrets(enabled = true) {
  const status = useCommand('secret_status', {}, { enabled, refetchInterval: INTERVAL_MS });
  const ready = enabled && status.data?.state === 'ready';
  const list = useCommand('secret_list', {}, { enabled: ready, refetchInterval: INTERVAL_MS });
  return { status, ready, list };
}
