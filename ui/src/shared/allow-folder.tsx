/** Allows a folder to the steps of workflows. The window has the system's dialog; a browser looks into folders of the server. */
import './allow-folder.css';
import { useState } from 'react';
import { transport } from '../api/client.ts';
import { act, useCommand } from '../api/queries.ts';
import type { Picked } from '../api/transport/transport.ts';
import { t } from '../i18n/index.ts';
import { Button, Icon, Segmented } from '../kit/index.ts';
import { plain } from '../text/letters.ts';
import { FormDialog } from './form-dialog.tsx';
import { Fault } from './form-error.tsx';
import { grantsChanged } from '../schema-form/folder-grants.ts';
import { attempt, useAsyncAction } from './use-async-action.ts';

export interface AllowFolderProps {
  /** The path that a step uses, where one asked for the folder. */
  path?: string | undefined;
  /** The step writes. */
  writes: boolean;
  /** The workflow whose step it is. */
  workflowId?: string | undefined;
  onClose(): void;
}

/** The folder that an absolute path is in. */
const folderOf = (path: string | undefined): string | undefined => (path?.startsWith('/') ? path.slice(0, Math.max(1, path.lastIndexOf('/'))) : undefined);

export function AllowFolderDialog({ path, writes, workflowId, onClose }: AllowFolderProps) {
  const pick = transport().pickFolder;
  const [access, setAccess] = useState<'ro' | 'rw'>(writes ? 'rw' : 'ro');
  const [scope, setScope] = useState<'one' | 'all'>(workflowId === undefined ? 'all' : 'one');
  const [picked, setPicked] = useState<Picked>();
  const [at, setAt] = useState(() => folderOf(path));
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const folder = pick ? picked?.handle : at;
  const allow = async () => {
    if (folder === undefined) return;
    const done = await run(() => act('folder_grant', { folder, access, library: false, ...(scope === 'one' && workflowId !== undefined ? { workflowId } : {}) }), t('folders.allowed'));
    if (!done) return;
    grantsChanged();
    onClose();
  };
  return (
    <FormDialog title={t('folders.title')} submit={t('folders.allow')} busy={busy} error={error} complete={folder !== undefined} width={560} onSubmit={() => void allow()} onClose={onClose}>
      <p className="t2">{path === undefined ? t('folders.text') : t('folders.textPath', { path: plain(path) })}</p>
      {pick ? (
        <div className="row wrap">
          <Button icon="folder" onClick={() => void attempt(() => pick()).then((chosen) => { if (chosen) setPicked(chosen); })}>{t('folders.choose')}</Button>
          <span className="mono ell grow">{picked ? plain(picked.shown) : t('folders.noneChosen')}</span>
        </div>
      ) : <ServerFolders at={at} onGo={setAt} />}
      <div className="row wrap">
        <Segmented label={t('folders.access')} value={access} onChange={setAccess} options={[{ value: 'ro', label: t('settings.ro') }, { value: 'rw', label: t('settings.rw') }]} />
        {workflowId === undefined ? null : <Segmented label={t('folders.scope')} value={scope} onChange={setScope} options={[{ value: 'one', label: t('folders.thisWorkflow') }, { value: 'all', label: t('folders.allWorkflows') }]} />}
      </div>
      <p className="s t3">{t('folders.recorded')}</p>
    </FormDialog>
  );
}

/** Folders of the server, as far as they may be allowed from a browser. */
function ServerFolders({ at, onGo }: { at: string | undefined; onGo(folder: string | undefined): void }) {
  const listing = useCommand('folder_browse', at === undefined ? {} : { folder: at });
  const { data } = listing;
  const name = (folder: string) => (at === undefined ? folder : (/[^/\\]+$/.exec(folder)?.[0] ?? folder));
  return (
    <div className="col gap1" role="group" aria-label={t('folders.server')}>
      <div className="row">
        <span className={`grow ell ${at === undefined ? '' : 'mono'}`} aria-live="polite">{at === undefined ? t('folders.begin') : plain(at)}</span>
        {at === undefined ? null : <Button small icon="up" onClick={() => onGo(data?.parent)}>{data?.parent === undefined ? t('folders.toBegin') : t('folders.up')}</Button>}
      </div>
      {listing.error ? <Fault error={listing.error} /> : null}
      <ul className="allow-list" aria-busy={listing.isPending}>
        {data?.folders.map((folder) => (
          <li key={folder}><button type="button" className="row" onClick={() => onGo(folder)}><Icon name="folder" size={12} /><span className="ell">{plain(name(folder))}</span></button></li>
        ))}
        {data?.folders.length === 0 ? <li className="s t3">{t('folders.noSub')}</li> : null}
        {data?.more ? <li className="s t3">{t('folders.more')}</li> : null}
      </ul>
    </div>
  );
}
