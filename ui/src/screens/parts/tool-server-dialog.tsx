/** Adds a tool server or changes how it is started or reached, and takes the servers of a pasted mcp.json. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import { t, tn } from '../../i18n/index.ts';
import { Field, Segmented, Select, TextArea, TextInput, toast } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { argumentLines, argumentsOf, variableLines, variablesOf, type Definition, type ToolServer, type Wrong } from './tool-words.ts';

const wrongText = (read: object | Wrong): { error?: string } => ('wrong' in read ? { error: t(`tools.wrong.${read.why}`, { line: read.wrong }) } : {});

type As = NonNullable<Extract<Definition, { transport: 'http' }>['signIn']>;

/** What was filled in of it; nothing when nothing was. */
function signInOf(as: As): { signIn?: As } {
  const filled = Object.entries(as).map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value] as const).filter(([, value]) => value !== '' && value !== false);
  return filled.length ? { signIn: Object.fromEntries(filled) as As } : {};
}

/** `all`: the servers that there are; a new one takes no name of theirs. */
export function ServerDialog({ old, all, onClose, onKept }: { old?: ToolServer; all: readonly ToolServer[]; onClose(): void; onKept(name: string): void }) {
  const process = old?.definition.transport === 'stdio' ? old.definition : undefined;
  const address = old?.definition.transport === 'http' ? old.definition : undefined;
  const [name, setName] = useState(old?.name ?? '');
  const [kind, setKind] = useState<Definition['transport']>(old?.definition.transport ?? 'stdio');
  const [command, setCommand] = useState(process?.command ?? '');
  const [args, setArgs] = useState(argumentLines(process?.args));
  const [env, setEnv] = useState(variableLines(process?.env));
  const [cwd, setCwd] = useState(process?.cwd ?? '');
  const [url, setUrl] = useState(address?.url ?? '');
  const [credential, setCredential] = useState(address?.credential ?? '');
  const [as, setAs] = useState<As>(address?.signIn ?? {});
  const whom = (key: keyof As) => (text: string) => setAs((before) => ({ ...before, [key]: text }));
  const secrets = useCommand('secret_list', {}, { enabled: kind === 'http' });
  const named = (secrets.data ?? []).map((one) => ({ value: `secret://${one.name}`, label: one.name }));
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const taken = !old && all.some((one) => one.name === name.trim());
  const list = argumentsOf(args);
  const variables = variablesOf(env);
  const complete = name.trim() !== '' && !taken && (kind === 'http' ? url.trim() !== '' : command.trim() !== '' && !('wrong' in list) && !('wrong' in variables));
  // Every process gets the same; a server that is reached by its address has none.
  const passed = [...(old ? [old] : []), ...all].find((one) => one.passedOn.length > 0)?.passedOn.join(', ');
  async function keep() {
    if ('wrong' in list || 'wrong' in variables) return;
    const definition: Definition = kind === 'http'
      ? { transport: 'http', url: url.trim(), ...(credential ? { credential } : signInOf(as)) }
      : { transport: 'stdio', command: command.trim(), args: list.args, env: variables.env, ...(cwd.trim() ? { cwd: cwd.trim() } : {}) };
    if (await run(() => act('tool_server_set', { name: name.trim(), definition }))) onKept(name.trim());
  }
  return (
    <FormDialog title={old ? t('tools.editTitle', { name: old.name }) : t('tools.addTitle')} submit={t('tools.save')} width={560} busy={busy} error={error} complete={complete} onSubmit={() => void keep()} onClose={onClose}>
        {old ? null : (
          <Field label={t('tools.name')} required {...(taken ? { error: t('tools.nameTaken') } : { hint: t('tools.nameHint') })}>
            {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono value={name} placeholder="files" maxLength={64} onChange={setName} />}
          </Field>
        )}
        <Field label={t('tools.kind')} group>
          {() => <Segmented label={t('tools.kind')} value={kind} onChange={setKind} options={(['stdio', 'http'] as const).map((value) => ({ value, label: t(`tools.kind.${value}`) }))} />}
        </Field>
        {kind === 'stdio' ? <>
          <Field label={t('tools.command')} required hint={t('tools.commandHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={command} placeholder="npx" onChange={setCommand} />}
          </Field>
          <Field label={t('tools.args')} hint={t('tools.argsHint')} {...wrongText(list)}>
            {({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} mono rows={3} value={args} placeholder={'-y\n@modelcontextprotocol/server-filesystem\n/srv/data'} onChange={setArgs} />}
          </Field>
          <Field label={t('tools.env')} hint={`${t('tools.envHint')} ${passed ? t('tools.envPassed', { passed }) : t('tools.envPassedFew')}`} {...wrongText(variables)}>
            {({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} mono rows={2} invalid={invalid} value={env} placeholder="API_TOKEN=secret://erp" onChange={setEnv} />}
          </Field>
          <Field label={t('tools.cwd')} hint={t('tools.cwdHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={cwd} onChange={setCwd} />}
          </Field>
        </> : <>
          <Field label={t('tools.url')} required>
            {({ id }) => <TextInput id={id} mono type="url" value={url} placeholder="http://127.0.0.1:3000/mcp" onChange={setUrl} />}
          </Field>
          <Field label={t('tools.credential')}>
            {({ id }) => <Select id={id} label={t('tools.credential')} value={credential} onChange={setCredential} options={[{ value: '', label: t('tools.noCredential') }, ...named]} />}
          </Field>
          {credential ? null : <details open={address?.signIn !== undefined}>
            <summary className="s">{t('tools.asWhom')}</summary>
            <div className="sec-form">
              <p className="s t2">{t('tools.asWhomHint')}</p>
              <Field label={t('tools.clientId')}>
                {({ id }) => <TextInput id={id} mono value={as.clientId ?? ''} onChange={whom('clientId')} />}
              </Field>
              <Field label={t('tools.clientSecret')}>
                {({ id }) => <Select id={id} label={t('tools.clientSecret')} value={as.clientSecret ?? ''} onChange={whom('clientSecret')} options={[{ value: '', label: t('tools.noCredential') }, ...named]} />}
              </Field>
              <Field label={t('tools.issuer')} hint={t('tools.issuerHint')}>
                {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono type="url" value={as.issuer ?? ''} onChange={whom('issuer')} />}
              </Field>
              <Field label={t('tools.clientMetadata')} hint={t('tools.clientMetadataHint')}>
                {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono type="url" value={as.clientMetadata ?? ''} onChange={whom('clientMetadata')} />}
              </Field>
            </div>
          </details>}
        </>}
    </FormDialog>
  );
}

export function PasteDialog({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [notes, setNotes] = useState<readonly string[]>([]);
  const { busy, error, run } = useAsyncAction({ inForm: true });
  async function take() {
    await run(async () => {
      const done = await act('tool_server_import', { text });
      if (done.added.length) toast({ signal: 'ok', text: tn('tools.imported', done.added.length) });
      else toast({ signal: 'warn', text: t('tools.importNone') });
      setNotes(done.notes);
      if (done.notes.length === 0) onClose();
    });
  }
  return (
    <FormDialog title={t('tools.pasteTitle')} submit={t('tools.import')} close={t('common.close')} width={560} busy={busy} error={error} complete={text.trim() !== ''} onSubmit={() => void take()} onClose={onClose}>
        <Field label={t('tools.pasteText')} required hint={t('tools.pasteHint')}>
          {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={10} value={text} placeholder={'{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "…"] } } }'} onChange={setText} />}
        </Field>
        <div role="status">{notes.length ? <ul className="col">{notes.map((note) => <li key={note} className="s t2">{note}</li>)}</ul> : null}</div>
    </FormDialog>
  );
}
