// Above the output of a step: pins it, or says that it is pinned.

import { useState } from 'react';
import { formatDateTime, t } from '../../i18n/index.ts';
import { Button, Icon, Segmented, toast } from '../../kit/index.ts';
import type { Pin, WorkflowNode } from '../../api/types.ts';
import { shortRunId } from '../../shared/run-status.tsx';
import type { Pins } from '../../shared/pins.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import type { PortTitles } from './data-tab.tsx';
import { PinDialog } from './pin-dialog.tsx';
import type { StepDataState, StepValues } from './step-data.ts';

/** The pinned output as what a tab shows. */
export const pinnedValues = (pin: Pin): StepValues => ({
  source: 'pinned', runId: '', startedAt: pin.pinnedAt, input: [], config: undefined, running: false,
  output: Object.fromEntries(Object.entries(pin.ports).map(([port, items]) => [port, items.map((data, i) => ({ id: String(i + 1), data }))])),
});

export function PinBand({ pins, nodeId, title, node, ports, portTitles, state, side, onSide }: {
  pins: Pins; nodeId: string; title: string; node: WorkflowNode;
  ports: readonly string[]; portTitles: PortTitles | undefined;
  /** What a run has of the step. */
  state: StepDataState;
  /** What is shown where both are there. */
  side: 'pinned' | 'run'; onSide: (side: 'pinned' | 'run') => void;
}) {
  const [editing, setEditing] = useState(false);
  const { busy, run } = useAsyncAction();
  const pin = pins.steps[nodeId];
  const values = state.kind === 'data' ? state.values : null;
  const some = values !== null && Object.entries(values.output).some(([port, items]) => port !== 'error' && items.length > 0);
  const dialog = editing ? <PinDialog pins={pins} step={nodeId} title={title} first={pin?.ports ?? { [ports[0] ?? 'success']: [] }} ports={ports} portTitles={portTitles} onClose={() => setEditing(false)} /> : null;
  if (!pin) {
    const canPin = some && !values.running && values.source !== 'waiting';
    const doPin = () => values && run(async () => {
      await pins.pin(nodeId, { runId: values.runId, path: values.path });
      onSide('pinned');
      toast({ signal: 'ok', text: t('pins.done'), detail: t('pins.doneText') });
    });
    return (
      <div className="row pin-offer">
        {canPin ? <Button small icon="pin" busy={busy} onClick={() => void doPin()}>{t('pins.pin')}</Button> : null}
        <Button small variant="ghost" icon="pencil" disabled={node.disabled === true} onClick={() => setEditing(true)}>{t('pins.write')}</Button>
        {dialog}
      </div>
    );
  }
  return (
    <section className="pin-band" aria-label={t('pins.band')}>
      <div className="row">
        <Icon name="pin" size={12} className="c-sel" />
        <b className="grow">{t('pins.band')}</b>
        <Button small onClick={() => setEditing(true)}>{t('pins.edit')}</Button>
        <Button small busy={busy} onClick={() => void run(() => pins.unpin(nodeId), t('pins.undone'))}>{t('pins.unpin')}</Button>
      </div>
      <p className="s t2">{t('pins.bandText')}</p>
      <p className="s t3">{pin.runId === undefined ? t('pins.written', { time: formatDateTime(pin.pinnedAt) }) : t('pins.fromRun', { run: shortRunId(pin.runId), time: formatDateTime(pin.pinnedAt) })}</p>
      {some ? <Segmented<'pinned' | 'run'> small label={t('pins.show')} value={side} onChange={onSide} options={[{ value: 'pinned', label: t('pins.showPinned') }, { value: 'run', label: t('pins.showRun') }]} /> : null}
      {dialog}
    </section>
  );
}
