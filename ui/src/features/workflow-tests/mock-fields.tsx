/** One mock of a test: of which step and call, and how the call ends. */
import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Checkbox, Field, IconButton, Select, TextArea, TextInput } from '../../kit/index.ts';
import { errorName } from '../../shared/faults.ts';
import { plain } from '../../text/letters.ts';
import { ENDINGS, ERROR_TYPES, type Ending, type MockDraft, type Wrong } from './test-draft.ts';

/** A step that can have a mock. */
export interface MockStep { id: string; title: string; kind: NodeDescriptor | undefined; ports: readonly string[] }

const OTHER = '';

export function MockFields({ mock, at, last, steps, wrong, onChange, onMove, onRemove }: {
  mock: MockDraft; at: number; last: boolean; steps: readonly MockStep[];
  wrong: Partial<Record<'delay' | 'call' | 'items' | 'code' | 'step', Wrong>> | undefined;
  onChange(mock: MockDraft): void; onMove(): void; onRemove(): void;
}) {
  const step = steps.find((one) => one.id === mock.step);
  const errors = step?.kind?.errors ?? [];
  const ports = step?.ports ?? [];
  const declared = errors.find((one) => one.code === mock.code);
  const set = (change: Partial<MockDraft>) => onChange({ ...mock, ...change });
  const say = (what: Wrong | undefined) => (what === undefined ? undefined : t(`tests.wrong.${what}`));
  const number = at + 1;
  return (
    <li className="mock" aria-label={t('tests.mockOf', { n: number, step: plain(step?.title ?? mock.step) })}>
      <div className="mock-line">
        <Field label={t('tests.mockStep')} error={mock.step !== '' && step === undefined ? t('tests.stepGone', { step: plain(mock.step) }) : say(wrong?.step)}>
          {({ id, invalid }) => <Select id={id} label={t('tests.mockStep')} invalid={invalid} value={mock.step} onChange={(next) => set({ step: next, port: steps.find((one) => one.id === next)?.ports[0] ?? 'success' })}
            options={[...(step === undefined && mock.step !== '' ? [{ value: mock.step, label: plain(mock.step) }] : []), ...steps.map((one) => ({ value: one.id, label: plain(one.title) }))]} />}
        </Field>
        <Field label={t('tests.mockEnding')}>
          {({ id }) => <Select<Ending> id={id} label={t('tests.mockEnding')} value={mock.ending} onChange={(ending) => set({ ending, ...(ending === 'error' && mock.code === '' ? { code: errors[0]?.code ?? '' } : {}) })} options={ENDINGS.map((ending) => ({ value: ending, label: t(`tests.ending.${ending}`) }))} />}
        </Field>
        <span className="mock-acts">
          <IconButton small icon="down" label={t('tests.mockDown', { n: number })} disabled={last} onClick={onMove} />
          <IconButton small icon="x" label={t('tests.mockRemove', { n: number })} onClick={onRemove} />
        </span>
      </div>
      <div className="mock-line">
        {mock.ending === 'error' ? (
          <>
            <Field label={t('tests.errorCode')} hint={declared?.when} error={say(wrong?.code)}>
              {({ id, describedBy, invalid }) => (declared !== undefined || (mock.code === '' && errors.length > 0)
                ? <Select id={id} label={t('tests.errorCode')} invalid={invalid} value={mock.code} onChange={(code) => set({ code: code === 'OTHER_CODE' ? 'CUSTOM' : code, errorType: '' })} options={[...errors.map((one) => ({ value: one.code, label: errorName(one) })), { value: 'OTHER_CODE', label: t('tests.otherCode') }]} />
                : <TextInput id={id} aria-describedby={describedBy} invalid={invalid} mono value={mock.code} maxLength={100} onChange={(code) => set({ code })} />)}
            </Field>
            <Field label={t('tests.errorType')}>
              {({ id }) => <Select id={id} label={t('tests.errorType')} value={mock.errorType} onChange={(errorType) => set({ errorType })} options={[{ value: OTHER, label: declared ? t('tests.errorTypeOf', { type: declared.type }) : t('tests.errorTypeDefault') }, ...ERROR_TYPES.map((type) => ({ value: type, label: type }))]} />}
            </Field>
          </>
        ) : null}
        {(mock.ending === 'output' && ports.length > 1) || mock.ending === 'pass' ? (
          <Field label={t('tests.port')}>{({ id }) => <Select id={id} label={t('tests.port')} value={mock.port} onChange={(port) => set({ port })} options={[...(ports.includes(mock.port) ? [] : [mock.port]), ...ports].map((port) => ({ value: port, label: port }))} />}</Field>
        ) : null}
        <Field label={t('tests.delay')} error={say(wrong?.delay)}>
          {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} inputMode="numeric" placeholder="0" value={mock.delay} disabled={mock.ending === 'never'} onChange={(delay) => set({ delay })} />}
        </Field>
        <Field label={t('tests.whichCall')} group error={say(wrong?.call)}>
          {() => (
            <span className="mock-call">
              <label className="row gap1"><Checkbox checked={mock.call !== ''} onChange={(only) => set({ call: only ? '1' : '' })} label={t('tests.oneCall', { n: number })} /><span>{t('tests.onlyCall')}</span></label>
              <TextInput aria-label={t('tests.callNumber', { n: number })} inputMode="numeric" disabled={mock.call === ''} invalid={wrong?.call !== undefined} value={mock.call} onChange={(call) => set({ call: call === '' ? '0' : call.replace(/^0+(?=\d)/, '') })} />
            </span>
          )}
        </Field>
      </div>
      {mock.ending === 'output' ? (
        <Field label={t('fault.items')} hint={t('fault.itemsHint')} error={wrong?.items === undefined ? undefined : t('fault.itemsBad')}>
          {({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} mono rows={4} value={mock.items} onChange={(items) => set({ items })} />}
        </Field>
      ) : null}
    </li>
  );
}
