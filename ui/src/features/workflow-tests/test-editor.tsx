/** Mocks and expectations of a test in a form; saving writes the file next to the workflow. */
import { useMemo, useState } from 'react';
import { toApiError, type ApiError } from '../../api/error.ts';
import { act, useCommand } from '../../api/queries.ts';
import type { Commands, NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Dialog, DialogCancel, Field, Select, Skeleton, TextArea, TextInput } from '../../kit/index.ts';
import { canFail } from '../../shared/faults.ts';
import { plain } from '../../text/letters.ts';
import { MockFields, type MockStep } from './mock-fields.tsx';
import { draftOf, isReady, mockDraft, NOT_CALLED, problemsOf, testOf, type ExpectDraft, type TestDraft } from './test-draft.ts';

type Opened = Commands['test_get']['response'];

const STATUSES = ['completed', 'failed', 'cancelled', 'paused'] as const;
const STATES = ['SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED', NOT_CALLED] as const;
const ANY = '';

/** The workflow that a test is of. */
export interface TestedWorkflow {
  document: Workflow;
  catalog: readonly NodeDescriptor[];
  /** Every port of a step. */
  portsOf(kind: NodeDescriptor, node: WorkflowNode): string[];
}

interface Props extends TestedWorkflow {
  fileRef: string; file: string; titles: ReadonlyMap<string, string>;
  /** It was saved; `run` asks for its result. */
  onSaved(notes: string[], run: boolean): void;
  onClose(): void;
}

export function TestEditor(props: Props) {
  const { fileRef, file, onClose } = props;
  // Read anew each time: the file may have been changed by hand.
  const { data, error } = useCommand('test_get', { ref: fileRef, file }, { staleTime: 0, gcTime: 0 });
  if (data !== undefined) return <Form key={data.revision} {...props} opened={data} />;
  return (
    <Dialog open onClose={onClose} title={t('tests.edit')} closeLabel={t('common.cancel')} width={820} footer={<DialogCancel onClick={onClose}>{t('common.cancel')}</DialogCancel>}>
      {error ? <Banner signal="err" title={t('tests.openFailed')}><span className="s t2"><Pieces text={error.message} /></span></Banner> : <Skeleton rows={6} />}
    </Dialog>
  );
}

function Form({ fileRef, file, document, catalog, portsOf, titles, opened, onSaved, onClose }: Props & { opened: Opened }) {
  const [first] = useState(opened);
  const [draft, setDraft] = useState<TestDraft>(() => draftOf(first.test));
  const [typed, setTyped] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<ApiError | null>(null);
  const steps = useMemo<MockStep[]>(() => {
    const kinds = new Map(catalog.map((kind) => [kind.type, kind]));
    return Object.entries(document.nodes).flatMap(([id, node]) => {
      const kind = kinds.get(node.type);
      return canFail(kind) && kind !== undefined ? [{ id, title: titles.get(id) ?? id, kind, ports: portsOf(kind, node).filter((port) => port !== 'error') }] : [];
    });
  }, [catalog, document, portsOf, titles]);
  const problems = problemsOf(draft);
  const change = (next: (old: TestDraft) => TestDraft) => { setTyped(true); setDraft(next); };
  const expect = (part: Partial<ExpectDraft>) => change((old) => ({ ...old, expect: { ...old.expect, ...part } }));
  async function save(run: boolean) {
    setBusy(true);
    setFailed(null);
    try {
      const saved = await act('test_save', { ref: fileRef, file, test: testOf(draft, first.test), baseRevision: first.revision });
      onSaved(saved.notes, run);
    } catch (cause) {
      setFailed(toApiError(cause));
      setBusy(false);
    }
  }
  const add = () => change((old) => ({ ...old, mocks: [...old.mocks, mockDraft({ step: steps[0]?.id ?? '', output: { [steps[0]?.ports[0] ?? 'success']: [{}] } })] }));
  const ready = isReady(problems) && !busy;
  const value = draft.expect;
  const json = (name: 'output' | 'ports' | 'context') => (
    <Field label={t(`tests.expect.${name}`)} hint={t(`tests.expect.${name}Hint`)} error={problems.expect[name] === undefined ? undefined : t(`tests.wrong.${name === 'output' ? 'list' : name === 'ports' ? 'ports' : 'object'}`)}>
      {({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} mono rows={3} value={value[name]} onChange={(text) => expect({ [name]: text })} />}
    </Field>
  );
  const stepRows = [...new Set([...titles.keys(), ...Object.keys(value.steps)])];
  return (
    <Dialog open onClose={onClose} title={t('tests.edit')} closeLabel={t('common.cancel')} width={820} typed={typed} busy={busy} footer={<>
      <DialogCancel onClick={onClose}>{t('common.cancel')}</DialogCancel>
      <Button disabled={!ready} onClick={() => void save(false)}>{t('tests.saveNow')}</Button>
      <Button variant="primary" icon="play" disabled={!ready} busy={busy} onClick={() => void save(true)}>{t('tests.saveRun')}</Button>
    </>}>
      <div className="test-form">
        {failed ? <Banner signal="err" title={t('tests.editFailed')}><span className="s t2"><Pieces text={`${failed.message} ${failed.hint}`} /></span></Banner> : null}
        <Field label={t('tests.name')} hint={<Pieces text={file} />} error={problems.name ? t('tests.wrong.name') : undefined}>
          {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} value={draft.name} maxLength={200} onChange={(name) => change((old) => ({ ...old, name }))} />}
        </Field>
        <section aria-label={t('tests.mocks')}>
          <header className="row"><h3 className="grow">{t('tests.mocks')}</h3><Button small icon="plus" disabled={steps.length === 0} onClick={add}>{t('tests.mockAdd')}</Button></header>
          <p className="s t2">{draft.mocks.length === 0 ? t('tests.mocksNone') : t('tests.mocksHint')}</p>
          <ol className="mocks">
            {draft.mocks.map((mock, at) => (
              <MockFields key={mock.id} mock={mock} at={at} last={at === draft.mocks.length - 1} steps={steps} wrong={problems.mocks.get(mock.id)}
                onChange={(next) => change((old) => ({ ...old, mocks: old.mocks.map((one) => (one.id === mock.id ? next : one)) }))}
                onMove={() => change((old) => ({ ...old, mocks: old.mocks.toSpliced(at, 2, ...old.mocks.slice(at, at + 2).toReversed()) }))}
                onRemove={() => change((old) => ({ ...old, mocks: old.mocks.filter((one) => one.id !== mock.id) }))} />
            ))}
          </ol>
        </section>
        <section aria-label={t('tests.expectations')}>
          <h3>{t('tests.expectations')}</h3>
          <p className="s t2">{t('tests.expectHint')}</p>
          <div className="mock-line">
            <Field label={t('tests.expect.status')}>{({ id }) => <Select id={id} label={t('tests.expect.status')} value={value.status} onChange={(status) => expect({ status })} options={[{ value: ANY, label: t('tests.notChecked') }, ...STATUSES.map((one) => ({ value: one, label: t(`tests.status.${one}`) }))]} />}</Field>
            <Field label={t('tests.expect.failedStep')}>{({ id }) => <Select id={id} label={t('tests.expect.failedStep')} value={value.failedStep} onChange={(failedStep) => expect({ failedStep })} options={[{ value: ANY, label: t('tests.notChecked') }, ...stepRows.map((one) => ({ value: one, label: plain(titles.get(one) ?? one) }))]} />}</Field>
            <Field label={t('tests.expect.errorCode')}>{({ id }) => <TextInput id={id} mono value={value.errorCode} placeholder={t('tests.notChecked')} maxLength={100} onChange={(errorCode) => expect({ errorCode })} />}</Field>
          </div>
          <div className="expect-steps" role="group" aria-label={t('tests.expect.steps')}>
            {stepRows.map((id) => (
              <div key={id} className="row gap1">
                <bdi className="grow ell s">{plain(titles.get(id) ?? t('tests.stepGone', { step: id }))}</bdi>
                <Select small label={t('tests.expect.stateOf', { step: plain(titles.get(id) ?? id) })} value={value.steps[id] ?? ANY}
                  onChange={(state) => expect({ steps: Object.fromEntries(state === ANY ? Object.entries(value.steps).filter(([step]) => step !== id) : [...Object.entries(value.steps).filter(([step]) => step !== id), [id, state]]) })}
                  options={[{ value: ANY, label: t('tests.notChecked') }, ...STATES.map((one) => ({ value: one as string, label: t(`tests.state.${one}`) })), ...(value.steps[id] !== undefined && !STATES.some((one) => one === value.steps[id]) ? [{ value: value.steps[id], label: value.steps[id] }] : [])]} />
              </div>
            ))}
          </div>
          {json('output')}
          {json('ports')}
          {json('context')}
          <Field label={t('tests.expect.assertions')} hint={t('tests.expect.assertionsHint')}>
            {({ id, describedBy }) => <TextArea id={id} aria-describedby={describedBy} mono rows={3} value={value.assertions} onChange={(assertions) => expect({ assertions })} />}
          </Field>
        </section>
      </div>
    </Dialog>
  );
}
