/** Bringing in a workflow of another program: the question, then what became of what. */
import './import-dialog.css';
import { create } from 'zustand';
import { call } from '../../api/client.ts';
import { act } from '../../api/queries.ts';
import type { ImportFinding, ImportLevel, ImportReport, ImportStatus, WorkflowImport } from '../../api/types.ts';
import { GivenSecretRow } from '../../shared/secrets/given-secret.tsx';
import type { GivenSecret } from '../../shared/secrets/secret-dialog.tsx';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { Fault } from '../../shared/form-error.tsx';
import { t, tn } from '../../i18n/index.ts';
import { Button, Dialog, DialogCancel, type Signal, SignalIcon, toast } from '../../kit/index.ts';
import { isCurl } from '../../text/is-curl.ts';
import { navigate } from '../router.ts';

type Shown = { is: 'offer'; source: WorkflowImport } | { is: 'done'; name: string; report: ImportReport; secret?: GivenSecret | undefined; step?: boolean };
const useShown = create<{ shown: Shown | null }>(() => ({ shown: null }));

/** Asks whether a file that was to be opened should be imported. */
export const offerImport = (source: WorkflowImport): void => useShown.setState({ shown: { is: 'offer', source } });
const close = (): void => useShown.setState({ shown: null });

/** Imports a file, opens the workflow and shows the report above it. Who does not wait for it any more is told, and stays where they are. */
export async function importWorkflow(source: WorkflowImport, waits: () => boolean = () => true): Promise<void> {
  // A command line brings the secret of its step, which is asked for before the import names it.
  const secret = source.text !== undefined && isCurl(source.text) ? (await call('import_preview', { text: source.text })).secret : undefined;
  const { workflow, report } = await act('workflow_import', source);
  const { name } = workflow.document;
  const show = () => {
    navigate({ screen: 'workflow', ref: workflow.ref });
    useShown.setState({ shown: { is: 'done', name, report, secret } });
  };
  if (waits()) show();
  else toast({ signal: 'ok', text: t('import.doneTitle', { name }), action: { label: t('import.report'), run: show }, background: true });
}

/** Shows what became of a command line on a canvas. */
export const showStep = (name: string, report: ImportReport, secret: GivenSecret | undefined): void => useShown.setState({ shown: { is: 'done', name, report, secret, step: true } });

export function ImportDialog() {
  const shown = useShown((state) => state.shown);
  if (shown?.is === 'offer') return <Offer source={shown.source} />;
  return shown ? <Done name={shown.name} report={shown.report} secret={shown.secret} step={shown.step === true} /> : null;
}

function Offer({ source }: { source: WorkflowImport }) {
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const curl = source.text !== undefined && isCurl(source.text);
  return (
    <Dialog open title={t(curl ? 'import.offerCurlTitle' : 'import.offerTitle')} closeLabel={t('common.cancel')} busy={busy} onClose={close}
      footer={<>
        <DialogCancel onClick={close} late={t('common.noAnswer')}>{t('common.cancel')}</DialogCancel>
        <Button variant="primary" busy={busy} onClick={() => void run(() => importWorkflow(source, () => { const { shown } = useShown.getState(); return shown?.is === 'offer' && shown.source === source; }))}>{t('import.offerYes')}</Button>
      </>}>
      {error ? <Fault error={error} /> : null}
      <p className="t2">{t(curl ? 'import.offerCurlText' : 'import.offerText')}</p>
    </Dialog>
  );
}

const SECRET_TAKEN = 'SECRET_IN_FILE';
const SIGNAL: { [level in ImportLevel]: Signal } = { problem: 'err', missing: 'warn', warning: 'idle' };
const LEVELS = ['problem', 'missing', 'warning'] as const;
const STATUSES = ['green', 'yellow', 'red'] as const;
const LIGHT: { [status in ImportStatus]: Signal } = { green: 'ok', yellow: 'warn', red: 'err' };

function Done({ name, report, secret, step }: { name: string; report: ImportReport; secret: GivenSecret | undefined; step: boolean }) {
  // What the row of the secret says need not be said a second time.
  const findings = secret ? report.findings.filter((one) => one.code !== SECRET_TAKEN || !one.hint.includes(`'${secret.name}'`)) : report.findings;
  return (
    <Dialog open width={640} title={t(step ? 'import.stepTitle' : 'import.doneTitle', { name })} closeLabel={t('common.close')} onClose={close}
      footer={<Button variant="primary" onClick={close}>{t(step ? 'common.close' : 'import.show')}</Button>}>
      <div className="imp">
        {secret ? <GivenSecretRow secret={secret} /> : null}
        {step ? null : <><p>{tn('import.steps', report.steps)} {tn('import.nodes', report.nodes)} {report.findings.length === 0 ? t('import.clean') : null}</p>
        <p className="imp-card">{STATUSES.map((status) => <span key={status}><SignalIcon signal={LIGHT[status]} /> {t(`import.${status}`, { n: report.translated.filter((one) => one.status === status).length })}</span>)}</p>
        </>}
        {report.notes?.map((note) => <p key={note} className="s t2">{note}</p>)}
        {LEVELS.map((level) => <Part key={level} level={level} open={step} found={findings.filter((one) => one.level === level)} />)}
        {report.more > 0 ? <p className="s t2">{tn('import.more', report.more)}</p> : null}
        {step ? null : <details>
          <summary>{tn('import.table', report.translated.length)}</summary>
          <table className="imp-table">
            <thead><tr><th scope="col">{t('import.step')}</th><th scope="col">{t('import.kind')}</th><th scope="col">{t('import.became')}</th></tr></thead>
            <tbody>
              {report.translated.map((one) => (
                <tr key={one.step}><td className="mono"><SignalIcon signal={LIGHT[one.status]} /> {one.step}</td><td>{one.kind ?? ''}</td><td className="mono">{one.nodes.join(', ') || t('import.leftOut')}</td></tr>
              ))}
            </tbody>
          </table>
        </details>}
      </div>
    </Dialog>
  );
}

const WORDS = { problem: 'import.problem', missing: 'import.missing', warning: 'import.warning' } as const;
const TEXTS = { problem: 'import.problemText', missing: 'import.missingText', warning: 'import.warningText' } as const;

/** Problems and what is missing are seen at once; warnings are many and seldom matter. */
function Part({ level, found, open }: { level: ImportLevel; found: ImportFinding[]; open: boolean }) {
  if (found.length === 0) return null;
  const label = tn(WORDS[level], found.length);
  const head = <><SignalIcon signal={SIGNAL[level]} /> <b>{label}</b></>;
  const body = (
    <>
      <p className="s t2">{t(TEXTS[level])}</p>
      <ul>
        {found.map((one) => (
          <li key={`${one.code} ${one.path} ${one.message}`}>
            <span>{one.message}</span> <span className="s t2">{one.hint}</span> <span className="s t3 mono">{one.path}</span>
          </li>
        ))}
      </ul>
    </>
  );
  if (level === 'warning') return <details open={open}><summary>{head}</summary>{body}</details>;
  return <section aria-label={label}><div className="imp-head">{head}</div>{body}</section>;
}
