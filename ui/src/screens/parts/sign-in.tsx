/** Signing in by an identity provider: the page before it, the person in the rail, and what is said when the session has ended. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { tokenOfPage } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import { beginSignIn, onSignInChange, sessionEnded, signInInfo, signOut, type SignInInfo } from '../../api/sign-in.ts';
import { t, type MessageKey } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Icon, Menu, toast } from '../../kit/index.ts';

export function useSignIn(): { info: SignInInfo; ended: boolean } {
  return { info: useSyncExternalStore(onSignInChange, signInInfo), ended: useSyncExternalStore(onSignInChange, sessionEnded) };
}

const TITLES: { [code: string]: MessageKey } = {
  SIGN_IN_NO_ROLE: 'signIn.noRole', SIGN_IN_NO_NAME: 'signIn.failed', SIGN_IN_FAILED: 'signIn.failed', SIGN_IN_UNKNOWN: 'signIn.unknown', NAME_TAKEN: 'signIn.nameTaken', PROVIDER_UNREACHABLE: 'signIn.unreachable',
};

function useBegin() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const begin = () => {
    setBusy(true);
    setError(undefined);
    // The browser leaves the page when it goes well.
    beginSignIn().catch((cause: unknown) => { setBusy(false); setError(toApiError(cause)); });
  };
  // A page that the browser kept is shown again by its button "Back".
  useEffect(() => {
    const back = () => setBusy(false);
    window.addEventListener('pageshow', back);
    return () => window.removeEventListener('pageshow', back);
  }, []);
  return { busy, error, begin };
}

/** Where the person who has just signed out signs out of the provider. */
const LEFT = 'signalbox.signedOut';
function takeLeft(): string | null {
  const left = window.sessionStorage.getItem(LEFT);
  window.sessionStorage.removeItem(LEFT);
  return left;
}

/** Instead of the screens while nobody is signed in; `error`: why nobody is. */
export function SignInPage({ provider, error }: { provider: string; error: ApiError }) {
  const { busy, error: failed, begin } = useBegin();
  const [left, setLeft] = useState<string | null>(null);
  useEffect(() => { setLeft((before) => before ?? takeLeft()); }, []);
  const shown = failed ?? error;
  const title = TITLES[shown.code];
  const heading = title ? t(title, { provider }) : t(left === null ? 'signIn.title' : 'signIn.left');
  const text = title ? `${shown.message} ${shown.hint}` : t(left === null ? 'signIn.text' : 'signIn.leftText', { provider });
  return (
    <main className="start">
      <EmptyState title={heading} text={text} actions={<>
        <Button variant="primary" icon="person" busy={busy} onClick={begin}>{t(title ? 'signIn.retry' : 'signIn.with', { provider })}</Button>
        {left ? <a className="btn" href={left}>{t('signIn.leave', { provider })}</a> : null}
      </>} />
    </main>
  );
}

/** On every screen when the session has ended: what is open stays as it is. */
export function SessionBanner() {
  const { info, ended } = useSignIn();
  const { busy, error, begin } = useBegin();
  if (!ended || info.provider === null) return null;
  return (
    <div className="app-banner">
      <Banner signal="warn" title={t('signIn.ended')} actions={<Button small variant="primary" icon="person" busy={busy} onClick={begin}>{t('signIn.with', { provider: info.provider })}</Button>}>
        <span className="s t2">{error ? error.message : t('signIn.endedNow')}</span>
      </Banner>
    </div>
  );
}

/** The person who is signed in, below the rail, with the way out. */
export function PersonMenu() {
  const { info } = useSignIn();
  const { person, provider } = info;
  if (person === null || provider === null) return null;
  const name = person.shownName ?? person.name;
  const leave = () => {
    signOut(tokenOfPage()).then((address) => {
      window.history.replaceState(null, '', '#/workflows');
      window.sessionStorage.setItem(LEFT, address ?? '');
      window.location.reload();
    }, (cause: unknown) => toast({ signal: 'err', text: t('signIn.outFailed'), detail: toApiError(cause).message }));
  };
  return (
    <Menu align="start" trigger={<button type="button" className="rail-person" aria-label={t('signIn.account')} title={t('signIn.as', { name: person.name, role: t(`signIn.role.${person.role}`) })}><Icon name="person" size={20} /><span className="ell">{name}</span></button>}
      entries={[
        { id: 'who', label: t('signIn.as', { name: person.name, role: t(`signIn.role.${person.role}`) }), icon: 'person', disabled: true, onSelect: () => undefined },
        null,
        { id: 'out', label: t('signIn.out'), icon: 'x', onSelect: leave },
      ]} />
  );
}
