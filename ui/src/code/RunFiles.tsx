// Files that a run wrote: what became of them, and a copy of each to keep.

import { useEffect, useRef, useState, type ReactNode } from 'react';
import { transport } from '../api/client.ts';
import { toApiError, type ApiError } from '../api/error.ts';
import { useCommand, usePermission } from '../api/queries.ts';
import type { Commands } from '../api/types.ts';
import { formatTime, t } from '../i18n/index.ts';
import { Button, Icon, toast } from '../kit/index.ts';
import { Pieces } from './pieces.tsx';
import { formatSize } from './value-lines.ts';
import './value.css';

type RunFile = Commands['run_files']['response']['files'][number];

export interface RunFilesProps {
  runId: string;
  /** Only the files of this step. */
  stepId?: string | undefined;
  /** Only the files that these events name. */
  seqs?: readonly number[] | undefined;
  /** Changes when there may be more files. */
  version?: string | number | undefined;
  className?: string | undefined;
  /** Above the list, if there is one. */
  title?: ReactNode;
  /** Instead of the list, for who may not have the files. */
  fallback?: ReactNode;
}

export function RunFiles({ runId, stepId, seqs, version, className = '', title, fallback = null }: RunFilesProps) {
  const may = usePermission()('run_files');
  const { data, error, refetch } = useCommand('run_files', { runId }, { enabled: may });
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    void refetch();
  }, [version, refetch]);
  const files = (data?.files ?? []).filter((file) => (stepId === undefined || file.stepId === stepId) && (seqs === undefined || seqs.includes(file.seq)));
  if (files.length === 0) return <>{fallback}{fallback && error?.code === 'FORBIDDEN' ? <p className="s t3">{t('bytes.masked')}</p> : null}</>;
  return (
    <>
      {title}
      <ul className={`bytes ${className}`} aria-label={t('files.list')}>
        {files.map((file) => <OneFile key={file.seq} runId={runId} file={file} />)}
        {data?.more === true && stepId === undefined && seqs === undefined ? <li className="s t3">{t('files.more')}</li> : null}
      </ul>
    </>
  );
}

type Saving = 'idle' | 'loading' | { failed: ApiError };

function OneFile({ runId, file }: { runId: string; file: RunFile }) {
  const [state, setState] = useState<Saving>('idle');
  const host = transport();
  const failed = typeof state === 'object' ? state.failed : null;
  // It may have changed after the list was made.
  const changed = file.state === 'changed' || failed?.code === 'FILE_CHANGED';
  const save = () => {
    setState('loading');
    host.saveRunFile?.(runId, file.seq, file.name, changed).then((saved) => {
      setState('idle');
      if (saved?.path !== undefined) toast({ signal: 'ok', text: t('value.savedTo', { path: saved.path }) });
    }).catch((cause: unknown) => setState({ failed: toApiError(cause) }));
  };
  const there = file.state === 'same' || file.state === 'changed';
  const word = t(changed ? 'files.saveNow' : host.host === 'desktop' ? 'files.saveAs' : 'files.download');
  return (
    <li>
      <div className="row">
        <Icon name="doc" size={16} className="t2" />
        <code className="grow ell" title={file.place ?? file.path}><Pieces text={file.name} /></code>
        <span className="s t2 nw">{formatSize(file.size)}</span>
        {there && host.saveRunFile ? <Button small icon="dl" disabled={state === 'loading'} aria-label={`${word}: ${file.name}`} onClick={save}>{word}</Button> : null}
      </div>
      {changed ? <p className="s c-wait">{t('files.changed', { time: formatTime(file.writtenAt) })}</p> : null}
      {file.state === 'gone' ? <p className="s c-wait">{t('files.gone')}</p> : null}
      {file.state === 'refused' ? <p className="s c-wait">{t('files.refused', { reason: file.reason ?? '' })}</p> : null}
      {failed && failed.code !== 'FILE_CHANGED' ? <p className="s c-err">{t('bytes.failed', { message: [failed.message, failed.hint].filter(Boolean).join(' ') })}</p> : null}
    </li>
  );
}
