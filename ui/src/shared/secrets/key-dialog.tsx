/** Where the key of the secrets is kept: three places, each with what it means. */
import { useState } from 'react';
import { act } from '../../api/queries.ts';
import type { SecretKeyPlace, SecretStatus } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Field, TextInput } from '../../kit/index.ts';
import { useAsyncAction } from '../use-async-action.ts';
import { FormDialog } from '../form-dialog.tsx';

const PLACES: readonly SecretKeyPlace[] = ['system', 'passphrase', 'file'];

export function KeyDialog({ status, discard = false, onClose }: { status: SecretStatus; discard?: boolean; onClose(): void }) {
  const [key, setKey] = useState<SecretKeyPlace>(status.key ?? (status.systemTrouble ? 'passphrase' : 'system'));
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const differs = second !== '' && first !== second;
  const complete = key === 'passphrase' ? first.length >= 8 && first === second : key !== 'system' || !status.systemTrouble;
  async function choose() {
    if (await run(() => act('secret_choose', { key, discard, ...(key === 'passphrase' ? { passphrase: first } : {}) }), t('secrets.chosen'))) onClose();
  }
  return (
    <FormDialog title={t('secrets.keyTitle')} submit={t('secrets.use')} danger={discard} width={520} busy={busy} error={error} complete={complete} onSubmit={() => void choose()} onClose={onClose}>
        {discard || status.key ? <p className="s t2">{t(discard ? 'secrets.startOverText' : 'secrets.keyMove')}</p> : null}
        <div className="box" role="radiogroup" aria-label={t('secrets.keyTitle')}>
          {PLACES.map((place) => {
            const why = place === 'system' ? status.systemTrouble : undefined;
            return (
              <label key={place} className={`sec-place ${why ? 'off' : ''}`}>
                <input type="radio" name="key" value={place} checked={key === place} disabled={why !== undefined} onChange={() => setKey(place)} />
                <span className="col grow">
                  <span>{t(`secrets.key.${place}`)}</span>
                  <span className="s t2">{t(`secrets.keyText.${place}`, { system: status.system })}</span>
                  {why ? <span className="s c-wait">{t('secrets.keyNot', { why })}</span> : null}
                </span>
              </label>
            );
          })}
        </div>
        {key === 'passphrase' ? (
          <>
            <Field label={t('secrets.passphrase')} required hint={t('secrets.passphraseHint')}>
              {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} type="password" autoComplete="new-password" value={first} onChange={setFirst} />}
            </Field>
            <Field label={t('secrets.passphraseAgain')} required {...(differs ? { error: t('secrets.passphraseDiffers') } : {})}>
              {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} type="password" autoComplete="new-password" value={second} onChange={setSecond} />}
            </Field>
          </>
        ) : null}
    </FormDialog>
  );
}
