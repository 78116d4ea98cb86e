/** The credential of a step: a reference to a secret of this machine, chosen from those that there are. */
import { createContext, useContext, useState } from 'react';
import { usePermission } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Button, Select, type Option } from '../../kit/index.ts';
import { FieldFrame, useForm, type FieldProps } from '../../schema-form/index.ts';
import { KeyDialog } from './key-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { draftOfStep, hostsOfStep, isServer } from './server-address.ts';
import { TestDialog } from './test-dialog.tsx';
import { useSecretSignIn } from './secret-sign-in.tsx';
import { useSecrets } from './use-secrets.ts';
import '../keys.css';

const SCHEME = 'secret://';
const NONE = '';
/** No reference looks like these. */
const NEW = '+';
const SETTINGS = '/';

/** The kind of the step whose settings are shown. */
export const StepKindContext = createContext('');

export function CredentialField(field: FieldProps) {
  const { label, value, onValue } = field;
  const { readOnly, whole } = useForm();
  const { status, ready, list } = useSecrets(!readOnly);
  const [making, setMaking] = useState(false);
  const [testing, setTesting] = useState(false);
  const may = usePermission();
  const signIn = useSecretSignIn();
  const chosen = typeof value === 'string' ? value : NONE;
  const options: Option[] = [{ value: NONE, label: t('credential.none') }];
  for (const entry of list.data ?? []) {
    options.push({ value: SCHEME + entry.name, label: entry.name, hint: t(`secrets.kind.${entry.kind}`) });
  }
  if (!options.some((option) => option.value === chosen)) {
    const name = chosen.startsWith(SCHEME) ? chosen.slice(SCHEME.length) : chosen;
    options.push({ value: chosen, label: list.data ? t('credential.missing', { name }) : name });
  }
  // Without the right to see them a person still sees what is chosen.
  if (!readOnly && !status.error) {
    options.push({ value: NEW, label: t('credential.new') }, { value: SETTINGS, label: t('credential.manage') });
  }
  function choose(next: string) {
    // What is locked or broken is told and mended in the settings.
    if (next === NEW && (ready || status.data?.state === 'notChosen')) setMaking(true);
    else if (next === NEW || next === SETTINGS) window.location.hash = '#/settings/secrets';
    else onValue(next === NONE ? undefined : next);
  }
  /** With a place chosen it goes on with the secret; without one it is over. */
  function afterKey() {
    void status.refetch().then((now) => { if (now.data?.state !== 'ready') setMaking(false); });
  }
  const at = draftOfStep(useContext(StepKindContext), whole);
  const known = list.data?.find((entry) => SCHEME + entry.name === chosen);
  return (
    <FieldFrame field={field}>
      {({ id, invalid }) => (
        <>
          <div className="row">
            <div className="grow"><Select id={id} label={label} value={chosen} options={options} invalid={invalid} disabled={readOnly} onChange={choose} /></div>
            {known && !readOnly && may('secret_test') ? <Button small aria-label={t('secrets.testOf', { name: known.name })} onClick={() => setTesting(true)}>{t('secrets.test')}</Button> : null}
          </div>
          {testing && known ? <TestDialog entry={known} at={at} onClose={() => setTesting(false)} /> : null}
          {making && status.data?.state === 'notChosen' ? <KeyDialog status={status.data} onClose={afterKey} /> : null}
          {making && ready ? <SecretDialog hosts={hostsOfStep(at)} kind={at?.system === 'sftp' ? 'ssh' : at?.system === 's3' ? 'aws' : at && isServer(at.system) ? 'basic' : undefined} onClose={() => setMaking(false)} onKept={(name) => onValue(SCHEME + name)} onWanted={(name) => void signIn.begin(name)} /> : null}
          {signIn.dialog}
        </>
      )}
    </FieldFrame>
  );
}
