/** The fields of a secret that gets its tokens by OAuth: the service, the client, and, folded away, its addresses. */
import type { ConnectorEntry } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { webAddress } from '../web-address.ts';
import type { OAuthDraft } from './oauth-draft.ts';

const GRANTS = ['authorizationCode', 'deviceCode', 'clientCredentials'] as const;
const ADDRESSES = ['authorizationUrl', 'tokenUrl', 'deviceUrl', 'revocationUrl'] as const;
const PLACEHOLDER = { authorizationUrl: 'https://login.example.com/authorize', tokenUrl: 'https://login.example.com/token', deviceUrl: 'https://login.example.com/device', revocationUrl: 'https://login.example.com/revoke' };

interface OAuthFieldsProps {
  draft: OAuthDraft;
  services: readonly ConnectorEntry[];
  /** Where the browser of this person comes back to, when a server is asked. */
  callback: string | undefined;
  onChange(draft: OAuthDraft): void;
  onService(name: string): void;
}

export function OAuthFields({ draft, services, callback, onChange, onService }: OAuthFieldsProps) {
  const service = services.find((one) => one.name === draft.service);
  const register = service?.signIn?.register ? webAddress(service.signIn.register) : undefined;
  const set = (key: keyof OAuthDraft) => (value: string) => onChange({ ...draft, [key]: value });
  const redirect = draft.redirect || callback || 'http://127.0.0.1';
  return (
    <>
      <div className="sec-two">
        <Field label={t('secrets.oauth.service')}>
          {({ id }) => <Select id={id} label={t('secrets.oauth.service')} value={draft.service} onChange={onService}
            options={[{ value: '', label: t('secrets.oauth.other') }, ...services.map((one) => ({ value: one.name, label: one.title }))]} />}
        </Field>
        <Field label={t('secrets.oauth.grant')}>
          {({ id }) => <Select<OAuthDraft['grant']> id={id} label={t('secrets.oauth.grant')} value={draft.grant} onChange={(grant) => onChange({ ...draft, grant })}
            options={GRANTS.map((one) => ({ value: one, label: t(`secrets.oauth.grant.${one}`) }))} />}
        </Field>
      </div>
      {service?.signIn?.note ? <p className="s t2">{service.signIn.note}</p> : null}
      {draft.grant === 'authorizationCode' ? <p className="s t2">{t('secrets.oauth.redirectIs', { address: redirect })}</p> : null}
      {register ? <p className="s"><a href={register} target="_blank" rel="noopener noreferrer">{t('secrets.oauth.register', { service: service?.title ?? '' })}</a></p> : null}
      <Field label={t('secrets.oauth.clientId')} required>
        {({ id }) => <TextInput id={id} mono value={draft.clientId} onChange={set('clientId')} />}
      </Field>
      <details className="more" open={draft.service === ''}>
        <summary>{t('secrets.oauth.addresses')}</summary>
        <div className="sec-form">
          {ADDRESSES.map((key) => (
            <Field key={key} label={t(`secrets.oauth.${key}`)} required={key === 'tokenUrl'}>
              {({ id }) => <TextInput id={id} mono value={draft[key]} placeholder={PLACEHOLDER[key]} onChange={set(key)} />}
            </Field>
          ))}
          <Field label={t('secrets.oauth.scopes')} hint={t('secrets.oauth.scopesHint')}>
            {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={2} value={draft.scopes} onChange={set('scopes')} />}
          </Field>
          <div className="sec-two">
            <Field label={t('secrets.oauth.authentication')}>
              {({ id }) => <Select<OAuthDraft['authentication']> id={id} label={t('secrets.oauth.authentication')} value={draft.authentication} onChange={(authentication) => onChange({ ...draft, authentication })}
                options={(['basic', 'body'] as const).map((one) => ({ value: one, label: t(`secrets.oauth.authentication.${one}`) }))} />}
            </Field>
            <Field label={t('secrets.oauth.redirect')} hint={t('secrets.oauth.redirectHint')}>
              {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={draft.redirect} placeholder="http://localhost:8400/callback" onChange={set('redirect')} />}
            </Field>
          </div>
          <Field label={t('secrets.oauth.user')} hint={t('secrets.oauth.userHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={draft.user} placeholder="ada@example.com" onChange={set('user')} />}
          </Field>
        </div>
      </details>
    </>
  );
}
