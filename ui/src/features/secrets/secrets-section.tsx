/** Settings, Secrets: where the key is, what there is, and what is in the way. Values never come back here. */
import { errorText } from '../../api/error.ts';
import '../../shared/keys.css';
import { useState, type ReactNode } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { SecretEntry, SecretStatus } from '../../api/types.ts';
import { formatDateTime, formatPerson, t } from '../../i18n/index.ts';
import { Badge, Banner, Button, Field, Icon, Skeleton, TextInput, toast } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { NoLine, Section } from '../../shared/settings-section.tsx';
import { Fault } from '../../shared/form-error.tsx';
import { ConfirmRemove } from '../../shared/form-dialog.tsx';
import { KeyDialog } from '../../shared/secrets/key-dialog.tsx';
import { useSecretSignIn } from '../../shared/secrets/secret-sign-in.tsx';
import { SignInEnd } from '../../shared/sign-in-end.tsx';
import { SecretDialog } from '../../shared/secrets/secret-dialog.tsx';
import { TestDialog } from '../../shared/secrets/test-dialog.tsx';
import { useSecrets } from '../../shared/secrets/use-secrets.ts';

type Open = { what: 'key'; discard: boolean } | { what: 'set'; old?: SecretEntry } | { what: 'delete'; name: string } | { what: 'test'; entry: SecretEntry };

/** Nobody signs in with it: the program does, as itself. */
const isUnattended = (entry: SecretEntry) => entry.oauth?.grant === 'clientCredentials' || entry.oauth?.grant === 'serviceAccount';

export function SecretsSection() {
  const { status, ready, list } = useSecrets();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const may = usePermission();
  const mayChange = may('secret_set');
  const signIn = useSecretSignIn();
  return (
    <Section id="secrets" title={t('secrets.title')} hint={t('secrets.hint')}>
      {status.error ? <Fault error={status.error.code === 'FORBIDDEN' ? { message: t('secrets.notAllowed'), hint: '' } : status.error} /> : null}
      {status.isPending ? <Skeleton rows={2} /> : null}
      {status.data ? <Place status={status.data} mayChange={mayChange} onOpen={setOpen} /> : null}
      {ready && list.error ? <Fault error={list.error} /> : null}
      {ready && list.data ? (
        <>
          <div className="box">
            {list.data.length === 0 ? <NoLine icon="key" title={t('secrets.none')} text={t('secrets.noneText')} /> : null}
            {list.data.map((entry) => <Line key={entry.name} entry={entry} mayChange={mayChange} busy={signIn.busy} onOpen={setOpen} onSignIn={(name) => void signIn.begin(name)} />)}
          </div>
          {mayChange ? <div className="row wrap"><Button icon="plus" onClick={() => setOpen({ what: 'set' })}>{t('secrets.add')}</Button></div> : null}
        </>
      ) : null}
      {open?.what === 'key' && status.data ? <KeyDialog status={status.data} discard={open.discard} onClose={close} /> : null}
      {open?.what === 'set' ? <SecretDialog old={open.old} onClose={close} onWanted={(name) => void signIn.begin(name)} /> : null}
      {open?.what === 'test' ? <TestDialog entry={open.entry} onClose={close} /> : null}
      {signIn.dialog}
      {open?.what === 'delete' ? (
        <ConfirmRemove section="secrets" title={t('secrets.deleteTitle', { name: open.name })} text={t('secrets.deleteText')} confirm={t('secrets.delete')} done={t('secrets.deleted', { name: open.name })}
          remove={() => act('secret_delete', { name: open.name })} onClose={close} />
      ) : null}
    </Section>
  );
}

interface LineProps {
  entry: SecretEntry;
  mayChange: boolean;
  busy: boolean;
  onOpen(open: Open): void;
  onSignIn(name: string): void;
}

function Line({ entry, mayChange, busy, onOpen, onSignIn }: LineProps) {
  const { name, signIn } = entry;
  const hosts = entry.hosts.join(', ');
  const used = entry.lastUsedAt ? t('secrets.usedAt', { at: formatDateTime(entry.lastUsedAt) }) : t('secrets.neverUsed');
  return (
    <div className="line" data-secret={entry.name}>
      <Icon name="key" className="t2" />
      <div className="grow col">
        <span className="mono ell">{entry.name}</span>
        <span className="s t3 ell" title={hosts}>{`${t('secrets.hosts', { hosts })}, ${used}`}</span>
        {signIn ? <SignInState entry={entry} /> : null}
        {entry.kind === 'ssh' ? <span className={entry.hostKey ? 's t3 mono safe-wrap' : 's t2'}>{entry.hostKey ? plain(entry.hostKey) : t('secrets.hostKeyUnknown')}</span> : null}
        {entry.kind === 'google' && entry.oauth ? <span className="s t3 mono ell" title={entry.field}>{plain(entry.oauth.clientId)}</span> : null}
        <Uses name={name} />
      </div>
      <Badge>{entry.field && entry.kind !== 'google' ? `${t(`secrets.kind.${entry.kind}`)}: ${entry.field}` : t(`secrets.kind.${entry.kind}`)}</Badge>
      {mayChange ? (
        <>
          {signIn && !isUnattended(entry) ? <SignInButtons entry={entry} busy={busy} onSignIn={onSignIn} /> : null}
          <Button small aria-label={t('secrets.testOf', { name })} onClick={() => onOpen({ what: 'test', entry })}>{t('secrets.test')}</Button>
          <Button small aria-label={t('secrets.replaceOf', { name: entry.name })} onClick={() => onOpen({ what: 'set', old: entry })}>{t('secrets.replace')}</Button>
          <Button small variant="ghost" aria-label={t('secrets.deleteOf', { name: entry.name })} onClick={() => onOpen({ what: 'delete', name: entry.name })}>{t('secrets.delete')}</Button>
        </>
      ) : null}
    </div>
  );
}

/** Who is signed in, until when, and what is wrong. */
function SignInState({ entry }: { entry: SecretEntry }) {
  const { signIn } = entry;
  if (!signIn) return null;
  const { state, by, at, expires, renews, message } = signIn;
  return (
    <>
      {by && state === 'signedIn' ? <span className="s t2">{t('tools.signedInBy', { who: formatPerson(by), time: formatDateTime(at ?? '') })}</span> : <span className={state === 'ended' ? 's c-err' : 's t2'}>{t(isUnattended(entry) ? 'secrets.signsInItself' : `secrets.signIn.${state}`)}</span>}
      {expires && state === 'signedIn' ? <SignInEnd expires={expires} renews={renews} /> : null}
      {message && state !== 'waiting' ? <SafeText className="s c-err" text={`${message}.`} cut={400} /> : null}
    </>
  );
}

function SignInButtons({ entry, busy, onSignIn }: { entry: SecretEntry; busy: boolean; onSignIn(name: string): void }) {
  const { name, signIn } = entry;
  const { busy: leaving, run } = useAsyncAction();
  const out = () => run(async () => {
    const { revoked, note } = await act('secret_sign_out', { name });
    toast({ signal: note ? 'warn' : 'ok', text: t('tools.signedOut', { name }), ...(note ? { detail: plain(note) } : revoked ? { detail: t('tools.revoked') } : {}) });
  });
  const wanted = signIn?.state === 'wanted';
  const held = signIn?.state === 'signedIn' || signIn?.state === 'ended';
  return (
    <>
      {signIn?.state === 'signedIn' ? null : <Button small variant="primary" busy={busy} aria-label={t(wanted ? 'tools.signInTo' : 'tools.signInAgainTo', { name })} onClick={() => onSignIn(name)}>{t(wanted ? 'tools.signIn' : 'tools.signInAgain')}</Button>}
      {held ? <Button small busy={leaving} aria-label={t('tools.signOutOf', { name })} onClick={() => void out()}>{t('tools.signOut')}</Button> : null}
    </>
  );
}

/** Workflows that use a secret; looked up when somebody wants to know. */
function Uses({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const uses = useCommand('secret_uses', { name }, { enabled: open });
  return (
    <details className="more s" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('secrets.uses')}</summary>
      {uses.error ? <Fault error={uses.error} /> : null}
      {uses.data?.length === 0 ? <p className="t2">{t('secrets.noUses')}</p> : null}
      {uses.data?.map((use) => <p key={`${use.workflowId} ${use.ref ?? ''}`}>{t(use.ref === undefined ? 'secrets.use.active' : 'secrets.use.steps', { name: use.name, steps: use.steps.join(', ') })}</p>)}
    </details>
  );
}

/** The place of the key, and what to do when it does not open. */
function Place({ status, mayChange, onOpen }: { status: SecretStatus; mayChange: boolean; onOpen(open: Open): void }) {
  const startOver = mayChange ? <Button small onClick={() => onOpen({ what: 'key', discard: true })}>{t('secrets.startOver')}</Button> : null;
  if (status.state === 'notChosen') {
    return (
      <div className="box">
        <NoLine icon="lock" title={t('secrets.notChosen')} text={t('secrets.notChosenText')} end={mayChange ? <Button icon="key" onClick={() => onOpen({ what: 'key', discard: false })}>{t('secrets.setUp')}</Button> : undefined} />
      </div>
    );
  }
  return (
    <>
      {status.state !== 'locked' ? null : !mayChange ? <Banner signal="warn" title={t('secrets.locked')}><span>{status.message}</span></Banner> : status.key === 'system' ? <Ask status={status} actions={startOver} /> : <Unlock actions={startOver} />}
      {status.state === 'unavailable' ? (
        <Banner signal="err" title={t('secrets.unavailable')} actions={startOver}>
          <span>{status.message}</span>
          <span className="s t2">{status.hint}</span>
        </Banner>
      ) : null}
      {status.key ? (
        <div className="box">
          <div className="line">
            <Icon name="lock" className="t2" />
            <div className="grow col">
              <span>{t(`secrets.key.${status.key}`)}</span>
              <span className="s t3 ell" title={status.keyAt}>{t('secrets.keyAt', { place: status.keyAt ?? '' })}</span>
            </div>
            {status.state === 'ready' && mayChange ? <Button small onClick={() => onOpen({ what: 'key', discard: false })}>{t('secrets.changeKey')}</Button> : null}
          </div>
        </div>
      ) : null}
    </>
  );
}

/** The key store of the system is locked. Only a press has it ask the person. */
function Ask({ status, actions }: { status: SecretStatus; actions: ReactNode }) {
  const { busy, run } = useAsyncAction();
  return (
    <Banner signal="warn" title={t('secrets.locked')} actions={<><Button small icon="key" busy={busy} onClick={() => void run(() => act('secret_unlock', {}))}>{t('secrets.unlockSystem')}</Button>{actions}</>}>
      <span>{status.message}</span>
      <span className="s t2">{status.hint}</span>
    </Banner>
  );
}

function Unlock({ actions }: { actions: ReactNode }) {
  const [text, setText] = useState('');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  async function unlock() {
    if (!text || busy) return;
    await run(() => act('secret_unlock', { passphrase: text }));
    setText('');
  }
  return (
    <Banner signal="warn" title={t('secrets.locked')}>
      <span className="s t2">{t('secrets.lockedText')}</span>
      <form className="row wrap sec-unlock" onSubmit={(event) => { event.preventDefault(); void unlock(); }}>
        <Field label={t('secrets.passphrase')} {...(error ? { error: errorText(error) } : {})}>
          {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} type="password" autoComplete="current-password" value={text} onChange={setText} />}
        </Field>
        <Button type="submit" busy={busy} disabled={!text}>{t('secrets.unlock')}</Button>
        {actions}
      </form>
    </Banner>
  );
}
