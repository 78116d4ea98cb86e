/** What a person approves: how a server is started or reached, every word that it says of its tools, and what changed since. */
import { act } from '../../api/queries.ts';
import { formatDateTime, formatPerson, t, type MessageKey } from '../../i18n/index.ts';
import { Badge, Button, Dialog } from '../../kit/index.ts';
import { useDoing } from '../../features/doing.ts';
import { Fault } from '../../features/fault.tsx';
import { differs } from './tool-diff.ts';
import { howOf, type ToolServer } from './tool-words.ts';
import './tools.css';

export function ReviewDialog({ server, mayChange, onClose, onEdit }: { server: ToolServer; mayChange: boolean; onClose(): void; onEdit(): void }) {
  const { busy, error, run } = useDoing({ inForm: true });
  const { name, hash, state, trouble } = server;
  const connect = () => run(() => act('tool_server_connect', { name }));
  const approve = async () => {
    if (hash && await run(() => act('tool_server_approve', { name, hash }), t('tools.approved', { name }))) onClose();
  };
  return (
    <Dialog open onClose={onClose} width={760} title={t('tools.reviewTitle', { name })} closeLabel={t('common.close')}
      footer={<>
        <Button onClick={onClose} keys="Escape">{t('common.close')}</Button>
        {mayChange ? <>
          <Button onClick={onEdit}>{t('tools.edit')}</Button>
          <Button busy={busy} variant={hash ? undefined : 'primary'} onClick={() => void connect()}>{t(hash ? 'tools.again' : 'tools.connect')}</Button>
          {hash && state !== 'approved' ? <Button variant="primary" busy={busy} onClick={() => void approve()}>{t('tools.approve')}</Button> : null}
        </> : null}
      </>}>
      <div className="tool-review">
        {error ? <Fault error={error} /> : null}
        <Standing server={server} />
        {trouble ? (
          <div className="box tool-part c-err" role="alert">
            <span>{trouble.message}</span>
            {trouble.stderr ? <><span className="cap">{t('tools.lastWords')}</span><pre className="mono s">{trouble.stderr}</pre></> : null}
          </div>
        ) : null}
        {server.changes.length ? <Changes server={server} /> : null}
        <Start server={server} />
        {hash ? <Tools server={server} /> : <p className="t2">{t('tools.notAsked')}</p>}
      </div>
    </Dialog>
  );
}

function Standing({ server }: { server: ToolServer }) {
  if (server.state === 'approved') return <p className="t2">{t('tools.reviewApproved', { who: formatPerson(server.approvedBy ?? ''), time: formatDateTime(server.approvedAt ?? '') })}</p>;
  return <p className={server.state === 'changed' ? 'c-err' : 't2'}>{t(server.state === 'changed' ? 'tools.reviewChanged' : 'tools.reviewNew')}</p>;
}

function Start({ server }: { server: ToolServer }) {
  const { definition } = server;
  const process = definition.transport === 'stdio' ? definition : null;
  return (
    <section aria-label={t(process ? 'tools.starts' : 'tools.reached')}>
      <h3 className="cap">{t(process ? 'tools.starts' : 'tools.reached')}</h3>
      <dl className="kv box tool-part">
        {process ? <>
          <dt>{t('tools.command')}</dt><dd className="mono tool-word">{process.command}</dd>
          {(process.args ?? []).map((arg, at) => <Pair key={`${String(at)}${arg}`} name={at === 0 ? t('tools.args') : ''} text={arg} />)}
          {Object.entries(process.env ?? {}).map(([variable, text]) => <Pair key={variable} name={t('tools.variable')} text={`${variable}=${text}`} />)}
          {process.cwd ? <Pair name={t('tools.folder')} text={process.cwd} /> : null}
        </> : <>
          <dt>{t('tools.url')}</dt><dd className="mono tool-word">{howOf(definition)}</dd>
          {definition.transport === 'http' && definition.credential ? <Pair name={t('tools.credential')} text={definition.credential} /> : null}
        </>}
      </dl>
    </section>
  );
}

function Pair({ name, text }: { name: string; text: string }) {
  return <><dt>{name}</dt><dd className="mono tool-word">{text}</dd></>;
}

const FIELDS: { [field: string]: MessageKey } = { command: 'tools.command', args: 'tools.args', env: 'tools.env', cwd: 'tools.cwd', url: 'tools.url', credential: 'tools.credential', inputSchema: 'tools.schema', tool: 'tools.change.tool' };

function Changes({ server }: { server: ToolServer }) {
  return (
    <section aria-label={t('tools.changes')}>
      <h3 className="cap">{t('tools.changes')}</h3>
      {server.changes.map((change) => {
        const key = FIELDS[change.field];
        return (
          <div key={`${change.tool ?? ''}.${change.field}`} className="box tool-part">
            <span><span className="mono">{change.tool ?? server.name}</span> · {key ? t(key) : change.field}</span>
            <div className="tool-diff">
              <div className="minus"><span className="cap">{t('tools.before')}</span><Words text={change.before} other={change.after} /></div>
              <div className="plus"><span className="cap">{t('tools.after')}</span><Words text={change.after} other={change.before} /></div>
            </div>
          </div>
        );
      })}
    </section>
  );
}

/** A text with what differs from the other one marked. */
function Words({ text, other }: { text: string | undefined; other: string | undefined }) {
  if (text === undefined) return <span className="t3">{t('tools.nothing')}</span>;
  const [head, middle, tail] = differs(text, other ?? '');
  return <pre className="mono s">{head}<mark>{middle}</mark>{tail}</pre>;
}

function Tools({ server }: { server: ToolServer }) {
  return (
    <section aria-label={t('tools.said')}>
      <h3 className="cap">{t('tools.said')}</h3>
      <span className="s t3">{t('tools.saidHint')} {server.server ? t('tools.says', { server: server.server }) : ''}</span>
      {server.tools.length === 0 ? <p className="t2">{t('tools.noTools')}</p> : null}
      <ul className="box">
        {server.tools.map((tool) => (
          <li key={tool.name} className="tool-part">
            <span className="row wrap"><span className="mono">{tool.name}</span>{tool.title ? <span className="t2">{tool.title}</span> : null}
              {tool.readOnly ? <Badge>{t('tools.readOnly')}</Badge> : null}
              {!tool.readOnly && tool.destructive ? <Badge>{t('tools.destructive')}</Badge> : null}
            </span>
            {tool.description ? <span className="s t2 tool-word">{tool.description}</span> : null}
            <details><summary className="s t3">{t('tools.schema')}</summary><pre className="mono s">{JSON.stringify(tool.inputSchema, null, 2)}</pre></details>
          </li>
        ))}
      </ul>
    </section>
  );
}
