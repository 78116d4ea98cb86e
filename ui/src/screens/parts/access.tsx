/** Who reaches the server: people who are signed in, and tokens of programs. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { CopyButton } from '../../code/ValueView.tsx';
import { formatDateTime, formatPerson, t } from '../../i18n/index.ts';
import { Badge, Button, Checkbox, Dialog, Field, Icon, Select, TextInput } from '../../kit/index.ts';
import { ConfirmRemove, FormDialog } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { QuotaFields, quotaOf, type QuotaText } from './quota-fields.tsx';
import { WorkspacesSection } from './workspaces.tsx';

type Session = Commands['session_list']['response'][number];
type Token = Commands['token_list']['response'][number];
type Role = Token['role'];
const ROLES = ['viewer', 'operator', 'builder'] as const satisfies readonly Role[];
/** Days; an empty text is no end. */
const DAYS = ['7', '30', '90', '365', ''] as const;
/** A token has no quota of runs at the same time. */
const NUMBERS = ['perMinute', 'perDay'] as const;

export function AccessSection() {
  return <><Sessions /><Tokens /><WorkspacesSection /></>;
}

function Sessions() {
  const list = useCommand('session_list', {}, { refetchInterval: 10_000 });
  const mayEnd = usePermission()('session_end');
  const [ending, setEnding] = useState<Session | null>(null);
  return (
    <Section id="sessions" title={t('access.sessions')} hint={t('access.sessionsHint')}>
      {list.data ? (
        <div className="box">
          {list.data.length === 0 ? <NoLine icon="person" title={t('access.nobody')} text={t('access.nobodyText')} /> : null}
          {list.data.map((one) => <Person key={one.id} one={one} onEnd={mayEnd && !one.own ? () => setEnding(one) : undefined} />)}
        </div>
      ) : <NotRead error={list.error} retry={list.refetch} />}
      {ending ? (
        <ConfirmRemove section="sessions" title={t('access.endTitle', { name: nameOf(ending) })} text={t('access.endText')} confirm={t('access.end')} done={t('access.ended')}
          remove={() => act('session_end', { id: ending.id })} onClose={() => setEnding(null)} />
      ) : null}
    </Section>
  );
}

const nameOf = (one: Session): string => one.shownName ?? formatPerson(one.person);

/** The role for everything, and those in workspaces. */
function rolesOf({ role, limited, workspaces = [] }: Session): string[] {
  const inside = workspaces.map((one) => t('access.in', { role: t(`signIn.role.${one.role}`), names: one.name }));
  return limited ? inside : [t(`signIn.role.${role}`), ...inside];
}

function Person({ one, onEnd }: { one: Session; onEnd: (() => void) | undefined }) {
  const name = nameOf(one);
  const known = formatPerson(one.person);
  const times = t('access.since', { since: formatDateTime(one.since), used: formatDateTime(one.usedAt) });
  return (
    <div className="line">
      <Icon name="person" className="t2" />
      <div className="grow col">
        <span className="ell" title={one.email ?? known}>{name === known ? name : `${name} (${known})`}</span>
        <span className="s t3">{[...rolesOf(one), times].join(' · ')}</span>
      </div>
      {one.own ? <Badge>{t('access.own')}</Badge> : null}
      {onEnd ? <Button small aria-label={t('access.endOf', { name })} onClick={onEnd}>{t('access.end')}</Button> : null}
    </div>
  );
}

function Tokens() {
  const list = useCommand('token_list', {}, { refetchInterval: 30_000 });
  const mayChange = usePermission()('token_add');
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Commands['token_add']['response'] | null>(null);
  const [going, setGoing] = useState<Token | null>(null);
  return (
    <Section id="tokens" title={t('access.tokens')} hint={t('access.tokensHint')} end={mayChange ? <Button icon="plus" onClick={() => setAdding(true)}>{t('access.new')}</Button> : null}>
      {list.data ? (
        <div className="box">
          {list.data.length === 0 ? <NoLine icon="key" title={t('access.none')} text={t('access.noneText')} /> : null}
          {list.data.map((one) => <TokenLine key={one.name} one={one} onRevoke={mayChange ? () => setGoing(one) : undefined} />)}
        </div>
      ) : <NotRead error={list.error} retry={list.refetch} />}
      {adding ? <AddToken all={list.data ?? []} onClose={() => setAdding(false)} onMade={(token) => { setAdding(false); setMade(token); }} /> : null}
      {made ? <NewToken made={made} onClose={() => setMade(null)} /> : null}
      {going ? (
        <ConfirmRemove section="tokens" title={t('access.revokeTitle', { name: going.name })} text={t('access.revokeText')} confirm={t('access.revoke')} done={t('access.revoked')}
          remove={() => act('token_revoke', { name: going.name })} onClose={() => setGoing(null)} />
      ) : null}
    </Section>
  );
}

function TokenLine({ one, onRevoke }: { one: Token; onRevoke: (() => void) | undefined }) {
  const facts = [
    one.workspaces === undefined ? t(`signIn.role.${one.role}`) : t('access.in', { role: t(`signIn.role.${one.role}`), names: one.workspaces.join(', ') }),
    t('access.madeBy', { person: formatPerson(one.person), time: formatDateTime(one.madeAt) }),
    one.usedAt === undefined ? t('access.neverUsed') : t('access.used', { time: formatDateTime(one.usedAt) }),
    one.expiresAt === undefined ? t('access.lasts') : one.expired ? t('access.hasExpired', { time: formatDateTime(one.expiresAt) }) : t('access.expires', { time: formatDateTime(one.expiresAt) }),
  ];
  return (
    <div className="line">
      <Icon name="key" className={one.expired ? 'c-err' : 't2'} />
      <div className="grow col"><span className="mono ell">{one.name}</span><span className="s t3">{facts.join(' · ')}</span></div>
      {one.expired ? <Badge signal="err">{t('access.expired')}</Badge> : null}
      {onRevoke ? <Button small aria-label={t('access.revokeOf', { name: one.name })} onClick={onRevoke}>{t('access.revoke')}</Button> : null}
    </div>
  );
}

function AddToken({ all, onClose, onMade }: { all: readonly Token[]; onClose(): void; onMade(made: Commands['token_add']['response']): void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState<(typeof DAYS)[number]>('90');
  const [inside, setInside] = useState<readonly string[]>([]);
  const [quotaText, setQuotaText] = useState<QuotaText>({});
  const workspaces = useCommand('workspace_list', {});
  const quota = quotaOf(quotaText);
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const taken = all.some((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  // Nobody is a builder in a workspace.
  const mayBeLimited = role !== 'builder' && (workspaces.data?.length ?? 0) > 0;
  const limits = mayBeLimited ? inside : [];
  const add = () => run(async () => {
    const how = { ...(days === '' ? {} : { expiresDays: Number(days) }), ...(limits.length === 0 ? {} : { workspaces: [...limits] }), ...(quota && Object.keys(quota).length > 0 ? { quota } : {}) };
    onMade(await act('token_add', { name: name.trim(), role, ...how }));
  });
  return (
    <FormDialog title={t('access.newTitle')} submit={t('access.make')} busy={busy} error={error} complete={name.trim() !== '' && !taken && quota !== null} onSubmit={() => void add()} onClose={onClose}>
      <Field label={t('access.name')} required {...(taken ? { error: t('access.nameTaken') } : { hint: t('access.nameHint') })}>
        {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono value={name} placeholder="nightly-import" maxLength={100} onChange={setName} />}
      </Field>
      <Field label={t('access.role')} hint={t(`access.may.${role}`)}>
        {({ id }) => <Select id={id} label={t('access.role')} value={role} onChange={setRole} options={ROLES.map((value) => ({ value, label: t(`signIn.role.${value}`) }))} />}
      </Field>
      {mayBeLimited ? (
        <Field label={t('access.where')} group hint={limits.length === 0 ? t('access.everywhereHint') : t('access.insideHint')}>
          {() => (workspaces.data ?? []).map((one) => (
            <label key={one.name} className="row gap1"><Checkbox checked={inside.includes(one.name)} label={one.name} onChange={(on) => setInside(on ? [...inside, one.name] : inside.filter((name) => name !== one.name))} />{one.name}</label>
          ))}
        </Field>
      ) : null}
      <QuotaFields names={NUMBERS} text={quotaText} onChange={setQuotaText} />
      <Field label={t('access.end.label')} {...(days === '' ? { hint: t('access.endNever') } : {})}>
        {({ id }) => <Select id={id} label={t('access.end.label')} value={days} onChange={setDays} options={DAYS.map((value) => ({ value, label: value === '' ? t('access.never') : t('access.days', { count: value }) }))} />}
      </Field>
    </FormDialog>
  );
}

/** The only time that the token is seen. */
function NewToken({ made, onClose }: { made: Commands['token_add']['response']; onClose(): void }) {
  return (
    <Dialog open typed title={t('access.madeTitle', { name: made.entry.name })} closeLabel={t('access.kept')} width={560} onClose={onClose} footer={<Button variant="primary" onClick={onClose}>{t('access.kept')}</Button>}>
      <p>{t('access.madeText')}</p>
      <div className="row"><code className="mono grow access-token" aria-label={t('access.token')}>{made.token}</code><CopyButton value={made.token} /></div>
      <p className="s t3">{t('access.header')} <code className="mono">Authorization: Bearer …</code></p>
    </Dialog>
  );
}
