// Whether one correction fits many tasks: each input is read, patched here, and checked by the engine.

import { useEffect, useState } from 'react';
import { toApiError } from '../../api/error.ts';
import { queryClient } from '../../api/queries.ts';
import { applyPatch, type Operation } from '../../shared/evidence/patch.ts';
import { call } from '../../api/client.ts';
import { t } from '../../i18n/index.ts';
import { asSchema } from '../../json/json-schema.ts';
import { asDiagnostics } from './schema.ts';

export interface Fit { state: 'fits' | 'not'; before: unknown; after?: unknown; message?: string }
const AT_ONCE = 6;

export function useFits(ids: readonly string[], patch: readonly Operation[] | null): { fits: ReadonlyMap<string, Fit>; left: number } {
  const key = patch ? `${JSON.stringify(patch)} ${ids.join(' ')}` : '';
  const [found, setFound] = useState<{ key: string; fits: ReadonlyMap<string, Fit> }>({ key: '', fits: new Map() });
  useEffect(() => {
    if (!patch || !ids.length) return undefined;
    const stop = new AbortController();
    const fits = new Map<string, Fit>();
    const queue = [...ids];
    let shown = 0;
    const worker = async () => {
      for (let id = queue.shift(); id !== undefined && !stop.signal.aborted; id = queue.shift()) {
        fits.set(id, await fitOf(id, patch));
        // Not one drawing for each of hundreds.
        if (!stop.signal.aborted && (fits.size === ids.length || performance.now() - shown > 150)) {
          shown = performance.now();
          setFound({ key, fits: new Map(fits) });
        }
      }
    };
    for (let n = 0; n < AT_ONCE; n += 1) void worker();
    return () => stop.abort();
  }, [key]); // eslint-disable-line react/exhaustive-deps
  const fits: ReadonlyMap<string, Fit> = found.key === key ? found.fits : new Map();
  return { fits, left: patch ? ids.length - fits.size : 0 };
}

async function fitOf(taskId: string, patch: readonly Operation[]): Promise<Fit> {
  let before: unknown;
  try {
    const task = await queryClient.fetchQuery({ queryKey: ['task_get', { taskId }], queryFn: ({ signal }) => call('task_get', { taskId }, signal), staleTime: 10_000 });
    before = task.input;
    if (!task.allowedActions.includes('correct')) return { state: 'not', before, message: t(task.cases > 1 ? 'inbox.bulk.severalItems' : 'inbox.cannot.notAllowed') };
    const patched = applyPatch(before, patch);
    if (!patched.ok) return { state: 'not', before, message: patched.path };
    const check = await call('task_check', { taskId, correctedInput: patched.value });
    return check.valid ? { state: 'fits', before, after: patched.value } : { state: 'not', before, after: patched.value, message: asDiagnostics(check.violations, asSchema(task.schema))[0]?.message };
  } catch (cause) {
    return { state: 'not', before, message: toApiError(cause).message };
  }
}
