// Bytes that came with an item: what they are, and a way to have them. They are never drawn: they came from anywhere.

import { useState } from 'react';
import { call } from '../api/client.ts';
import { toApiError } from '../api/error.ts';
import { saveFile } from '../api/save-file.ts';
import { isCut } from '../json/json.ts';
import { useCommand, usePermission } from '../api/queries.ts';
import type { RunItem } from '../run/run-types.ts';
import { t, tn } from '../i18n/index.ts';
import { Button, Icon, toast } from '../kit/index.ts';
import { endingOf, kindOf } from './bytes-words.ts';
import { formatSize } from './value-lines.ts';
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

export function BytesView(props: BytesViewProps) {
  return props.items.some((item) => item.binary !== undefined) ? <List {...props} /> : null;
}

function List({ runId, step, items }: BytesViewProps) {
  const all = items.flatMap((item, at) => bytesOf([item]).map(([name, bytes]) => ({ name, bytes, at })));
  const names = new Map<string, number>();
  for (const { name } of all) names.set(name, (names.get(name) ?? 0) + 1);
  const cut = items.some((item) => isCut(item.binary));
  const may = usePermission()('run_binary');
  // Nothing can be masked in bytes: who sees the run with masks is not given them.
  const run = useCommand('run_get', { runId }, { enabled: may && all.length > 0, staleTime: 60_000 });
  const masked = run.data?.masked === true;
  if (all.length === 0 && !cut) return null;
  return (
    <ul className="bytes" aria-label={t('bytes.list')}>
      {all.slice(0, MOST).map(({ name, bytes, at }, index) => (
        // Another item has other bytes under the same name.
        <OneFile key={`${bytes.sha256} ${name} ${String(index)}`} runId={runId} step={step} name={name} item={(names.get(name) ?? 0) > 1 ? at + 1 : undefined} bytes={bytes} saves={may && !run.isLoading && !masked} />
      ))}
      {all.length > MOST ? <li className="s t3">{tn('bytes.more', all.length - MOST)}</li> : null}
      {cut ? <li className="s t3">{t('bytes.cut')}</li> : null}
      {masked ? <li className="s t3">{t('bytes.masked')}</li> : null}
    </ul>
  );
}

/** `item`: which one it came with, from 1, where several have one of this name. */
function OneFile({ runId, step, name, item, bytes, saves }: { runId: string; step: string; name: string; item: number | undefined; bytes: Bytes; saves: boolean }) {
  const words = item === undefined ? name : t('bytes.ofItem', { name, n: item });
  const [state, setState] = useState<'idle' | 'loading' | { failed: string }>('idle');
  const save = () => {
    setState('loading');
    call('run_binary', { runId, sha256: bytes.sha256 }).then(async ({ bytesBase64 }) => {
      const saved = await saveFile(`${step}-${name}${item === undefined ? '' : `-${String(item)}`}.${endingOf(bytes.mime)}`, { base64: bytesBase64 });
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
        <code>{name}</code>{item === undefined ? null : <span className="s t2 nw">{t('card.item', { n: item })}</span>}
        <span className="s t2 grow ell" title={bytes.mime}>{kindOf(bytes.mime)}, {formatSize(bytes.size)}</span>
        {saves ? <Button small icon="dl" disabled={state === 'loading'} aria-label={t('bytes.saveOne', { name: words })} onClick={save}>{t('bytes.save')}</Button> : null}
      </div>
      {typeof state === 'object' ? <p className="s c-err">{t('bytes.failed', { message: state.failed })}</p> : null}
    </li>
  );
}
