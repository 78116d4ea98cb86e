/** Signing in to a tool server: where it stands, on its line; and the dialog that waits for the person's browser. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import { formatDateTime, formatPerson, t } from '../../i18n/index.ts';
import { Button, toast } from '../../kit/index.ts';
import { SignInEnd } from '../../shared/sign-in-end.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { LOOK_MS, SignInDialog, type Begun } from '../../shared/sign-in-dialog.tsx';
import type { ToolServer } from './tool-words.ts';

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
        {held && signIn.expires ? <SignInEnd expires={signIn.expires} renews={signIn.renews} /> : null}
        {state === 'more' ? <SafeText className="s c-wait" text={t('tools.wantsMore', { rights: signIn.wants.join(' ') })} cut={400} /> : null}
        {signIn.message ? <SafeText className="s c-err" text={`${signIn.message}.`} cut={400} /> : null}
      </div>
      {mayChange ? <>
        {state === 'signedIn' ? null : <Button small variant="primary" busy={busy} aria-label={t(state === 'wanted' ? 'tools.signInTo' : 'tools.signInAgainTo', { name })} onClick={() => void begin()}>{t(state === 'wanted' ? 'tools.signIn' : 'tools.signInAgain')}</Button>}
        {held || state === 'ended' ? <Button small busy={busy} aria-label={t('tools.signOutOf', { name })} onClick={() => void out()}>{t('tools.signOut')}</Button> : null}
      </> : null}
      {begun ? <ToolSignInDialog name={name} begun={begun} onClose={() => setBegun(null)} /> : null}
    </div>
  );
}

function ToolSignInDialog({ name, begun, onClose }: { name: string; begun: Begun; onClose(): void }) {
  const list = useCommand('tool_server_list', {}, { refetchInterval: LOOK_MS });
  const signIn = list.data?.find((one) => one.name === name)?.signIn;
  return (
    <SignInDialog name={name} begun={begun} waits={list.data === undefined || signIn?.state === 'waiting'} signedIn={signIn?.state === 'signedIn'} message={signIn?.message}
      finish={(address) => act('tool_server_sign_in_finish', { name, address })} onClose={onClose} />
  );
}
