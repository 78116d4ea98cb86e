/** The dialog of a sign-in that has begun: open while the browser is away. Closing it does not give up the sign-in. */
import { useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button, Field, TextInput, toast } from '../kit/index.ts';
import { useCopy } from '../code/use-copy.ts';
import { SafeText } from './evidence/safe-text.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useAsyncAction } from './use-async-action.ts';
import { hostOf, webAddress } from './web-address.ts';

/** How often it is looked whether the browser has come back. */
export const LOOK_MS = 1_000;

export interface Begun {
  address: string;
  opened: boolean;
  /** What is entered at the address, on any device. */
  userCode?: string | undefined;
}

interface SignInDialogProps {
  name: string;
  begun: Begun;
  /** Where it stands, as the list says. */
  waits: boolean;
  signedIn: boolean;
  /** Why it came to nothing, without a full stop. */
  message?: string | undefined;
  finish(address: string): Promise<unknown>;
  onClose(): void;
}

export function SignInDialog({ name, begun, waits, signedIn, message, finish, onClose }: SignInDialogProps) {
  const [pasted, setPasted] = useState('');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const { copied, copy } = useCopy();
  const link = webAddress(begun.address);
  // The list says it, and so does the answer to what was pasted: whichever comes first.
  const told = useRef(false);
  function done() {
    if (told.current) return;
    told.current = true;
    toast({ signal: 'ok', text: t('tools.signedInNow', { name }) });
    onClose();
  }
  useEffect(() => { if (signedIn) done(); }, [signedIn]); // eslint-disable-line react/exhaustive-deps
  // Not only once the list says so: the server may want more rights still, which its line tells.
  const send = () => run(async () => {
    await finish(pasted.trim());
    done();
  });
  return (
    <FormDialog title={t('tools.signInTitle', { name })} submit={begun.userCode ? null : t('tools.signInFinish')} close={t('common.close')} width={560} busy={busy} error={error} complete={pasted.trim() !== ''} onSubmit={() => void send()} onClose={onClose}>
      {!waits && !error && message ? <SafeText className="c-err" text={`${message}.`} cut={400} /> : null}
      {begun.userCode ? <p>{t('secrets.signInCode')}</p> : begun.opened ? <p>{t('tools.signInOpened', { host: hostOf(begun.address) })}</p> : <p>{t('tools.signInGo')}</p>}
      {begun.userCode ? <p className="mono sec-code" aria-label={t('secrets.userCode')}>{begun.userCode}</p> : null}
      {link ? <div className="row wrap"><a className={pasted.trim() === '' ? 'btn pri' : 'btn'} href={link} target="_blank" rel="noopener noreferrer">{t('tools.signInAt', { host: hostOf(link) })}</a>
        <Button onClick={() => copy(link)}>{t(copied ? 'common.copied' : 'tools.signInCopy')}</Button></div> : null}
      <p className="s t2" role="status">{t(waits ? 'tools.signInWaits' : 'tools.signInOver')}</p>
      {begun.userCode ? null : (
        <Field label={t('tools.signInPaste')} hint={t('tools.signInPasteHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={pasted} placeholder="http://127.0.0.1:…/callback?code=…" onChange={setPasted} />}
        </Field>
      )}
    </FormDialog>
  );
}
