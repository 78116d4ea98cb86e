// Bytes that came with an item: what they are, and a way to have them. They are never drawn: they came from anywhere.

import { useState } from 'react';
import { call } from '../api/client.ts';
import { toApiError } from '../api/error.ts';
import { saveFile } from '../api/hand-out.ts';
import { isCut } from '../api/json.ts';
import type { RunItem } from '../api/run-types.ts';
import { formatBytes, t, tn } from '../i18n/index.ts';
import { Button, Icon, toast } from '../kit/index.ts';
import { endingOf, kindOf } from './bytes-words.ts';
import './value.css';

export type Bytes = NonNullable<RunItem['binary']>[string];

/** More are told as a number. */
const MOST = 50;

type WithBytes = Pick<RunItem, 'binary'>;

/** [name, bytes] of all these items, in their order. A list that was too long for the wire is not among them. */
export const bytesOf = (items: readonly WithBytes[]): [string, Bytes][] => items.flatMap((item) => (isCut(item.binary) ? [] : Object.entries(item.binary ?? {})));

export interface BytesViewProps {
  runId: string;
  /** Begins the names of saved files. */
  step: string;
  items: readonly WithBytes[];
}

export function BytesView({ runId, step, items }: BytesViewProps) {
  const all = bytesOf(items);
  const cut = items.some((item) => isCut(item.binary));
  if (all.length === 0 && !cut) return null;
  return (
    <ul className="bytes" aria-label={t('bytes.list')}>
      {all.slice(0, MOST).map(([name, bytes], index) => (
        // The bytes of a call never change their order.
        <One key={`${name} ${String(index)}`} runId={runId} step={step} name={name} bytes={bytes} />
      ))}
      {all.length > MOST ? <li className="s t3">{tn('bytes.more', all.length - MOST)}</li> : null}
      {cut ? <li className="s t3">{t('bytes.cut')}</li> : null}
    </ul>
  );
}

function One({ runId, step, name, bytes }: { runId: string; step: string; name: string; bytes: Bytes }) {
  const [state, setState] = useState<'idle' | 'loading' | { failed: string }>('idle');
  const save = () => {
    setState('loading');
    call('run_binary', { runId, sha256: bytes.sha256 }).then(async ({ bytesBase64 }) => {
      const saved = await saveFile(`${step}-${name}.${endingOf(bytes.mime)}`, { base64: bytesBase64 });
      setState('idle');
      if (saved?.path !== undefined) toast({ signal: 'ok', text: t('value.savedTo', { path: saved.path }) });
    }).catch((cause: unknown) => {
      const { message, hint } = toApiError(cause);
      setState({ failed: [message, hint].filter(Boolean).join(' ') });
    });
  };
  return (
    <li>
      <div className="row">
        <Icon name="doc" size={16} className="t2" />
        <code>{name}</code>
        <span className="s t2 grow ell" title={bytes.mime}>{kindOf(bytes.mime)}, {formatBytes(bytes.size)}</span>
        <Button small icon="dl" disabled={state === 'loading'} aria-label={t('bytes.saveOne', { name })} onClick={save}>{t('bytes.save')}</Button>
      </div>
      {typeof state === 'object' ? <p className="s c-err">{t('bytes.failed', { message: state.failed })}</p> : null}
    </li>
  );
}
