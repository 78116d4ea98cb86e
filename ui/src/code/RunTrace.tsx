// The trace of a step in a run, for whoever looks at runs in a tracing program as well.

import { useCommand } from '../api/queries.ts';
import { t } from '../i18n/index.ts';
import { IconButton } from '../kit/index.ts';
import { useCopy } from './use-copy.ts';

/** Only where spans are sent, or where the settings name a program that shows traces. */
export function RunTrace({ runId, stepId, path }: { runId: string; stepId: string; path?: string | undefined }) {
  const { data } = useCommand('run_trace', { runId, stepId, ...(path === undefined ? {} : { path }) }, { staleTime: 30_000 });
  const { copied, copy } = useCopy();
  if (!data || (!data.sending && data.url === undefined)) return null;
  return (
    <div className="row s t3">
      <span className="nw">{t('trace.label')}</span>
      <code className="ell grow" title={data.traceId}>{data.traceId}</code>
      <IconButton small icon={copied ? 'check' : 'copy'} label={t(copied ? 'value.copied' : 'telemetry.copyTrace')} onClick={() => copy(data.traceId)} />
      {data.url === undefined ? null : <a className="nw" href={data.url} target="_blank" rel="noopener noreferrer">{t('trace.open')}</a>}
    </div>
  );
}
