/** The credential of a step: a reference to a secret of this machine, chosen from those that there are. */
import { useState } from 'react';
import { useCommand } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Select, type Option } from '../../kit/index.ts';
import { FieldFrame, useForm, type FieldProps } from '../../schema-form/index.ts';
import { KeyDialog } from './key-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { useSecretSignIn } from './secret-sign-in.tsx';
import '../keys.css';

const SCHEME = 'secret://';
const NONE = '';
/** No reference looks like these. */
const NEW = '+';
const SETTINGS = '/';

/** The host that is written in an address. */
export function hostOf(url: unknown): string[] {
  const found = typeof url === 'string' ? /^(https?):\/\/([^/?#{}@\s]+)(?=[/?#]|$)/.exec(url.trim()) : null;
  const host = found?.[2];
  return host ? [host] : [];
}

export function CredentialField(field: FieldProps) {
  const { label, value, onValue } = field;
  const { readOnly, whole } = useForm();
  const status = useCommand('secret_status', {}, { enabled: !readOnly });
  const ready = status.data?.state === 'ready';
  const list = useCommand('secret_list', {}, { enabled: !readOnly && ready });
  const [making, setMaking] = useState(false);
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
  const url = typeof whole === 'object' && whole !== null && 'url' in whole ? whole.url : undefined;
  return (
    <FieldFrame field={field}>
      {({ id, invalid }) => (
        <>
          <Select id={id} label={label} value={chosen} options={options} invalid={invalid} disabled={readOnly} onChange={choose} />
          {making && status.data?.state === 'notChosen' ? <KeyDialog status={status.data} onClose={afterKey} /> : null}
          {making && ready ? <SecretDialog hosts={hostOf(url)} onClose={() => setMaking(false)} onKept={(name) => onValue(SCHEME + name)} onWanted={(name) => void signIn.begin(name)} /> : null}
          {signIn.dialog}
        </>
      )}
    </FieldFrame>
  );
}
