/** Servers of tools: what stands where, added, looked at and approved (TRUST, "MCP client side"). The part of the settings. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { t, tn } from '../../i18n/index.ts';
import { Badge, Button, Icon, openScope, toast } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { ConfirmRemove } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { PasteDialog, ServerDialog } from './tool-server-dialog.tsx';
import { SignInLine } from './tool-sign-in.tsx';
import { ReviewDialog } from './tool-review.tsx';
import { howOf, type ToolServer } from './tool-words.ts';

const SIGNAL = { new: 'warn', approved: 'ok', changed: 'err' } as const;

/** How often it is looked what other programs did. */
const LOOK_MS = 5_000;

/** `ask`: it is asked what it says at once. */
type Open = { what: 'add' | 'paste' } | { what: 'edit' | 'look' | 'delete'; name: string; ask?: boolean } | null;

export function ToolsSection() {
  // Also what another program of this machine does: signing out at a terminal.
  const list = useCommand('tool_server_list', {}, { refetchInterval: LOOK_MS });
  const may = usePermission();
  const mayChange = may('tool_server_set');
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  // A viewer does not see what runs on this machine.
  if (!list.data && (!may('tool_server_list') || list.error?.code === 'FORBIDDEN')) return null;
  if (!list.data) return <Section id="tools" title={t('tools.title')} hint={t('tools.hint')}><NotRead error={list.error} retry={list.refetch} /></Section>;
  const named = open && 'name' in open ? list.data.find(({ name }) => name === open.name) : undefined;
  const kept = (name: string) => setOpen({ what: 'look', name, ask: true });
  return (
    <Section id="tools" title={t('tools.title')} hint={t('tools.hint')}>
      <div className="box">
        {list.data.length === 0 ? <NoLine icon="plug" title={t('tools.none')} text={t('tools.noneText')} /> : null}
        {list.data.map((one) => <Server key={one.name} one={one} mayChange={mayChange} onOpen={(what) => setOpen({ what, name: one.name })} />)}
      </div>
      {mayChange ? (
        <div className="row wrap">
          <Button icon="plus" onClick={() => setOpen({ what: 'add' })}>{t('tools.add')}</Button>
          <Button onClick={() => setOpen({ what: 'paste' })}>{t('tools.paste')}</Button>
        </div>
      ) : null}
      {open?.what === 'add' ? <ServerDialog all={list.data} onClose={close} onKept={kept} /> : null}
      {open?.what === 'paste' ? <PasteDialog onClose={close} /> : null}
      {open?.what === 'edit' && named ? <ServerDialog old={named} all={list.data} onClose={close} onKept={kept} /> : null}
      {open?.what === 'look' && named ? <ReviewDialog server={named} ask={open.ask} mayChange={mayChange} onClose={close} onEdit={() => setOpen({ what: 'edit', name: named.name })} /> : null}
      {open?.what === 'delete' ? (
        <ConfirmRemove section="tools" title={t('tools.deleteTitle', { name: open.name })} text={t('tools.deleteText')} confirm={t('tools.delete')} done={t('tools.deleted', { name: open.name })}
          remove={() => act('tool_server_delete', { name: open.name })} onClose={close} />
      ) : null}
    </Section>
  );
}

/** What keeps it from answering is that nobody is signed in. */
const asksIn = (one: ToolServer): boolean => one.signIn !== undefined && one.signIn.state !== 'signedIn';

function Server({ one, mayChange, onOpen }: { one: ToolServer; mayChange: boolean; onOpen(what: 'look' | 'delete'): void }) {
  const { busy, run } = useAsyncAction();
  const how = howOf(one.definition);
  // What was never asked is looked at before it is started.
  const test = () => one.seenAt === undefined ? onOpen('look') : run(async () => {
    const now = await act('tool_server_connect', { name: one.name });
    if (now.trouble && asksIn(now)) toast({ signal: 'warn', text: t('tools.wantsSomebody', { name: one.name }) });
    else if (now.trouble) toast({ signal: 'err', text: t('tools.silent', { name: one.name }), detail: plain(now.trouble.message) });
    else if (now.state !== 'changed') toast({ signal: 'ok', text: tn('tools.answers', now.tools.length, { name: one.name }) });
    // Who is at something else meanwhile stays there.
    else if (openScope() === undefined) onOpen('look');
    else toast({ signal: 'warn', text: t('tools.notAsApproved', { name: one.name }), detail: t('tools.notAsApprovedText') });
  });
  return <>
    <div className="line" role="group" aria-label={one.name}>
      <Icon name="plug" className={one.state === 'changed' ? 'c-err' : 't2'} />
      <div className="grow col">
        <span className="row"><span className="ell">{one.name}</span>{one.seenAt ? <span className="s t3">{tn('tools.count', one.tools.length)}</span> : null}</span>
        <SafeText line className="s t3 mono" text={how} />
        {one.trouble && !asksIn(one) ? <SafeText className="s c-err" text={one.trouble.message} cut={400} /> : null}
      </div>
      {one.trouble ? <Badge signal={asksIn(one) ? 'warn' : 'err'}>{t(asksIn(one) ? 'tools.wantsSignIn' : 'tools.unreachable')}</Badge> : null}
      <Badge signal={SIGNAL[one.state]}>{t(`tools.state.${one.state}`)}</Badge>
      <Button small aria-label={t('tools.lookOf', { name: one.name })} onClick={() => onOpen('look')}>{t('tools.look')}</Button>
      {mayChange ? <>
        <Button small busy={busy} aria-label={t('tools.testOf', { name: one.name })} onClick={() => void test()}>{t('tools.test')}</Button>
        <Button small aria-label={t('tools.deleteOf', { name: one.name })} onClick={() => onOpen('delete')}>{t('tools.delete')}</Button>
      </> : null}
    </div>
    <SignInLine one={one} mayChange={mayChange} />
  </>;
}
