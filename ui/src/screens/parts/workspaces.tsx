/** Workspaces of the server: which workflows belong together, and how many runs they may start. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button, Dialog, Field, Icon, Select, TextInput } from '../../kit/index.ts';
import { ConfirmRemove, FormDialog } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { QuotaFields, quotaOf, textOf } from './quota-fields.tsx';

type Workspace = Commands['workspace_list']['response'][number];
const NUMBERS = ['perMinute', 'perDay', 'atOnce'] as const;
const OF_PERSON = ['personPerMinute', 'personPerDay'] as const;
const USED = { perMinute: 'minute', perDay: 'day', atOnce: 'open' } as const satisfies { [N in (typeof NUMBERS)[number]]: keyof Workspace['started'] };

export function WorkspacesSection() {
  const list = useCommand('workspace_list', {}, { refetchInterval: 30_000 });
  const mayChange = usePermission()('workspace_put');
  const [editing, setEditing] = useState<Workspace | 'new' | null>(null);
  const [filling, setFilling] = useState<string | null>(null);
  const [going, setGoing] = useState<Workspace | null>(null);
  const filled = list.data?.find((one) => one.name === filling);
  return (
    <Section id="workspaces" title={t('workspace.title')} hint={t('workspace.hint')} end={mayChange ? <Button icon="plus" onClick={() => setEditing('new')}>{t('workspace.new')}</Button> : null}>
      {list.data ? (
        <div className="box">
          {list.data.length === 0 ? <NoLine icon="folder" title={t('workspace.none')} text={t('workspace.noneText')} /> : null}
          {list.data.map((one) => <Line key={one.name} one={one} mayChange={mayChange} onQuota={() => setEditing(one)} onWorkflows={() => setFilling(one.name)} onRemove={() => setGoing(one)} />)}
        </div>
      ) : <NotRead error={list.error} retry={list.refetch} />}
      {editing ? <Edit one={editing === 'new' ? null : editing} all={list.data ?? []} onClose={() => setEditing(null)} /> : null}
      {filled ? <Workflows one={filled} onClose={() => setFilling(null)} /> : null}
      {going ? (
        <ConfirmRemove section="workspaces" title={t('workspace.removeTitle', { name: going.name })} text={t('workspace.removeText')} confirm={t('workspace.remove')} done={t('workspace.removed')}
          remove={() => act('workspace_remove', { name: going.name })} onClose={() => setGoing(null)} />
      ) : null}
    </Section>
  );
}

/** What was started, of how many there may be. */
function usedOf({ started, quota }: Workspace): string[] {
  const used = NUMBERS.map((name) => {
    const [of, most] = [USED[name], quota[name]];
    return most === undefined ? t(`workspace.used.${of}`, { count: started[of] }) : t(`workspace.used.${of}Of`, { count: started[of], most });
  });
  const each = OF_PERSON.flatMap((name) => {
    const most = quota[name];
    return most === undefined ? [] : [t(`workspace.each.${name}`, { most })];
  });
  return [...used, ...each];
}

function Line({ one, mayChange, onQuota, onWorkflows, onRemove }: { one: Workspace; mayChange: boolean; onQuota(): void; onWorkflows(): void; onRemove(): void }) {
  const workflows = one.workflows.length === 0 ? t('workspace.noWorkflows') : one.workflows.join(', ');
  return (
    <div className="line">
      <Icon name="folder" className="t2" />
      <div className="grow col"><span className="mono ell">{one.name}</span><span className="s t3">{[...usedOf(one), workflows].join(' · ')}</span></div>
      {mayChange ? (
        <>
          <Button small aria-label={t('workspace.workflowsOf', { name: one.name })} onClick={onWorkflows}>{t('workspace.workflows')}</Button>
          <Button small aria-label={t('workspace.quotaOf', { name: one.name })} onClick={onQuota}>{t('workspace.quota')}</Button>
          {one.workflows.length === 0 ? <Button small aria-label={t('workspace.removeOf', { name: one.name })} onClick={onRemove}>{t('workspace.remove')}</Button> : null}
        </>
      ) : null}
    </div>
  );
}

function Edit({ one, all, onClose }: { one: Workspace | null; all: readonly Workspace[]; onClose(): void }) {
  const [name, setName] = useState(one?.name ?? '');
  const [text, setText] = useState(textOf(one?.quota ?? {}));
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const taken = one === null && all.some((other) => other.name === name.trim());
  const quota = quotaOf(text);
  const save = async () => {
    if (quota && await run(() => act('workspace_put', { name: name.trim(), quota }))) onClose();
  };
  return (
    <FormDialog title={one ? t('workspace.quotaOf', { name: one.name }) : t('workspace.newTitle')} submit={one ? t('workspace.save') : t('workspace.make')} busy={busy} error={error}
      complete={name.trim() !== '' && !taken && quota !== null} onSubmit={() => void save()} onClose={onClose}>
      {one ? null : (
        <Field label={t('workspace.name')} required {...(taken ? { error: t('workspace.nameTaken') } : { hint: t('workspace.nameHint') })}>
          {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono value={name} placeholder="sales-emea" maxLength={60} onChange={setName} />}
        </Field>
      )}
      <QuotaFields names={[...NUMBERS, ...OF_PERSON]} text={text} onChange={setText} />
    </FormDialog>
  );
}

function Workflows({ one, onClose }: { one: Workspace; onClose(): void }) {
  const library = useCommand('workflow_list', {});
  const [chosen, setChosen] = useState('');
  const { busy, run } = useAsyncAction();
  const nameOf = (id: string) => library.data?.find((file) => file.id === id)?.name ?? id;
  const others = (library.data ?? []).filter((file) => file.id !== '' && !one.workflows.includes(file.id));
  const options = [{ value: '', label: t('workspace.addNone') }, ...others.map((file) => ({ value: file.id, label: `${file.name} (${file.id})` }))];
  const move = async (workflowId: string, workspace: string | undefined) => {
    if (await run(() => act('workspace_assign', { workflowId, ...(workspace === undefined ? {} : { workspace }) }))) setChosen('');
  };
  return (
    <Dialog open title={t('workspace.workflowsOf', { name: one.name })} closeLabel={t('workspace.close')} width={560} busy={busy} onClose={onClose} footer={<Button onClick={onClose}>{t('workspace.close')}</Button>}>
      {library.data ? null : <NotRead error={library.error} retry={library.refetch} />}
      <div className="box">
        {one.workflows.length === 0 ? <NoLine icon="folder" title={t('workspace.noWorkflows')} text={t('workspace.addHint')} /> : null}
        {one.workflows.map((id) => (
          <div key={id} className="line">
            <span className="grow ell">{nameOf(id)}</span>
            <Button small disabled={busy} aria-label={t('workspace.takeOutOf', { name: nameOf(id) })} onClick={() => void move(id, undefined)}>{t('workspace.takeOut')}</Button>
          </div>
        ))}
      </div>
      <Field label={t('workspace.addLabel')} hint={t('workspace.addHint')}>
        {({ id }) => <Select id={id} label={t('workspace.addLabel')} value={chosen} onChange={setChosen} options={options} />}
      </Field>
      <Button busy={busy} disabled={chosen === ''} onClick={() => void move(chosen, one.name)}>{t('workspace.add')}</Button>
    </Dialog>
  );
}
