/** A new destination of tasks: the service, who Signalbox is there, which tasks go there, and which decisions come back. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { t, useLanguage } from '../../i18n/index.ts';
import { Checkbox, Field, Select, TextArea, TextInput } from '../../kit/index.ts';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { isLocalAddress, LocalConsent } from './local-address.tsx';

type Request = Commands['task_destination_add']['request'];
const MAIL = ' mail';
/** Variables of a connector without a title have their name. */
const sentenceCase = (title: string) => title.charAt(0).toUpperCase() + title.slice(1);
const words = (text: string) => text.split(/[,\n]/u).map((word) => word.trim()).filter((word) => word !== '');

/** `VALUE = ANSWER`, one a line. */
function valuesOf(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => {
    const at = line.lastIndexOf('=');
    return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  }));
}

export function DestinationDialog({ onClose }: { onClose(): void }) {
  const kinds = useCommand('task_destination_kinds', {});
  const secrets = useCommand('secret_list', {});
  const [service, setService] = useState('');
  const [name, setName] = useState('');
  const [fields, setFields] = useState<Record<string, string>>({});
  const [credential, setCredential] = useState('');
  const shown = useLanguage((state) => state.language);
  const [mailLanguage, setMailLanguage] = useState<string>(shown);
  const [server, setServer] = useState('');
  const [local, setLocal] = useState(false);
  const [workflows, setWorkflows] = useState('');
  const [assignees, setAssignees] = useState('');
  const [priority, setPriority] = useState('');
  const [publicUrl, setPublicUrl] = useState('');
  const [decides, setDecides] = useState(false);
  const [decideSecret, setDecideSecret] = useState('');
  const [values, setValues] = useState('');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const kind = kinds.data?.find((one) => one.connector === service);
  const isMail = service === MAIL;
  const isLocal = isLocalAddress(isMail ? `https://${fields['host'] ?? ''}/` : server);
  const field = (key: string) => (fields[key] ?? '').trim();
  const put = (key: string) => (value: string) => setFields({ ...fields, [key]: value });
  const required = kind ? [...kind.variables, ...kind.settings].filter((one) => one.default === undefined && !(server && kind.variables.includes(one))) : [];
  const filled = isMail ? ['host', 'from', 'to'].every((key) => field(key) !== '') : required.every((one) => field(one.name) !== '');
  const complete = service !== '' && name.trim() !== '' && filled && (!isLocal || local) && (!decides || decideSecret !== '');
  function choose(next: string) {
    // What nobody has touched follows the service.
    const title = (id: string) => (id === MAIL ? t('dest.mail') : kinds.data?.find((one) => one.connector === id)?.title ?? '');
    if (name === '' || name === title(service)) setName(title(next));
    setService(next);
    setFields({});
    setDecides(false);
    setValues(Object.entries(kinds.data?.find((one) => one.connector === next)?.values ?? {}).map(([value, action]) => `${value} = ${action}`).join('\n'));
  }
  function request(): Request {
    const given = (list: readonly { name: string }[]) => Object.fromEntries(list.filter((one) => field(one.name) !== '').map((one) => [one.name, field(one.name)]));
    return {
      name: name.trim(),
      ...(isMail ? { mail: { host: field('host'), from: field('from'), to: words(field('to')), language: mailLanguage } }
        : { connector: service, variables: given(kind?.variables ?? []), settings: given(kind?.settings ?? []), ...(server.trim() ? { server: server.trim() } : {}) }),
      ...(credential ? { credential } : {}),
      workflows: words(workflows),
      assignees: words(assignees),
      minPriority: Number(priority) || 0,
      ...(publicUrl.trim() ? { publicUrl: publicUrl.trim() } : {}),
      ...(decides ? { decisions: { secret: decideSecret, values: valuesOf(values) } } : {}),
      ...(isLocal ? { allowLocal: local } : {}),
    };
  }
  const save = async () => {
    if (await run(() => act('task_destination_add', request()), t('dest.added'))) onClose();
  };
  const secretOptions = (none: string) => [{ value: '', label: none }, ...(secrets.data ?? []).map((one) => ({ value: `secret://${one.name}`, label: one.name }))];
  const text = (key: string, label: string, hint?: string, isRequired = true, placeholder?: string) => (
    <Field key={key} label={label} required={isRequired} {...(hint ? { hint } : {})}>
      {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={fields[key] ?? ''} onChange={put(key)} maxLength={2000} {...(placeholder ? { placeholder } : {})} />}
    </Field>
  );
  return (
    <FormDialog title={t('dest.newTitle')} submit={t('dest.submit')} busy={busy} error={error} complete={complete} width={620} onSubmit={() => void save()} onClose={onClose}>
      <div className="sec-two">
        <Field label={t('dest.service')} required {...(kind?.description ? { hint: kind.description } : {})}>
          {({ id }) => <Select id={id} label={t('dest.service')} value={service} onChange={choose} options={[{ value: '', label: t('form.choose') }, ...(kinds.data ?? []).map((one) => ({ value: one.connector, label: one.title })), { value: MAIL, label: t('dest.mail') }]} />}
        </Field>
        <Field label={t('dest.name')} required hint={t('dest.nameHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={name} onChange={setName} maxLength={100} />}
        </Field>
      </div>
      {isMail ? <>{text('host', t('dest.mailHost'))}<div className="sec-two">{text('from', t('dest.mailFrom'))}{text('to', t('dest.mailTo'), t('dest.mailToHint'))}</div>
        <Field label={t('dest.mailLanguage')}>{({ id }) => <Select id={id} label={t('dest.mailLanguage')} value={mailLanguage} onChange={setMailLanguage} options={[{ value: 'en', label: t('settings.language.en') }, { value: 'zh', label: t('settings.language.zh') }]} />}</Field></> : null}
      {kind ? [...kind.variables, ...kind.settings].map((one) => text(one.name, sentenceCase(one.title), one.description, required.includes(one), one.default)) : null}
      {service !== '' ? (
        <Field label={t('dest.secret')} hint={t('dest.secretHint')}>
          {({ id }) => <Select id={id} label={t('dest.secret')} value={credential} onChange={setCredential} options={secretOptions(t('dest.noSecret'))} />}
        </Field>
      ) : null}
      {kind ? (
        <Field label={t('dest.server')} hint={t('dest.serverHint')}>
          {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={server} onChange={setServer} maxLength={2000} />}
        </Field>
      ) : null}
      <LocalConsent url={isMail ? `https://${field('host')}/` : server} given={local} onChange={setLocal} />
      {service !== '' ? (
        <fieldset className="sec-form"><legend className="cap">{t('dest.which')}</legend>
          <Field label={t('dest.workflows')} hint={t('dest.workflowsHint')}>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={workflows} onChange={setWorkflows} maxLength={5000} />}</Field>
          <div className="sec-two">
            <Field label={t('dest.assignees')} hint={t('dest.assigneesHint')}>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} value={assignees} onChange={setAssignees} maxLength={5000} />}</Field>
            <Field label={t('dest.priority')} hint={t('dest.priorityHint')}>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} inputMode="numeric" value={priority} onChange={(value) => setPriority(value.replace(/[^0-9]/gu, ''))} maxLength={3} />}</Field>
          </div>
        </fieldset>
      ) : null}
      {service !== '' ? <Field label={t('dest.publicUrl')} hint={t('dest.publicUrlHint')}>{({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} type="url" value={publicUrl} onChange={setPublicUrl} maxLength={2000} />}</Field> : null}
      {kind && kind.decisions !== undefined ? (
        <>
          <label className="row gap1"><Checkbox checked={decides} label={t('dest.decide')} onChange={setDecides} />{t('dest.decide')}</label>
          {decides ? (
            <>
              <p className="s t2">{kind.decisions}</p>
              <Field label={t('dest.decideSecret')} required>{({ id }) => <Select id={id} label={t('dest.decideSecret')} value={decideSecret} onChange={setDecideSecret} options={secretOptions(t('form.choose'))} />}</Field>
              <Field label={t('dest.decideValues')} hint={t('dest.decideValuesHint')}>{({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} rows={3} value={values} onChange={setValues} maxLength={5000} />}</Field>
            </>
          ) : null}
        </>
      ) : service !== '' ? <p className="s t3">{t('dest.decideNone')}</p> : null}
    </FormDialog>
  );
}
