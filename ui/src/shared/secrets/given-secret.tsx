/** The secret of a command line that was brought in: added from here, with what the line said of it. */
import { useState } from 'react';
import { t } from '../../i18n/index.ts';
import { Button, SignalIcon } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import { KeyDialog } from './key-dialog.tsx';
import { SecretDialog, type GivenSecret } from './secret-dialog.tsx';
import { useSecrets } from './use-secrets.ts';

export function GivenSecretRow({ secret }: { secret: GivenSecret }) {
  const { status, ready, list } = useSecrets();
  const [making, setMaking] = useState(false);
  const name = plain(secret.name);
  if (list.data?.some((one) => one.name === secret.name)) return <p className="row"><SignalIcon signal="ok" /> {t('import.secretKept', { name })}</p>;
  const state = status.data?.state;
  const choosing = making && state === 'notChosen';
  return (
    <section aria-label={t('import.secret')} className="stack-8">
      <p className="t2">{t('import.secretText', { name, host: plain(secret.host) })}</p>
      {state === undefined || state === 'ready' || state === 'notChosen'
        ? <div><Button icon="key" disabled={state === undefined} onClick={() => setMaking(true)}>{t('import.secretAdd')}</Button></div>
        : <p className="s t2">{t('import.secretLocked')} <a href="#/settings/secrets">{t('credential.manage')}</a></p>}
      {choosing && status.data ? <KeyDialog status={status.data} onClose={() => { void status.refetch().then((now) => { if (now.data?.state !== 'ready') setMaking(false); }); }} /> : null}
      {making && ready ? <SecretDialog given={secret} onClose={() => setMaking(false)} onKept={() => { void list.refetch(); }} /> : null}
    </section>
  );
}
