/** Signing in to a tool server: where it stands, on its line; and the dialog that waits for the person's browser. */
import { useEffect, useRef, useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import { formatDateTime, formatPerson, t } from '../../i18n/index.ts';
import { Button, Field, TextInput, toast } from '../../kit/index.ts';
import { useCopy } from '../../code/use-copy.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { hostOf, webAddress, type ToolServer } from './tool-words.ts';

type Begun = { address: string; opened: boolean };

/** How often it is looked whether the browser has come back. */
const LOOK_MS = 1_000;

/** A line below the server's own; nothing when nobody was asked to sign in. */
export function SignInLine({ one, mayChange }: { one: ToolServer; mayChange: boolean }) {
  const { busy, run } = useAsyncAction();
  const [begun, setBegun] = useState<Begun | null>(null);
  const signIn = one.signIn;
  if (!signIn) return null;
  const { name } = one;
  const { state } = signIn;
  const begin = () => run(async () => {
    const { address, opened } = await act('tool_server_sign_in', { name });
    if (address) setBegun({ address, opened });
    else toast({ signal: 'ok', text: t('tools.signedInNow', { name }) });
  });
  const out = () => run(async () => {
    const { revoked, note } = await act('tool_server_sign_out', { name });
    toast({ signal: note ? 'warn' : 'ok', text: t('tools.signedOut', { name }), ...(note ? { detail: plain(note) } : revoked ? { detail: t('tools.revoked') } : {}) });
  });
  const held = state === 'signedIn' || state === 'more';
  return (
    <div className="line" role="group" aria-label={t('tools.signInOf', { name })}>
      <div className="grow col">
        {held ? <span className="s t2">{t('tools.signedInBy', { who: formatPerson(signIn.by ?? ''), time: formatDateTime(signIn.at ?? '') })}</span> : <span className={state === 'ended' ? 's c-err' : 's t2'}>{t(`tools.signIn.${state}`)}</span>}
        {held && signIn.issuer ? <SafeText line className="s t3 mono" text={signIn.issuer} /> : null}
        {held && signIn.scopes.length ? <SafeText className="s t3" text={t('tools.rights', { rights: signIn.scopes.join(' ') })} cut={400} /> : null}
        {held && signIn.expires ? <span className="s t3">{t(signIn.renews ? 'tools.renews' : 'tools.runsOut', { time: formatDateTime(signIn.expires) })}</span> : null}
        {state === 'more' ? <SafeText className="s c-wait" text={t('tools.wantsMore', { rights: signIn.wants.join(' ') })} cut={400} /> : null}
        {signIn.message ? <SafeText className="s c-err" text={`${signIn.message}.`} cut={400} /> : null}
      </div>
      {mayChange ? <>
        {state === 'signedIn' ? null : <Button small variant="primary" busy={busy} aria-label={t(state === 'wanted' ? 'tools.signInTo' : 'tools.signInAgainTo', { name })} onClick={() => void begin()}>{t(state === 'wanted' ? 'tools.signIn' : 'tools.signInAgain')}</Button>}
        {held || state === 'ended' ? <Button small busy={busy} aria-label={t('tools.signOutOf', { name })} onClick={() => void out()}>{t('tools.signOut')}</Button> : null}
      </> : null}
      {begun ? <SignInDialog name={name} begun={begun} onClose={() => setBegun(null)} /> : null}
    </div>
  );
}

/** Open while the browser is away. Closing it does not give up the sign-in. */
function SignInDialog({ name, begun, onClose }: { name: string; begun: Begun; onClose(): void }) {
  const list = useCommand('tool_server_list', {}, { refetchInterval: LOOK_MS });
  const [pasted, setPasted] = useState('');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const { copied, copy } = useCopy();
  const signIn = list.data?.find((one) => one.name === name)?.signIn;
  const waits = list.data === undefined || signIn?.state === 'waiting';
  const link = webAddress(begun.address);
  // The list says it, and so does the answer to what was pasted: whichever comes first.
  const told = useRef(false);
  function done() {
    if (told.current) return;
    told.current = true;
    toast({ signal: 'ok', text: t('tools.signedInNow', { name }) });
    onClose();
  }
  useEffect(() => { if (signIn?.state === 'signedIn') done(); }, [signIn?.state]); // eslint-disable-line react/exhaustive-deps
  // Not only once the list says so: the server may want more rights still, which its line tells.
  const finish = () => run(async () => {
    await act('tool_server_sign_in_finish', { name, address: pasted.trim() });
    done();
  });
  return (
    <FormDialog title={t('tools.signInTitle', { name })} submit={t('tools.signInFinish')} close={t('common.close')} width={560} busy={busy} error={error} complete={pasted.trim() !== ''} onSubmit={() => void finish()} onClose={onClose}>
      {!waits && !error && signIn?.message ? <SafeText className="c-err" text={`${signIn.message}.`} cut={400} /> : null}
      {begun.opened ? <p>{t('tools.signInOpened', { host: hostOf(begun.address) })}</p> : <p>{t('tools.signInGo')}</p>}
      {link ? <div className="row wrap"><a className={pasted.trim() === '' ? 'btn pri' : 'btn'} href={link} target="_blank" rel="noopener noreferrer">{t('tools.signInAt', { host: hostOf(link) })}</a>
        <Button onClick={() => copy(link)}>{t(copied ? 'common.copied' : 'tools.signInCopy')}</Button></div> : null}
      <p className="s t2" role="status">{t(waits ? 'tools.signInWaits' : 'tools.signInOver')}</p>
      <Field label={t('tools.signInPaste')} hint={t('tools.signInPasteHint')}>
        {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={pasted} placeholder="http://127.0.0.1:…/callback?code=…" onChange={setPasted} />}
      </Field>
    </FormDialog>
  );
}
