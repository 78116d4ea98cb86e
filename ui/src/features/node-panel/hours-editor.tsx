/** When people work: the calendar by which steps with business hours count their time. */
import { useState } from 'react';
import { isObject } from '../../json/json.ts';
import type { Diagnostic } from '../../api/types.ts';
import { localTimeZone, t, timeZones } from '../../i18n/index.ts';
import { Checkbox, Field, Switch, TextInput } from '../../kit/index.ts';
import { Findings, JsonBox, diagnosticsAt } from '../../schema-form/index.ts';
import { DAYS, hoursOf, listOf, withDay, type Day, type Hours } from './hours-model.ts';

const AT = '/settings/businessHours';
const ZONES = 'hours-zones';

export function HoursEditor({ value, diagnostics, readOnly, onChange }: {
  value: unknown; diagnostics: readonly Diagnostic[]; readOnly: boolean; onChange: (next: unknown) => void;
}) {
  const hours = value === undefined ? undefined : hoursOf(value);
  const at = (path: string, deep: boolean) => diagnosticsAt(diagnostics, AT + path, deep);
  return (
    <div className="field hours" role="group" aria-label={t('workflow.hours')}>
      <span className="lab">
        {t('workflow.hours')}
        <span className="end"><Switch label={t('workflow.hours')} checked={value !== undefined} disabled={readOnly} onChange={(on) => onChange(on ? usual() : undefined)} /></span>
      </span>
      <span className="s t3">{t('workflow.hoursHint')}</span>
      {hours === null ? (
        <>
          <span className="s t3">{t('workflow.hoursComplex')}</span>
          <JsonBox value={value} label={t('workflow.hours')} minLines={6} onValue={(next) => { if (next === undefined || isObject(next)) onChange(next); }} />
          <Findings findings={at('', true)} />
        </>
      ) : hours ? (
        <>
          <Field label={t('workflow.hoursZone')} required>
            {({ id }) => <Kept id={id} list={ZONES} value={hours.timezone} readOnly={readOnly} invalid={at('/timezone', false).length > 0} onKeep={(timezone) => onChange({ ...hours, timezone: timezone.trim() })} />}
          </Field>
          <datalist id={ZONES}>{timeZones().map((zone) => <option key={zone} value={zone} />)}</datalist>
          <Findings findings={at('/timezone', false)} />
          <div className="box">
            {DAYS.map((day) => <DayRow key={day} day={day} hours={hours} readOnly={readOnly} findings={at(`/hours/${day}`, true)} onChange={onChange} />)}
          </div>
          <Findings findings={at('/hours', false)} />
          <Field label={t('workflow.holidays')} hint={t('workflow.holidaysHint')}>
            {({ id }) => <Kept id={id} mono value={(hours.holidays ?? []).join(', ')} readOnly={readOnly} invalid={at('/holidays', true).length > 0} placeholder="2026-12-25, 2027-01-01"
              onKeep={(text) => {
                const { holidays: _, ...rest } = hours;
                const days = listOf(text);
                onChange(days.length ? { ...rest, holidays: days } : rest);
              }} />}
          </Field>
          <Findings findings={at('/holidays', true)} />
          <Findings findings={at('', false)} />
        </>
      ) : null}
    </div>
  );
}

/** Monday to Friday, where this person is. */
function usual(): Hours {
  const work = ['09:00-17:00'];
  return { timezone: localTimeZone(), hours: { mon: work, tue: work, wed: work, thu: work, fri: work } };
}

function DayRow({ day, hours, readOnly, findings, onChange }: {
  day: Day; hours: Hours; readOnly: boolean; findings: Diagnostic[]; onChange: (next: Hours) => void;
}) {
  const parts = hours.hours[day] ?? [];
  const name = t(`workflow.day.${day}`);
  return (
    <div className="hours-day">
      <span className="row gap1"><Checkbox label={name} checked={parts.length > 0} disabled={readOnly} onChange={(on) => onChange(withDay(hours, day, on ? ['09:00-17:00'] : []))} />{name}</span>
      {parts.length ? (
        <Kept mono aria-label={t('workflow.dayHours', { day: name })} value={parts.join(', ')} readOnly={readOnly} invalid={findings.length > 0} placeholder="09:00-12:00, 13:00-17:00" onKeep={(text) => onChange(withDay(hours, day, listOf(text)))} />
      ) : <span className="s t3">{t('workflow.dayFree')}</span>}
      <Findings findings={findings} />
    </div>
  );
}

/** What is typed counts when it is done: half a time is no time. */
function Kept({ value, onKeep, ...rest }: Omit<React.ComponentProps<typeof TextInput>, 'value' | 'onChange'> & { value: string; onKeep(text: string): void }) {
  const [text, setText] = useState<string | null>(null);
  return (
    <TextInput {...rest} value={text ?? value} onChange={setText}
      onKeyDown={(event) => { if (event.key === 'Enter') event.currentTarget.blur(); }}
      onBlur={() => {
        if (text !== null && text !== value) onKeep(text);
        setText(null);
      }} />
  );
}
