/** When a workflow runs, in words: the settings of a schedule that its cron expression and its interval stand for. */
import './schedule.css';
import { useId, useState } from 'react';
import type { Diagnostic, JsonMap } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Checkbox, Field, Icon, Select, TextInput } from '../../kit/index.ts';
import { diagnosticsAt, Findings } from '../../schema-form/index.ts';
import { configOf, intervalMs, intervalParts, ofKind, scheduleOf, scheduleText, WEEK, type ClockTime, type Schedule, type ScheduleKind } from './schedule-model.ts';
import { localText, useSchedulePreview } from './use-schedule-preview.ts';

const KINDS: readonly ScheduleKind[] = ['interval', 'hourly', 'daily', 'weekly', 'monthly', 'custom'];
const UNITS = ['s', 'min', 'h', 'd'] as const;

export function ScheduleEditor({ config, pointer, diagnostics, readOnly, onChange }: {
  config: JsonMap;
  /** Of the step's configuration. */
  pointer: string;
  diagnostics: readonly Diagnostic[];
  readOnly: boolean;
  onChange(next: { cron?: string | undefined; every?: number | undefined }): void;
}) {
  const saved = scheduleOf(config);
  // "0 8 * * *" is also a cron expression that somebody wants to type on.
  const [asCron, setAsCron] = useState(false);
  const schedule: Schedule = asCron && typeof config['cron'] === 'string' ? { kind: 'custom', cron: config['cron'] } : saved;
  const set = (next: Schedule) => {
    const { cron, every } = configOf(next);
    onChange({ cron, every });
  };
  const choose = (kind: ScheduleKind) => {
    setAsCron(kind === 'custom');
    set(ofKind(kind, schedule));
  };
  return (
    <div className="field schedule" role="group" aria-label={t('schedule.title')}>
      <Field label={t('schedule.kind')}>
        {({ id }) => <Select id={id} label={t('schedule.kind')} value={schedule.kind} disabled={readOnly} onChange={choose} options={KINDS.map((value) => ({ value, label: t(`schedule.kind.${value}`) }))} />}
      </Field>
      <Fields schedule={schedule} readOnly={readOnly} onChange={set} />
      <Findings findings={[...diagnosticsAt(diagnostics, `${pointer}/cron`, true), ...diagnosticsAt(diagnostics, `${pointer}/every`, true)]} />
      <NextRuns config={config} text={scheduleText(schedule)} />
    </div>
  );
}

function Fields({ schedule, readOnly, onChange }: { schedule: Schedule; readOnly: boolean; onChange(next: Schedule): void }) {
  switch (schedule.kind) {
    case 'interval': return <Interval every={schedule.every} readOnly={readOnly} onChange={(every) => onChange({ kind: 'interval', every })} />;
    case 'hourly': return <WholeNumber label={t('schedule.minute')} value={schedule.minute} min={0} max={59} readOnly={readOnly} onChange={(minute) => onChange({ kind: 'hourly', minute })} />;
    case 'daily': return <Time value={schedule.time} readOnly={readOnly} onChange={(time) => onChange({ ...schedule, time })} />;
    case 'weekly': return (
      <>
        <div className="field" role="group" aria-label={t('schedule.days')}>
          <span className="lab">{t('schedule.days')}</span>
          <div className="schedule-days">
            {WEEK.map((day) => {
              const on = schedule.days.includes(day);
              // The last day stays: a schedule without days would never run.
              const name = t(`schedule.day.${day}`);
              return (
                <span key={day} className="row gap1">
                  <Checkbox label={name} checked={on} disabled={readOnly || (on && schedule.days.length === 1)} onChange={(next) => onChange({ ...schedule, days: WEEK.filter((one) => (one === day ? next : schedule.days.includes(one))) })} />
                  <span className="s" aria-hidden="true">{name}</span>
                </span>
              );
            })}
          </div>
        </div>
        <Time value={schedule.time} readOnly={readOnly} onChange={(time) => onChange({ ...schedule, time })} />
      </>
    );
    case 'monthly': return (
      <>
        <WholeNumber label={t('schedule.monthDay')} hint={schedule.day > 28 ? t('schedule.monthDayHint') : undefined} value={schedule.day} min={1} max={31} readOnly={readOnly} onChange={(day) => onChange({ ...schedule, day })} />
        <Time value={schedule.time} readOnly={readOnly} onChange={(time) => onChange({ ...schedule, time })} />
      </>
    );
    case 'custom': return (
      <Field label={t('schedule.cron')} hint={t('schedule.cronHint')}>
        {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} mono value={schedule.cron} readOnly={readOnly} placeholder="0 8 * * 1-5" onChange={(cron) => onChange({ kind: 'custom', cron })} />}
      </Field>
    );
  }
}

function Time({ value, readOnly, onChange }: { value: ClockTime; readOnly: boolean; onChange(time: ClockTime): void }) {
  return (
    <Field label={t('schedule.time')}>
      {({ id }) => <TextInput id={id} type="time" value={value} readOnly={readOnly} onChange={(time) => { if (/^\d\d:\d\d$/.test(time)) onChange(time as ClockTime); }} />}
    </Field>
  );
}

/** Holds what is typed until it is a number in range. */
function WholeNumber({ label, hint, value, min, max, readOnly, onChange }: { label: string; hint?: string | undefined; value: number; min: number; max: number; readOnly: boolean; onChange(n: number): void }) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Field label={label} hint={hint}>
      {({ id, describedBy }) => <TextInput id={id} aria-describedby={describedBy} type="number" min={min} max={max} value={typed ?? String(value)} readOnly={readOnly} onBlur={() => setTyped(null)}
        onChange={(text) => {
          setTyped(text);
          const n = Number(text);
          if (/^\d+$/.test(text) && n >= min && n <= max) onChange(n);
        }} />}
    </Field>
  );
}

function Interval({ every, readOnly, onChange }: { every: number; readOnly: boolean; onChange(ms: number): void }) {
  const parts = intervalParts(every);
  const [typed, setTyped] = useState<string | null>(null);
  const unitId = useId();
  return (
    <div className="row schedule-every">
      <Field label={t('schedule.every')}>
        {({ id }) => <TextInput id={id} type="number" min={1} value={typed ?? String(parts.n)} readOnly={readOnly} onBlur={() => setTyped(null)}
          onChange={(text) => {
            setTyped(text);
            if (/^[1-9]\d{0,8}$/.test(text)) onChange(intervalMs(Number(text), parts.unit));
          }} />}
      </Field>
      <Select id={unitId} label={t('schedule.unit')} value={parts.unit} disabled={readOnly} onChange={(unit) => onChange(intervalMs(parts.n, unit))} options={UNITS.map((value) => ({ value, label: t(`schedule.unit.${value}`) }))} />
    </div>
  );
}

/** The sentence and the next times; why there are none where the settings are wrong is said at their fields. */
function NextRuns({ config, text }: { config: JsonMap; text: string }) {
  const { data } = useSchedulePreview(config);
  const zone = typeof config['timezone'] === 'string' && config['timezone'] !== '' ? config['timezone'] : 'UTC';
  const refused = data?.diagnostics.some((one) => one.severity === 'error') ?? false;
  return (
    <div className="schedule-next" aria-live="polite">
      <span className="row gap1"><Icon name="clock" size={12} /><b>{t('automations.inZone', { text, zone })}</b></span>
      {data && !refused ? (
        <>
          <span className="s t3">{t('schedule.next')}</span>
          {data.next.length > 0 ? <ol className="s t2">{data.next.map((one) => <li key={one.utc}>{localText(one.local)}</li>)}</ol> : <span className="s t2">{t('schedule.never')}</span>}
          <span className="s t3">{t('schedule.nextHint')}</span>
        </>
      ) : null}
    </div>
  );
}
