/** Adding a service from a document, a connector file or a GraphQL address: choose it, then see what became of it. */
import './import-dialog.css';
import { useRef, useState, type DragEvent } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, Dialog, DialogCancel, Field, Select, TextInput, toast } from '../../kit/index.ts';
import { Fault } from '../../shared/form-error.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';

type Added = Commands['connector_add']['response'];

/** In a request the text of a file is longer than the file, and a request has at most 20 MiB. */
const LARGEST = 16 * 1024 * 1024;

export function ImportApiDialog({ onClose }: { onClose(): void }) {
  const [added, setAdded] = useState<Added>();
  return added ? <Done added={added} onClose={onClose} /> : <Choose onAdded={setAdded} onClose={onClose} />;
}

function Choose({ onAdded, onClose }: { onAdded(added: Added): void; onClose(): void }) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [credential, setCredential] = useState('');
  const secrets = useCommand('secret_list', {}).data ?? [];
  const [over, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const exists = error?.code === 'CONNECTOR_EXISTS';
  const chosen = file !== undefined || address.trim() !== '';
  const tooLarge = file !== undefined && file.size > LARGEST;
  async function send(replace: boolean) {
    const url = address.trim();
    onAdded(await act('connector_add', {
      ...(file ? { text: await file.text() } : {}), ...(credential === '' ? {} : { credential }), ...(url === '' ? {} : { address: url }),
      ...(name.trim() === '' ? {} : { name: name.trim() }), ...(replace ? { replace: true } : {}),
    }));
  }
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const first = event.dataTransfer.files[0];
    if (first) setFile(first);
  }
  return (
    <Dialog open title={t('connectors.importTitle')} closeLabel={t('common.cancel')} busy={busy} onClose={onClose}
      footer={<>
        <DialogCancel onClick={onClose} late={t('common.noAnswer')}>{t('common.cancel')}</DialogCancel>
        {exists ? <Button busy={busy} onClick={() => void run(() => send(true))}>{t('connectors.replace')}</Button> : null}
        <Button variant="primary" busy={busy} disabled={!chosen || tooLarge} onClick={() => void run(() => send(false))}>{t('connectors.importYes')}</Button>
      </>}>
      <div className="imp">
        {error ? <Fault error={error} /> : null}
        <p className="t2">{t('connectors.importText')}</p>
        <div className={`imp-drop ${over ? 'over' : ''}`} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={drop}>
          <span className="ell">{file ? plain(file.name) : t('connectors.drop')}</span>
          <Button small icon="folder" onClick={() => picker.current?.click()}>{t('connectors.choose')}</Button>
          <input ref={picker} type="file" hidden aria-label={t('connectors.choose')} accept=".json,.yaml,.yml,application/json" onChange={(event) => setFile(event.target.files?.[0])} />
        </div>
        {tooLarge ? <p className="s c-err" role="alert">{t('connectors.tooLarge')}</p> : null}
        <Field label={t('connectors.address')} hint={t(file ? 'connectors.addressOfFile' : 'connectors.addressHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={address} onChange={setAddress} placeholder="https://api.example.com/graphql" maxLength={2000} />}
        </Field>
        {chosen && secrets.length > 0 ? (
          <Field label={t('connectors.credential')} hint={t('connectors.credentialHint')}>
            {({ id, describedBy }) => <Select id={id} aria-describedby={describedBy} label={t('connectors.credential')} value={credential} onChange={setCredential} options={[{ value: '', label: t('credential.none') }, ...secrets.map((one) => ({ value: `secret://${one.name}`, label: one.name }))]} />}
          </Field>
        ) : chosen ? <p className="s t2">{t('connectors.noCredential')} <a href="#/settings/secrets">{t('credential.manage')}</a></p> : null}
        <Field label={t('connectors.name')} hint={t('connectors.nameHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={name} onChange={setName} placeholder="my-shop" />}
        </Field>
        <Own />
      </div>
    </Dialog>
  );
}

/** Connectors of this machine, which can be removed again. */
function Own() {
  const own = useCommand('connector_list', {}).data?.filter((one) => one.own) ?? [];
  const { busy, error, run } = useAsyncAction({ inForm: true });
  if (own.length === 0) return null;
  return (
    <section aria-label={t('connectors.own')}>
      <h3 className="cap">{t('connectors.own')}</h3>
      {error ? <Fault error={error} /> : null}
      <ul className="imp-own">
        {own.map((one) => (
          <li key={one.name} className="row">
            <span className="grow ell" title={one.problem === undefined ? one.title : plain(one.problem)}>{plain(one.title)} <span className="s t3">{one.problem === undefined ? tn('connectors.operations', one.operations.length) : t('connectors.unusable')}</span></span>
            <Button small icon="x" busy={busy} onClick={() => void run(async () => { await act('connector_remove', { name: one.name }); toast({ signal: 'ok', text: t('connectors.removed', { name: one.name }) }); })}>{t('connectors.remove')}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Done({ added, onClose }: { added: Added; onClose(): void }) {
  return (
    <Dialog open width={640} title={t('connectors.doneTitle', { name: plain(added.title) })} closeLabel={t('common.close')} onClose={onClose}
      footer={<Button variant="primary" onClick={onClose}>{t('common.close')}</Button>}>
      <div className="imp">
        <p>{tn('connectors.operations', added.operations)}{added.leftOut > 0 ? ` · ${tn('connectors.leftOut', added.leftOut)}` : null}</p>
        <p className="s t2">{t('connectors.doneText', { name: added.name })}</p>
        <p className="s t3 mono">{plain(added.file)}</p>
        {added.findings.length > 0 ? (
          <details className="more">
            <summary>{tn('connectors.findings', added.findings.length + added.moreFindings)}</summary>
            <ul>
              {added.findings.map((one) => <li key={`${one.path} ${one.message}`}><span>{plain(one.message)}</span> <span className="s t3 mono">{plain(one.path)}</span></li>)}
            </ul>
          </details>
        ) : null}
      </div>
    </Dialog>
  );
}
