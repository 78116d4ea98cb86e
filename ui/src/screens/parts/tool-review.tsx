/** What a person approves: how a server is started or reached, every word that it says of its tools, and what changed since. What a server
 * says is shown as it is: nothing cut, and letters that are not seen are marked. */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { act } from '../../api/queries.ts';
import { formatDateTime, formatPerson, t, tn, type MessageKey } from '../../i18n/index.ts';
import { Badge, Banner, Button, Dialog, Icon } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { hiddenIn, plainValue } from '../../shared/evidence/controls.ts';
import { Pieces } from '../../code/pieces.tsx';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { Fault } from '../../shared/form-error.tsx';
import { differs } from './tool-diff.ts';
import { ToolWordBox, ToolWordLegend } from './tool-word.tsx';
import { howOf, sameWords, type ToolServer } from './tool-words.ts';
import './tools.css';

/** `ask`: it was registered just now, and is asked what it says at once. */
export function ReviewDialog({ server, ask = false, mayChange, onClose, onEdit }: { server: ToolServer; ask?: boolean | undefined; mayChange: boolean; onClose(): void; onEdit(): void }) {
  const { busy, error, run } = useAsyncAction({ inForm: true });
  // An approval is of what was read here, not of what arrived meanwhile.
  const [read, setRead] = useState(server);
  const moved = !busy && !sameWords(server, read);
  const shown = moved || busy ? read : server;
  const { name, hash, state, trouble } = shown;
  // Who connects has seen how it is started or reached: it stands in this dialog.
  const connect = () => run(async () => { setRead(await act('tool_server_connect', { name, start: shown.definition })); });
  useEffect(() => { if (ask) void connect(); }, []); // eslint-disable-line react/exhaustive-deps
  const approve = async () => {
    if (hash && await run(() => act('tool_server_approve', { name, hash }), t('tools.approved', { name }))) onClose();
  };
  // Many tools with their schemas are looked through once, not at each drawing.
  const hidden = useMemo(() => hiddenIn({ definition: shown.definition, tools: shown.tools, server: shown.server }).length, [shown]);
  return (
    <Dialog open onClose={onClose} width={760} title={t('tools.reviewTitle', { name })} closeLabel={t('common.close')}
      footer={<>
        {hidden ? <span className="s c-wait row gap1 grow"><Icon name="warn" size={12} />{tn('tools.hidden', hidden)}</span> : null}
        <Button onClick={onClose} keys="Escape">{t('common.close')}</Button>
        {mayChange ? <>
          <Button onClick={onEdit}>{t('tools.edit')}</Button>
          <Button busy={busy} variant={hash ? undefined : 'primary'} onClick={() => void connect()}>{t(hash ? 'tools.again' : 'tools.connect')}</Button>
          {hash && state !== 'approved' && !moved ? <Button variant="primary" busy={busy} onClick={() => void approve()}>{t('tools.approve')}</Button> : null}
        </> : null}
      </>}>
      <div className="tool-review">
        {error ? <Fault error={error} /> : null}
        {moved ? <Banner signal="warn" title={t('tools.moved')} actions={<Button small onClick={() => setRead(server)}>{t('tools.showNow')}</Button>}><span className="s t2">{t('tools.movedText')}</span></Banner> : null}
        <Standing server={shown} />
        {trouble ? (
          <div className="box tool-part c-err" role="alert">
            <SafeText text={trouble.message} />
            {trouble.stderr ? <><span className="cap">{t('tools.lastWords')}</span><pre className="mono s"><Pieces text={trouble.stderr} /></pre></> : null}
          </div>
        ) : null}
        {shown.changes.length ? <Changes server={shown} /> : null}
        <Start server={shown} />
        {hash ? <Tools server={shown} mayChange={mayChange && !moved} /> : <p className="t2" role="status">{t(busy ? 'tools.asking' : 'tools.notAsked')}</p>}
      </div>
    </Dialog>
  );
}

function Standing({ server }: { server: ToolServer }) {
  if (server.state === 'approved') return <p className="t2">{t('tools.reviewApproved', { who: formatPerson(server.approvedBy ?? ''), time: formatDateTime(server.approvedAt ?? '') })}</p>;
  if (server.state === 'new') return <p className="t2">{t('tools.reviewNew')}</p>;
  return <p className="c-err">{t(server.changes.length ? 'tools.reviewChanged' : 'tools.reviewBack')}</p>;
}

function Start({ server }: { server: ToolServer }) {
  const { definition } = server;
  const process = definition.transport === 'stdio' ? definition : null;
  return (
    <section aria-label={t(process ? 'tools.starts' : 'tools.reached')}>
      <h3 className="cap">{t(process ? 'tools.starts' : 'tools.reached')}</h3>
      <dl className="kv box tool-part">
        {process ? <>
          <Pair name={t('tools.command')} texts={[process.command]} />
          <Pair name={t('tools.args')} texts={process.args ?? []} />
          <Pair name={t('tools.env')} texts={Object.entries(process.env ?? {}).map(([variable, text]) => `${variable}=${text}`)} />
          <Pair name={t('tools.folder')} texts={process.cwd ? [process.cwd] : []} />
        </> : <>
          <Pair name={t('tools.url')} texts={[howOf(definition)]} />
          <Pair name={t('tools.credential')} texts={definition.transport === 'http' && definition.credential ? [definition.credential] : []} />
        </>}
      </dl>
    </section>
  );
}

/** One thing and each of its texts, whole. */
function Pair({ name, texts }: { name: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return <><dt>{name}</dt>{texts.map((text, at) => <dd key={`${String(at)}${text}`} className="mono">{text === '' ? <span className="t3">{t('tools.emptyText')}</span> : <SafeText text={text} cut={Infinity} />}</dd>)}</>;
}

const FIELDS: { [field: string]: MessageKey } = {
  transport: 'tools.kind', command: 'tools.command', args: 'tools.args', env: 'tools.env', cwd: 'tools.cwd', url: 'tools.url', credential: 'tools.credential', tool: 'tools.change.tool',
  title: 'tools.change.title', description: 'tools.change.description', inputSchema: 'tools.schema', outputSchema: 'tools.answer', annotations: 'tools.change.annotations', leftOut: 'tools.change.leftOut',
};

function Changes({ server }: { server: ToolServer }) {
  return (
    <section aria-label={t('tools.changes')}>
      <h3 className="cap">{t('tools.changes')}</h3>
      {server.changes.map((change) => {
        const key = FIELDS[change.field];
        return (
          <div key={`${change.tool ?? ''}.${change.field}`} className="box tool-part">
            <span><SafeText className="mono" text={change.tool ?? server.name} cut={Infinity} /> · {key ? t(key) : <SafeText text={change.field} cut={Infinity} />}</span>
            {change.before === change.after ? <span className="s c-wait">{t('tools.changeBehind')}</span> : null}
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

/** As much of what stays is seen above a change. */
const ABOVE_PX = 40;

/** A text with what differs from the other one marked, and seen: its box is scrolled to it, the page is not. */
function Words({ text, other }: { text: string | undefined; other: string | undefined }) {
  const box = useRef<HTMLPreElement>(null);
  const mark = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!box.current || !mark.current) return;
    const below = mark.current.getBoundingClientRect().top - box.current.getBoundingClientRect().top;
    if (below > box.current.clientHeight - ABOVE_PX) box.current.scrollTop = below - ABOVE_PX;
  }, [text, other]);
  if (text === undefined) return <span className="t3">{t('tools.nothing')}</span>;
  const [head, middle, tail] = differs(text, other ?? '');
  return <pre ref={box} className="mono s"><Pieces text={head} /><mark ref={mark}><Pieces text={middle} /></mark><Pieces text={tail} /></pre>;
}

function Tools({ server, mayChange }: { server: ToolServer; mayChange: boolean }) {
  // Of what is approved only: else there is nothing that models may use.
  const approved = server.state === 'approved' ? server.hash : undefined;
  const legend = useId();
  return (
    <section aria-label={t('tools.said')}>
      <h3 className="cap">{t('tools.said')}</h3>
      <span className="s t3">{t('tools.saidHint')}</span>
      {approved && server.tools.length ? <><span className="s t3">{t('tools.word.hint')}</span><ToolWordLegend id={legend} /></> : null}
      {server.server ? <span className="s t3">{t('tools.says')} <SafeText text={server.server} cut={Infinity} /></span> : null}
      {server.tools.length === 0 ? <p className="t2">{t('tools.noTools')}</p> : null}
      <ul className="box">
        {server.tools.map((tool) => (
          <li key={tool.name} className="tool-part">
            <span className="row wrap"><SafeText className="mono" text={tool.name} cut={Infinity} />{tool.title ? <SafeText className="t2" text={tool.title} cut={Infinity} /> : null}
              {tool.readOnly ? <Badge>{t('tools.readOnly')}</Badge> : null}
              {!tool.readOnly && tool.destructive ? <Badge>{t('tools.destructive')}</Badge> : null}
              {tool.bearsSecrets && !approved ? <Badge>{t('tools.bearsSecrets')}</Badge> : null}
              {tool.isEgress && !approved ? <Badge>{t('tools.isEgress')}</Badge> : null}
              {!tool.readOnly && tool.idempotent ? <Badge>{t('tools.idempotent')}</Badge> : null}
            </span>
            {tool.description ? <SafeText className="s t2" text={tool.description} cut={Infinity} /> : null}
            {tool.unusable === undefined ? null : <span className="s c-wait row gap1"><Icon name="warn" size={12} /><SafeText text={t('tools.unusable', { why: tool.unusable })} cut={Infinity} /></span>}
            {approved && tool.unusable === undefined ? <ToolWordBox tool={tool} hash={approved} mayChange={mayChange} legend={legend} /> : null}
            {tool.unusable === undefined ? <Shape title={t('tools.schema')} schema={tool.inputSchema} /> : null}
            {tool.outputSchema === undefined ? null : <Shape title={t('tools.answer')} schema={tool.outputSchema} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shape({ title, schema }: { title: string; schema: unknown }) {
  return <details><summary className="s t3">{title}</summary><pre className="mono s">{JSON.stringify(plainValue(schema), null, 2)}</pre></details>;
}
