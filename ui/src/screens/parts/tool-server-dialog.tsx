/** Adds a tool server or changes how it is started or reached, and takes the servers of a pasted mcp.json. */
import { useState } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, Dialog, Field, Segmented, Select, TextArea, TextInput, toast } from '../../kit/index.ts';
import { useDoing } from '../../features/doing.ts';
import { Fault } from '../../features/fault.tsx';
import { linesOf, variableLines, variablesOf, type Definition, type ToolServer } from './tool-words.ts';

const PASSED = 'PATH, HOME, USER, LANG, LC_ALL, TMPDIR';

export function ServerDialog({ old, onClose, onKept }: { old?: ToolServer; onClose(): void; onKept(name: string): void }) {
  const process = old?.definition.transport === 'stdio' ? old.definition : undefined;
  const address = old?.definition.transport === 'http' ? old.definition : undefined;
  const [name, setName] = useState(old?.name ?? '');
  const [kind, setKind] = useState<Definition['transport']>(old?.definition.transport ?? 'stdio');
  const [command, setCommand] = useState(process?.command ?? '');
  const [args, setArgs] = useState((process?.args ?? []).join('\n'));
  const [env, setEnv] = useState(variableLines(process?.env));
  const [cwd, setCwd] = useState(process?.cwd ?? '');
  const [url, setUrl] = useState(address?.url ?? '');
  const [credential, setCredential] = useState(address?.credential ?? '');
  const secrets = useCommand('secret_list', {}, { enabled: kind === 'http' });
  const { busy, error, run } = useDoing({ inForm: true });
  const variables = variablesOf(env);
  const complete = name.trim() !== '' && (kind === 'http' ? url.trim() !== '' : command.trim() !== '' && variables !== null);
  async function keep() {
    if (!complete || !variables) return;
    const definition: Definition = kind === 'http'
      ? { transport: 'http', url: url.trim(), ...(credential ? { credential } : {}) }
      : { transport: 'stdio', command: command.trim(), args: linesOf(args), env: variables, ...(cwd.trim() ? { cwd: cwd.trim() } : {}) };
    const done = await run(async () => {
      const kept = await act('tool_server_set', { name: name.trim(), definition });
      // What is wrong with it stands in what it then shows.
      await act('tool_server_connect', { name: kept.name });
    });
    if (done) onKept(name.trim());
  }
  return (
    <Dialog open onClose={onClose} width={560} title={old ? t('tools.editTitle', { name: old.name }) : t('tools.addTitle')} closeLabel={t('common.cancel')}
      footer={<>
        <Button onClick={onClose} keys="Escape">{t('common.cancel')}</Button>
        <Button variant="primary" busy={busy} disabled={!complete} type="submit" form="tool-form">{t('tools.save')}</Button>
      </>}>
      <form id="tool-form" className="sec-form" onSubmit={(event) => { event.preventDefault(); void keep(); }}>
        {error ? <Fault error={error} /> : null}
        {old ? null : (
          <Field label={t('tools.name')} required hint={t('tools.nameHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={name} placeholder="files" maxLength={64} onChange={setName} />}
          </Field>
        )}
        <Field label={t('tools.kind')}>
          {() => <Segmented label={t('tools.kind')} value={kind} onChange={setKind} options={(['stdio', 'http'] as const).map((value) => ({ value, label: t(`tools.kind.${value}`) }))} />}
        </Field>
        {kind === 'stdio' ? <>
          <Field label={t('tools.command')} required hint={t('tools.commandHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={command} placeholder="npx" onChange={setCommand} />}
          </Field>
          <Field label={t('tools.args')} hint={t('tools.argsHint')}>
            {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={3} value={args} placeholder={'-y\n@modelcontextprotocol/server-filesystem\n/srv/data'} onChange={setArgs} />}
          </Field>
          <Field label={t('tools.env')} hint={t('tools.envHint', { passed: old?.passedOn.join(', ') || PASSED })}>
            {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={2} invalid={variables === null} value={env} placeholder="API_TOKEN=secret://erp" onChange={setEnv} />}
          </Field>
          <Field label={t('tools.cwd')} hint={t('tools.cwdHint')}>
            {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={cwd} onChange={setCwd} />}
          </Field>
        </> : <>
          <Field label={t('tools.url')} required>
            {({ id }) => <TextInput id={id} mono type="url" value={url} placeholder="http://127.0.0.1:3000/mcp" onChange={setUrl} />}
          </Field>
          <Field label={t('tools.credential')}>
            {({ id }) => <Select id={id} label={t('tools.credential')} value={credential} onChange={setCredential} options={[{ value: '', label: t('tools.noCredential') }, ...(secrets.data ?? []).map((one) => ({ value: `secret://${one.name}`, label: one.name }))]} />}
          </Field>
        </>}
      </form>
    </Dialog>
  );
}

export function PasteDialog({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [notes, setNotes] = useState<readonly string[]>([]);
  const { busy, error, run } = useDoing({ inForm: true });
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
    <Dialog open onClose={onClose} width={560} title={t('tools.pasteTitle')} closeLabel={t('common.close')}
      footer={<>
        <Button onClick={onClose} keys="Escape">{t('common.close')}</Button>
        <Button variant="primary" busy={busy} disabled={text.trim() === ''} type="submit" form="paste-form">{t('tools.import')}</Button>
      </>}>
      <form id="paste-form" className="sec-form" onSubmit={(event) => { event.preventDefault(); void take(); }}>
        {error ? <Fault error={error} /> : null}
        <Field label={t('tools.pasteText')} required hint={t('tools.pasteHint')}>
          {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={10} value={text} placeholder={'{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "…"] } } }'} onChange={setText} />}
        </Field>
        {notes.length ? <ul className="col" role="status">{notes.map((note) => <li key={note} className="s t2">{note}</li>)}</ul> : null}
      </form>
    </Dialog>
  );
}
