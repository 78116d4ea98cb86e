/** Whether and where spans of runs are sent: the part of the settings. */
import { useState } from 'react';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { Commands } from '../../api/types.ts';
import { useCopy } from '../../code/use-copy.ts';
import { t, tn } from '../../i18n/index.ts';
import { Banner, Button, IconButton, Segmented, Select, Switch, TextInput } from '../../kit/index.ts';
import { NotRead, Section } from '../../shared/settings-section.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';

type Telemetry = Commands['telemetry_get']['response'];
type Tried = Commands['telemetry_test']['response'];

export function TelemetrySection() {
  const now = useCommand('telemetry_get', {}, { refetchInterval: 5_000 });
  const may = usePermission();
  if (!now.data && (!may('telemetry_get') || now.error?.code === 'FORBIDDEN')) return null;
  return (
    <Section id="telemetry" title={t('telemetry.title')} hint={t('telemetry.hint')}>
      {now.data ? <Settings now={now.data} mayChange={may('telemetry_set')} /> : <NotRead error={now.error} retry={now.refetch} />}
    </Section>
  );
}

function Settings({ now, mayChange }: { now: Telemetry; mayChange: boolean }) {
  const byVariables = now.variables.length > 0;
  const [endpoint, setEndpoint] = useState(now.endpoint ?? '');
  const [protocol, setProtocol] = useState(now.protocol);
  const [credential, setCredential] = useState(now.credential ?? '');
  const [link, setLink] = useState(now.link ?? '');
  const [tried, setTried] = useState<Tried | null>(null);
  const secrets = useCommand('secret_list', {});
  const save = useAsyncAction();
  const test = useAsyncAction();
  const changed = endpoint.trim() !== (now.endpoint ?? '') || protocol !== now.protocol || credential !== (now.credential ?? '') || link.trim() !== (now.link ?? '');
  const put = (on: boolean) => save.run(async () => {
    await act('telemetry_set', { on, endpoint: endpoint.trim(), protocol, ...(credential === '' ? {} : { credential }), link: link.trim() });
    setTried(null);
  }, t('telemetry.saved'));
  const tryIt = () => test.run(async () => { setTried(await act('telemetry_test', {})); });
  const fixed = byVariables || !mayChange;
  return (
    <>
      {byVariables ? <Banner signal="info" title={t('telemetry.byVariables', { names: now.variables.join(', ') })}><p className="s t2">{t('telemetry.byVariablesText')}</p></Banner> : null}
      <form className="box" onSubmit={(event) => { event.preventDefault(); if (changed && !fixed) void put(now.on); }}>
        <div className="line">
          <div className="grow col"><span>{t('telemetry.on')}</span><span className="s t3">{t('telemetry.onHint')}</span></div>
          <Switch checked={now.on} label={t('telemetry.on')} disabled={fixed || save.busy || (!now.on && endpoint.trim() === '')} onChange={(on) => void put(on)} />
        </div>
        <div className="line">
          <div className="grow col"><span>{t('telemetry.endpoint')}</span><span className="s t3">{t('telemetry.endpointHint')}</span></div>
          <div className="set-address"><TextInput type="url" value={endpoint} onChange={setEndpoint} readOnly={fixed} placeholder={protocol === 'grpc' ? 'http://localhost:4317' : 'http://localhost:4318'} aria-label={t('telemetry.endpoint')} maxLength={2000} /></div>
        </div>
        <div className="line">
          <div className="grow col"><span>{t('telemetry.protocol')}</span><span className="s t3">{t('telemetry.protocolHint')}</span></div>
          {fixed ? <span>{t(`telemetry.protocol.${now.protocol}`)}</span> : <Segmented label={t('telemetry.protocol')} value={protocol} onChange={setProtocol} options={(['http', 'grpc'] as const).map((value) => ({ value, label: t(`telemetry.protocol.${value}`) }))} />}
        </div>
        {byVariables ? null : (
          <div className="line">
            <div className="grow col"><span>{t('telemetry.credential')}</span><span className="s t3">{t('telemetry.credentialHint')}</span></div>
            <div className="set-choice"><Select label={t('telemetry.credential')} value={credential} onChange={setCredential} disabled={!mayChange}
              options={[{ value: '', label: t('telemetry.noCredential') }, ...[...new Set([...(secrets.data ?? []).map(({ name }) => `secret://${name}`), ...(credential === '' ? [] : [credential])])].map((value) => ({ value, label: value.replace('secret://', '') }))]} /></div>
          </div>
        )}
        <div className="line">
          <div className="grow col"><span>{t('telemetry.link')}</span><span className="s t3">{t('telemetry.linkHint')}</span></div>
          <div className="set-address"><TextInput value={link} onChange={setLink} readOnly={!mayChange} placeholder="https://traces.example/trace/{traceId}" aria-label={t('telemetry.link')} maxLength={2000} /></div>
        </div>
        {mayChange ? (
          <div className="line">
            <span className="grow s t3">{changed ? t('telemetry.unsaved') : ''}</span>
            <Button icon="send" type="button" busy={test.busy} disabled={changed || (now.endpoint ?? '') === ''} onClick={() => void tryIt()}>{t('telemetry.test')}</Button>
            <Button variant={changed ? 'primary' : 'default'} type="button" busy={save.busy} disabled={!changed} onClick={() => void put(now.on)}>{t('telemetry.save')}</Button>
          </div>
        ) : null}
      </form>
      {tried ? <Outcome tried={tried} /> : null}
      {now.error ? <Banner signal="warn" title={t('telemetry.failed')}><p className="s t2">{now.error}</p></Banner> : null}
      {now.sending || now.sent + now.dropped > 0 ? (
        <p className="s t2" role="status">{tn('telemetry.sent', now.sent)} <span className={now.dropped > 0 ? 'c-wait' : undefined}>{tn('telemetry.dropped', now.dropped)}</span></p>
      ) : null}
    </>
  );
}

function Outcome({ tried }: { tried: Tried }) {
  const { copied, copy } = useCopy();
  if (!tried.ok) return <Banner signal="err" title={t('telemetry.testFailed')}><p className="s t2">{tried.error}</p></Banner>;
  return (
    <Banner signal="ok" title={t('telemetry.testDone', { endpoint: tried.endpoint })}>
      <p className="s t2 row gap1">{t('telemetry.testTrace')} <code>{tried.traceId}</code><IconButton small icon={copied ? 'check' : 'copy'} label={t(copied ? 'value.copied' : 'telemetry.copyTrace')} onClick={() => copy(tried.traceId)} /></p>
    </Banner>
  );
}
