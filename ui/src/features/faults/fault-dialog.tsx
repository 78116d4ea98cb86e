/** Chooses what happens to the calls of a step in the next run: an error that its kind declares, a result, or only a delay. */
import { useState } from 'react';
import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button, Checkbox, Dialog, DialogCancel, Field, Segmented, Select, TextArea, TextInput } from '../../kit/index.ts';
import { errorName, type Fault } from '../../shared/faults.ts';
import './faults.css';

type Kind = 'error' | 'output' | 'delay';
const MOST_DELAY_MS = 3_600_000;

/** The list that was written; null for what is none. */
export function itemsOf(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The milliseconds that were written; null for what are none. Nothing is 0. */
export function delayOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  const ms = Number(trimmed);
  return /^\d+$/.test(trimmed) && ms <= MOST_DELAY_MS ? ms : null;
}

export function FaultDialog({ title, kind, ports, fault, onSet, onClose }: {
  title: string; kind: NodeDescriptor;
  /** Ports of a result, the first is the usual one. */
  ports: readonly string[];
  fault: Fault | undefined; onSet(fault: Fault): void; onClose(): void;
}) {
  const { errors } = kind;
  const [firstPort = 'success'] = ports;
  const output = Object.entries(fault?.output ?? {})[0];
  const [what, setWhat] = useState<Kind>(fault === undefined ? (errors.length > 0 ? 'error' : 'output') : fault.error ? 'error' : fault.output ? 'output' : 'delay');
  const [code, setCode] = useState(fault?.error ?? errors[0]?.code ?? '');
  const [port, setPort] = useState(output?.[0] ?? firstPort);
  const [items, setItems] = useState(output === undefined ? '[{}]' : JSON.stringify(output[1], null, 2));
  const [delay, setDelay] = useState(fault?.delayMs ? String(fault.delayMs) : '');
  const [first, setFirst] = useState(fault?.firstCallOnly === true);
  const ms = delayOf(delay);
  const list = itemsOf(items);
  const wrongDelay = ms === null ? t('fault.delayBad') : what === 'delay' && ms === 0 ? t('fault.delayNeeded') : undefined;
  const ready = ms !== null && (what === 'error' ? code !== '' : what === 'output' ? list !== null : ms > 0);
  const set = () => {
    if (!ready || ms === null) return;
    onSet({
      ...(what === 'error' ? { error: code } : {}), ...(what === 'output' && list !== null ? { output: { [port]: list } } : {}),
      ...(ms > 0 ? { delayMs: ms } : {}), ...(first ? { firstCallOnly: true } : {}),
    });
    onClose();
  };
  const chosen = errors.find((one) => one.code === code);
  const kinds: { value: Kind; label: string }[] = [...(errors.length > 0 ? [{ value: 'error' as const, label: t('fault.kind.error') }] : []), { value: 'output', label: t('fault.kind.output') }, { value: 'delay', label: t('fault.kind.delay') }];
  return (
    <Dialog open onClose={onClose} title={t('fault.title', { step: title })} closeLabel={t('common.cancel')} width={520} footer={<>
      <DialogCancel onClick={onClose}>{t('common.cancel')}</DialogCancel>
      <Button variant="primary" icon="bolt" disabled={!ready} onClick={set}>{t('fault.set')}</Button>
    </>}>
      <form className="fault-form" onSubmit={(event) => { event.preventDefault(); set(); }}>
        <span className="s t2">{t('fault.hint')}</span>
        <Segmented<Kind> label={t('fault.kind')} value={what} onChange={setWhat} options={kinds} />
        {what === 'error' ? (
          <Field label={t('fault.error')} hint={chosen?.when}>
            {({ id }) => <Select id={id} label={t('fault.error')} value={code} onChange={setCode} options={errors.map((one) => ({ value: one.code, label: errorName(one) }))} />}
          </Field>
        ) : null}
        {what === 'output' ? (
          <>
            {ports.length > 1 ? <Field label={t('fault.port')}>{({ id }) => <Select id={id} label={t('fault.port')} value={port} onChange={setPort} options={ports.map((one) => ({ value: one, label: one }))} />}</Field> : null}
            <Field label={t('fault.items')} hint={t('fault.itemsHint')} error={list === null ? t('fault.itemsBad') : undefined}>
              {({ id, describedBy, invalid }) => <TextArea id={id} aria-describedby={describedBy} invalid={invalid} mono rows={6} value={items} onChange={setItems} />}
            </Field>
          </>
        ) : null}
        <Field label={t('fault.delay')} hint={t('fault.delayHint')} error={wrongDelay}>
          {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} inputMode="numeric" value={delay} placeholder="0" onChange={setDelay} />}
        </Field>
        <label className="row gap1"><Checkbox checked={first} onChange={setFirst} label={t('fault.first')} /><span>{t('fault.first')}</span><span className="s t3">{t('fault.firstHint')}</span></label>
      </form>
    </Dialog>
  );
}
