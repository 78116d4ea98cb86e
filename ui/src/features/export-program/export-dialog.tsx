/** A workflow as a program: what is chosen, what it needs and what is in the way, then the file with its hash and how it is started. */
import { useState } from 'react';
import { call, transport } from '../../api/client.ts';
import { toApiError, type ApiError } from '../../api/error.ts';
import { nodeOf } from '../../api/diagnostics.ts';
import { useCommand } from '../../api/queries.ts';
import type { Commands, Diagnostic, NodeDescriptor, Workflow } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { useCopy } from '../../code/use-copy.ts';
import { t, tn, type MessageKey } from '../../i18n/index.ts';
import { Banner, Button, Dialog, DialogCancel, Field, IconButton, Segmented, Select, SignalIcon, Skeleton, Switch, TextInput } from '../../kit/index.ts';
import { Fault } from '../../shared/form-error.tsx';
import { CheckList, sizeText } from './check-list.tsx';
import './export-program.css';

type Asked = Commands['workflow_export_check']['request']['choices'];
type Choices = Required<Omit<Asked, 'callback' | 'compress'>> & Pick<Asked, 'compress'> & { callback?: string };
type Problem = Commands['workflow_export_check']['response']['problems'][number];
interface Done { file: string; size: number; sha256: string | undefined; start: string }

const TARGETS = ['bundle', 'container', 'source'] as const;
const AUDITS = ['sqlite', 'jsonl', 'ring'] as const;
const HUMANS = ['ui', 'terminal', 'callback', 'none'] as const;

/** An address that messages can be sent to; what may not is said by the host. */
const isAddress = (text: string): boolean => /^https?:\/\/[^/\s]+/.test(text.trim());

export interface ExportProps {
  fileRef: string;
  document: Workflow;
  catalog: readonly NodeDescriptor[];
  /** What is exported is the file: changes that are not saved are left out. */
  dirty: boolean;
  titleOf(stepId: string): string;
  onSave(): void;
  onShow(stepId: string): void;
  onClose(): void;
}

export function ExportDialog(props: ExportProps) {
  const { fileRef, document, dirty, onSave, onClose } = props;
  const [target, setTarget] = useState<Choices['target']>('bundle');
  const [audit, setAudit] = useState<Choices['audit']>('sqlite');
  // A program whose steps ask nobody has no page, whatever is chosen.
  const [human, setHuman] = useState<Choices['human']>('ui');
  const [address, setAddress] = useState('');
  const [compress, setCompress] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<ApiError | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const ready = human !== 'callback' || isAddress(address);
  const choices: Choices = { target, audit, human, ...(compress && target === 'bundle' ? { compress } : {}), ...(human === 'callback' ? { callback: address.trim() } : {}) };
  const { data, error, isFetching } = useCommand('workflow_export_check', { ref: fileRef, choices }, { enabled: ready && done === null, staleTime: 0, placeholderData: (before) => before });
  const list = data?.checkList;
  const asks = list === undefined || list.modules.some((module) => module.name === 'people');
  const host = transport();
  const inWindow = host.pickFolder !== undefined;
  const write = async () => {
    if (data?.start === undefined || data.fileName === undefined) return;
    setFailed(null);
    setBusy(true);
    try {
      if (host.pickFolder) {
        const folder = await host.pickFolder();
        if (folder !== null) {
          const { path, sizeBytes, sha256, start } = await call('workflow_export', { ref: fileRef, choices, folder: folder.handle });
          setDone({ file: path, size: sizeBytes, sha256, start });
        }
      } else if (host.saveProgram) {
        const saved = await host.saveProgram(document.id, Object.fromEntries(Object.entries(choices).map(([name, value]) => [name, String(value)])), data.fileName);
        setDone({ file: data.fileName, ...saved, start: data.start });
      }
    } catch (cause) {
      setFailed(toApiError(cause));
    }
    setBusy(false);
  };
  if (done) {
    return (
      <Dialog open onClose={onClose} title={t('export.done')} closeLabel={t('export.close')} width={640} footer={<>
        <Button onClick={() => setDone(null)}>{t('export.again')}</Button>
        <Button variant="primary" onClick={onClose} keys="Escape">{t('export.close')}</Button>
      </>}>
        <Result done={done} target={target} inWindow={inWindow} />
      </Dialog>
    );
  }
  const blocked = !ready || data === undefined || data.problems.length > 0 || isFetching;
  return (
    <Dialog open onClose={onClose} title={t('export.title')} closeLabel={t('common.cancel')} width={760} busy={busy} footer={<>
      <span className="grow s t3">{t(inWindow ? 'export.intoFolder' : 'export.asDownload')}</span>
      <DialogCancel onClick={onClose}>{t('common.cancel')}</DialogCancel>
      <Button variant="primary" icon="dl" busy={busy} disabled={blocked} onClick={() => void write()}>{t(inWindow ? 'export.write' : 'export.download')}</Button>
    </>}>
      <div className="xp">
        {dirty ? <Banner signal="warn" title={t('export.unsaved')} actions={<Button onClick={onSave}>{t('builder.save')}</Button>}><span className="s t2">{t('export.unsavedText')}</span></Banner> : null}
        <Field label={t('export.target')} hint={t(`export.targetText.${target}`)} group>
          {() => <div className="row"><Segmented label={t('export.target')} value={target} onChange={setTarget} options={TARGETS.map((value) => ({ value, label: t(`export.target.${value}`) }))} /></div>}
        </Field>
        {target === 'bundle' && list?.platform.startsWith('linux') ? (
          <Field label={t('export.compress')} hint={t('export.compressText')}>
            {({ id, describedBy }) => <Switch id={id} describedBy={describedBy} label={t('export.compress')} checked={compress} onChange={setCompress} />}
          </Field>
        ) : null}
        <Field label={t('export.audit')} hint={t(`export.auditText.${audit}`)} group>
          {() => <div className="row"><Segmented label={t('export.audit')} value={audit} onChange={setAudit} options={AUDITS.map((value) => ({ value, label: t(`export.audit.${value}`) }))} /></div>}
        </Field>
        {asks ? (
          <Field label={t('export.people')} hint={t(`export.peopleText.${human}`)}>
            {({ id }) => <Select id={id} label={t('export.people')} value={human} onChange={setHuman} options={HUMANS.map((value) => ({ value, label: t(`export.people.${value}`) }))} />}
          </Field>
        ) : <p className="s t2 row gap1"><SignalIcon signal="ok" />{t('export.asksNobody')}</p>}
        {asks && human === 'callback' ? (
          <Field label={t('export.address')} hint={t('export.addressHint')} error={address !== '' && !isAddress(address) ? t('export.addressBad') : undefined}>
            {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono placeholder="https://" value={address} onChange={setAddress} />}
          </Field>
        ) : null}
        {error && ready ? <Fault error={error} /> : null}
        {failed ? <Fault error={failed} /> : null}
        {data === undefined ? (error || !ready ? null : <Skeleton rows={4} />) : <Problems problems={data.problems} {...props} />}
        {list === undefined ? null : <CheckList list={list} document={document} catalog={props.catalog} titleOf={props.titleOf} />}
      </div>
    </Dialog>
  );
}

/** In the language of the window, and about what can be chosen here; errors of the workflow are said as the builder says them. */
function wordsOf({ reason, name, message, hint }: Problem): { message: string; hint: string } {
  if (reason === undefined || reason === null) return { message, hint };
  return { message: t(`export.why.${reason}`, { name: name ?? '' }), hint: t(REMEDIES[reason]) };
}

type Reason = NonNullable<Problem['reason']>;
const REMEDIES: Readonly<Record<Reason, MessageKey>> = {
  people: 'export.do.people', failures: 'export.do.failures', brokers: 'export.do.brokers', module: 'export.do.module', rule_people: 'export.do.rule', check_model: 'export.do.checkModel',
  check_people: 'export.do.checkPeople', tool_people: 'export.do.people', secret_address: 'export.do.secret', secret_field: 'export.do.secret', secret_setting: 'export.do.secret',
  secret_variable: 'export.do.secret', tool_server: 'export.do.toolServer', runner: 'export.do.runner', sources: 'export.do.sources', system: 'export.do.system',
};

function Problems({ problems, document, titleOf, onShow }: ExportProps & { problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <Banner signal="err" title={tn('export.refused', problems.length)}>
      <ul className="xp-problems">
        {problems.map((one) => {
          const step = one.workflow ? undefined : nodeOf(one as unknown as Diagnostic, document);
          const place = step === undefined ? [one.workflow, one.path].filter(Boolean).join(' ') : titleOf(step);
          const words = wordsOf(one);
          return (
            <li key={`${one.workflow ?? ''} ${one.path} ${one.message}`}>
              <div className="grow col">
                <span>{place === '' || words.message.includes(place) ? null : <b><Pieces text={place} />: </b>}<Pieces text={words.message} /></span>
                <span className="s t2"><Pieces text={words.hint} /></span>
              </div>
              {step === undefined ? null : <Button small variant="ghost" onClick={() => onShow(step)}>{t('export.show')}</Button>}
            </li>
          );
        })}
      </ul>
    </Banner>
  );
}

function Result({ done, target, inWindow }: { done: Done; target: Choices['target']; inWindow: boolean }) {
  return (
    <div className="xp">
      <dl className="xp-result">
        <dt>{t(target === 'source' && inWindow ? 'export.folder' : 'export.file')}</dt>
        <Copied text={done.file} what={t('export.copyPath')} />
        <dt>{t('export.size')}</dt>
        <dd>{sizeText(done.size)}</dd>
        {done.sha256 === undefined ? null : <><dt>{t('export.hash')}</dt><Copied text={done.sha256} what={t('export.copyHash')} /></>}
        <dt>{t(`export.start.${target}`)}</dt>
        <Copied text={done.start} what={t('export.copyStart')} />
      </dl>
      <p className="s t2">{t(target === 'source' ? 'export.nextSource' : 'export.next')}</p>
      {inWindow ? null : <p className="s t2">{t('export.downloads')}</p>}
    </div>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  const { copied, copy } = useCopy();
  return (
    <dd className="row gap1">
      <code className="grow"><Pieces text={text} /></code>
      <IconButton icon={copied ? 'check' : 'copy'} label={copied ? t('value.copied') : what} onClick={() => copy(text)} />
    </dd>
  );
}
