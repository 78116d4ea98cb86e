/** Settings, Models: who answers steps that ask a language model. Servers of this machine are looked for by themselves; a provider is asked when a person presses a button. */
import '../../shared/keys.css';
import { useEffect, useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { ModelFound, ModelProvider, Models, ModelTested } from '../../api/types.ts';
import { formatDuration, t, tn } from '../../i18n/index.ts';
import { Badge, Button, Icon } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { ConfirmRemove } from '../../shared/form-dialog.tsx';
import { NoLine, NotRead, Section } from '../../shared/settings-section.tsx';
import { DefaultDialog } from './default-dialog.tsx';
import { UsageBox } from './usage.tsx';
import { ProviderDialog, type KeyPlace } from './provider-dialog.tsx';
import { freeName } from './words.ts';

type Open = { what: 'set'; old?: ModelProvider } | { what: 'delete'; name: string } | { what: 'default' };
type Tests = { readonly [name: string]: ModelTested | 'busy' | undefined };

export function ModelsSection({ keyPlace }: { keyPlace: KeyPlace }) {
  const list = useCommand('model_list', {});
  const mayChange = usePermission()('model_set');
  const [open, setOpen] = useState<Open | null>(null);
  const [tests, setTests] = useState<Tests>({});
  const { run } = useAsyncAction();
  const close = () => setOpen(null);
  const told = (name: string, tested: ModelTested | 'busy' | undefined) => setTests((all) => ({ ...all, [name]: tested }));
  function test(name: string) {
    told(name, 'busy');
    void run(async () => { told(name, await act('model_test', { name })); }).then((done) => { if (!done) told(name, undefined); });
  }
  const data = list.data;
  return (
    <Section id="models" title={t('models.title')} hint={t('models.hint')}>
      {list.error?.code === 'FORBIDDEN' ? <p className="t2">{t('models.notAllowed')}</p> : data ? null : <NotRead error={list.error} retry={list.refetch} />}
      {data ? (
        <div className="box">
          {data.providers.length === 0 ? <NoLine icon="spark" title={t('models.none')} text={t('models.noneText')} /> : null}
          {data.providers.map((one) => <Line key={one.name} one={one} usual={data.default} tested={tests[one.name]} mayChange={mayChange} onTest={() => test(one.name)} onOpen={setOpen} />)}
          {data.providers.length > 0 ? <Default models={data} mayChange={mayChange} onOpen={() => setOpen({ what: 'default' })} /> : null}
        </div>
      ) : null}
      {data && mayChange ? <Found known={data.providers} onAdd={() => setOpen({ what: 'set' })} onUsed={test} /> : null}
      {data ? <UsageBox models={data} mayChange={mayChange} /> : null}
      {open?.what === 'set' && data ? <ProviderDialog old={open.old} taken={data.providers.map((one) => one.name)} keyPlace={keyPlace} onClose={close} onSaved={test} /> : null}
      {open?.what === 'delete' ? (
        <ConfirmRemove section="models" title={t('models.deleteTitle', { name: open.name })} text={t(data?.providers.find((one) => one.name === open.name)?.credential ? 'models.deleteTextKey' : 'models.deleteText')} confirm={t('models.delete')} done={t('models.deleted', { name: open.name })}
          remove={() => act('model_delete', { name: open.name })} onClose={close} />
      ) : null}
      {open?.what === 'default' && data ? <DefaultDialog models={data} onClose={close} /> : null}
    </Section>
  );
}

function Line({ one, usual, tested, mayChange, onTest, onOpen }: {
  one: ModelProvider; usual: Models['default']; tested: Tests[string]; mayChange: boolean; onTest(): void; onOpen(open: Open): void;
}) {
  const busy = tested === 'busy';
  const answer = busy ? undefined : tested;
  const facts = [t(`models.kind.${one.kind}`), one.baseUrl, t(one.credential ? 'models.withKey' : 'models.noKey')].join(' · ');
  return (
    <div className="line" data-provider={one.name}>
      <Icon name="spark" className={answer ? (answer.ok ? 'c-ok' : 'c-err') : 't2'} />
      <div className="grow col">
        <span className="row gap1"><span className="mono ell">{one.name}</span>{usual?.provider === one.name ? <Badge>{t('models.usual', { model: usual.model })}</Badge> : null}</span>
        <span className="s t3 ell" title={facts}>{facts}</span>
        {one.trouble ? <span className="s c-wait">{one.trouble}</span> : null}
        <span role="status" className="col">
          {answer ? <span className={`s ${answer.ok ? 'c-ok' : 'c-err'}`}>{t('models.took', { text: answer.message, time: formatDuration(answer.tookMs) })}</span> : null}
          {answer?.hint ? <span className="s t2">{answer.hint}</span> : null}
        </span>
      </div>
      {mayChange ? (
        <>
          <Button small busy={busy} aria-label={t('models.testOf', { name: one.name })} onClick={onTest}>{t('models.test')}</Button>
          <Button small aria-label={t('models.editOf', { name: one.name })} onClick={() => onOpen({ what: 'set', old: one })}>{t('models.edit')}</Button>
          <Button small variant="ghost" aria-label={t('models.deleteOf', { name: one.name })} onClick={() => onOpen({ what: 'delete', name: one.name })}>{t('models.delete')}</Button>
        </>
      ) : null}
    </div>
  );
}

function Default({ models, mayChange, onOpen }: { models: Models; mayChange: boolean; onOpen(): void }) {
  const text = models.default ? t('models.defaultOf', { ...models.default }) : t('models.defaultNone');
  return (
    <div className="line">
      <Icon name="flag" className="t2" />
      <div className="grow col"><span>{t('models.default')}</span><span className={`s ${models.default ? 't3' : 'c-wait'}`}>{text}</span></div>
      {mayChange ? <Button small onClick={onOpen}>{t('models.choose')}</Button> : null}
    </div>
  );
}

/** Servers of this machine: those that answer on their usual ports are found by themselves when the part is opened, and again when a person
 * wants it. Nobody else is asked. */
function Found({ known, onAdd, onUsed }: { known: readonly ModelProvider[]; onAdd(): void; onUsed(name: string): void }) {
  const [found, setFound] = useState<ModelFound[] | null>(null);
  const { busy, run } = useAsyncAction();
  const using = useAsyncAction();
  useEffect(() => {
    let gone = false;
    // Who opened the settings did not ask for it: that nothing answers, or that they are at another machine, is not worth a word.
    void act('model_discover', {}).then((all) => { if (!gone && all.length > 0) setFound((before) => before ?? all); }, () => undefined);
    return () => { gone = true; };
  }, []);
  const [pressed, setPressed] = useState(false);
  const look = () => run(async () => { setFound(await act('model_discover', {})); setPressed(true); });
  const fresh = found?.filter((one) => !known.some((other) => other.baseUrl === one.baseUrl));
  async function use(one: ModelFound) {
    const name = freeName(one.name, known.map((other) => other.name));
    if (await using.run(() => act('model_set', { name, kind: one.kind, baseUrl: one.baseUrl, models: [] }), t('models.saved', { name }))) onUsed(name);
  }
  return (
    <>
      <div className="row wrap">
        <Button icon="plus" onClick={onAdd}>{t('models.add')}</Button>
        <Button icon="search" busy={busy} onClick={() => void look()}>{t('models.look')}</Button>
      </div>
      {found && fresh && (pressed || fresh.length > 0) ? (
        <div role="group" aria-labelledby="models-found">
          <h3 id="models-found" className="cap">{t('models.found')}</h3>
          <div className="box">
            {found.length === 0 ? <NoLine icon="search" title={t('models.foundNone')} text={t('models.foundNoneText')} /> : null}
            {found.length > 0 && fresh.length === 0 ? <NoLine icon="check" title={t('models.foundKnown')} text={found.map((one) => one.title).join(', ')} /> : null}
            {fresh.map((one) => (
              <div key={one.baseUrl} className="line">
                <Icon name="signal" className="c-ok" />
                <div className="grow col"><span>{one.title}</span><span className="s t3 mono ell">{one.baseUrl}</span></div>
                <Badge>{tn('models.count', one.models.length)}</Badge>
                <Button small busy={using.busy} aria-label={t('models.useOf', { title: one.title })} onClick={() => void use(one)}>{t('models.use')}</Button>
              </div>
            ))}
          </div>
        </div>
      ) : null}
    </>
  );
}
