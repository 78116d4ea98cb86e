// The way to the question: last events, what the steps before gave, variables of the run.

import { useMemo, useState } from 'react';
import { formatTime, t } from '../../i18n/index.ts';
import { Button, Icon, SignalIcon, type Signal } from '../../kit/index.ts';
import { ValueView } from '../../code/ValueView.tsx';
import { plainValue } from '../../shared/evidence/controls.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import type { DetailProps } from './detail.tsx';

const SIGNALS: { [event: string]: Signal } = {
  workflow_start: 'run', step_start: 'run', step_done: 'ok', step_error: 'err', retry_scheduled: 'retry', error_handled: 'err', auto_fix_attempt: 'warn',
  human_task_created: 'person', human_task_completed: 'person', pause_start: 'person', pause_resumed: 'person', escalated: 'warn', step_interrupted: 'warn', var_changed: 'info',
};

export function HappenedTab({ task, onOpenRun, onAudit }: DetailProps) {
  const names = Object.keys(task.variables);
  const upstream = task.upstream.filter((one) => one.stepId !== task.stepId && JSON.stringify(one.output) !== '{}');
  return (
    <div className="ib-two">
      <div className="ib-side">
        <div className="row wrap"><b className="nw">{t('inbox.lastEvents')}</b>
          <span className="end row wrap gap1"><Button small icon="flow" onClick={onOpenRun}>{t('inbox.openGraph')}</Button><Button small variant="ghost" icon="chain" onClick={onAudit}>{t('inbox.showAudit')}</Button></span>
        </div>
        {task.trace.length ? (
          <ol className="box ib-trace">
            {task.trace.map((one, index) => (
              <li key={`${one.at} ${String(index)}`}>
                <SignalIcon signal={one.asks ? 'person' : SIGNALS[one.event] ?? 'info'} /><span className="mono t3">{formatTime(one.at)}</span>
                <span className="col"><b><SafeText line text={one.title || one.stepId} /></b><SafeText className="t2" text={one.summary} cut={300} /></span>
              </li>
            ))}
          </ol>
        ) : <p className="t3">{t('inbox.noEvents')}</p>}
      </div>
      <div className="ib-side">
        <b>{t('inbox.upstream')}</b>
        {upstream.length ? upstream.map((one) => <Folded key={one.stepId} title={one.title || one.stepId} value={one.output} />) : <p className="t3">{t('inbox.noUpstream')}</p>}
        <b>{t('inbox.variables')}</b>
        {names.length ? <Whole value={task.variables} /> : <p className="t3">{t('inbox.noVariables')}</p>}
      </div>
    </div>
  );
}

function Whole({ value }: { value: unknown }) {
  return <ValueView value={useMemo(() => plainValue(value), [value])} label={t('inbox.variables')} />;
}

function Folded({ title, value }: { title: string; value: unknown }) {
  const [open, setOpen] = useState(false);
  const shown = useMemo(() => (open ? plainValue(value) : null), [open, value]);
  return (
    <div className="col ib-folded">
      <button type="button" className="row gap1 ib-fold" aria-expanded={open} onClick={() => setOpen(!open)}><Icon name={open ? 'down' : 'right'} size={12} /><SafeText line text={title} /></button>
      {open ? <ValueView value={shown} label={title} /> : null}
    </div>
  );
}
