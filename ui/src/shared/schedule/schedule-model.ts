/** A schedule as a person says it, and the settings of `trigger.schedule` that mean the same. */
import { t } from '../../i18n/index.ts';

/** 0 is Sunday, as in a cron expression. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;
/** Local time of the schedule's zone, "08:00". */
export type ClockTime = `${string}:${string}`;

export type Schedule =
  /** Milliseconds from one run to the next. */
  | { kind: 'interval'; every: number }
  | { kind: 'hourly'; minute: number }
  | { kind: 'daily'; time: ClockTime }
  | { kind: 'weekly'; days: readonly Weekday[]; time: ClockTime }
  | { kind: 'monthly'; day: number; time: ClockTime }
  | { kind: 'custom'; cron: string };
export type ScheduleKind = Schedule['kind'];

/** Monday first. */
export const WEEK: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 0];
const WORKDAYS: readonly Weekday[] = [1, 2, 3, 4, 5];

export interface ScheduleConfig { cron?: unknown; every?: unknown }

const number = (text: string | undefined, from: number, to: number): number | undefined => {
  if (text === undefined || !/^\d{1,2}$/.test(text)) return undefined;
  const n = Number(text);
  return n >= from && n <= to ? n : undefined;
};
const two = (n: number): string => String(n).padStart(2, '0');

/** `1-5`, `1,3,5`, `0`; days as numbers only, 7 is Sunday. */
function daysOf(text: string): Weekday[] | undefined {
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const range = /^([0-7])(?:-([0-7]))?$/.exec(part);
    if (!range) return undefined;
    const first = Number(range[1]);
    const last = range[2] === undefined ? first : Number(range[2]);
    if (last < first) return undefined;
    for (let day = first; day <= last; day += 1) days.add(day % 7);
  }
  return WEEK.filter((day) => days.has(day));
}

/** What the settings say; a cron expression that this form cannot show as fields stays as it is. */
export function scheduleOf({ cron, every }: ScheduleConfig): Schedule {
  if (typeof every === 'number' && cron === undefined) return { kind: 'interval', every };
  if (typeof cron !== 'string') return { kind: 'daily', time: '08:00' };
  const custom: Schedule = { kind: 'custom', cron };
  const [m, h, day, month, weekdays, ...more] = cron.trim().split(/\s+/);
  if (more.length > 0 || month !== '*' || weekdays === undefined) return custom;
  const minute = number(m, 0, 59);
  if (minute === undefined) return custom;
  if (h === '*' && day === '*' && weekdays === '*') return { kind: 'hourly', minute };
  const hour = number(h, 0, 23);
  if (hour === undefined) return custom;
  const time: ClockTime = `${two(hour)}:${two(minute)}`;
  if (day === '*' && weekdays === '*') return { kind: 'daily', time };
  if (day === '*') {
    const days = daysOf(weekdays);
    return days ? { kind: 'weekly', days, time } : custom;
  }
  const monthDay = number(day, 1, 31);
  return monthDay !== undefined && weekdays === '*' ? { kind: 'monthly', day: monthDay, time } : custom;
}

/** `1-5` for days in a row, else a list. */
function cronDays(days: readonly Weekday[]): string {
  const sorted = days.toSorted((a, b) => a - b);
  const [first = 1] = sorted;
  const inARow = sorted.length > 2 && sorted.every((day, index) => day === first + index);
  return inARow ? `${String(first)}-${String(first + sorted.length - 1)}` : sorted.join(',');
}

/** The settings for a schedule: one of the two is set, the other one is absent. */
export function configOf(schedule: Schedule): { cron: string; every?: undefined } | { cron?: undefined; every: number } {
  if (schedule.kind === 'interval') return { every: schedule.every };
  if (schedule.kind === 'custom') return { cron: schedule.cron };
  if (schedule.kind === 'hourly') return { cron: `${String(schedule.minute)} * * * *` };
  const [hour = '0', minute = '0'] = schedule.time.split(':');
  const at = `${String(Number(minute))} ${String(Number(hour))}`;
  switch (schedule.kind) {
    case 'daily': return { cron: `${at} * * *` };
    case 'weekly': return { cron: `${at} * * ${cronDays(schedule.days)}` };
    case 'monthly': return { cron: `${at} ${String(schedule.day)} * *` };
  }
}

/** The same moment of the day in another kind of schedule, so that changing the kind keeps what was typed. */
export function ofKind(kind: ScheduleKind, from: Schedule): Schedule {
  const time: ClockTime = 'time' in from ? from.time : '08:00';
  switch (kind) {
    case 'interval': return { kind, every: 15 * 60_000 };
    case 'hourly': return { kind, minute: Number(time.split(':')[1]) };
    case 'daily': return { kind, time };
    case 'weekly': return { kind, days: WORKDAYS, time };
    case 'monthly': return { kind, day: 1, time };
    case 'custom': return { kind, cron: configOf(from).cron ?? '0 8 * * *' };
  }
}

const dayName = (day: Weekday): string => t(`schedule.day.${day}`);
const sameDays = (a: readonly Weekday[], b: readonly Weekday[]) => a.length === b.length && b.every((day) => a.includes(day));

/** "Every weekday at 08:00". */
export function scheduleText(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'interval': return t('schedule.says.interval', { time: intervalText(schedule.every) });
    case 'hourly': return t('schedule.says.hourly', { minute: two(schedule.minute) });
    case 'daily': return t('schedule.says.daily', { time: schedule.time });
    case 'weekly': return sameDays(schedule.days, WORKDAYS)
      ? t('schedule.says.weekdays', { time: schedule.time })
      : t('schedule.says.weekly', { days: WEEK.filter((day) => schedule.days.includes(day)).map(dayName).join(', '), time: schedule.time });
    case 'monthly': return t('schedule.says.monthly', { day: String(schedule.day), time: schedule.time });
    case 'custom': return t('schedule.says.custom', { cron: schedule.cron });
  }
}

const UNITS = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000]] as const;

/** The largest unit that gives a whole number: 15 min, not 900 s. */
export function intervalParts(every: number): { n: number; unit: (typeof UNITS)[number][0] } {
  for (const [unit, ms] of UNITS) if (every >= ms && every % ms === 0) return { n: every / ms, unit };
  return { n: Math.max(1, Math.round(every / 1000)), unit: 's' };
}
export const intervalMs = (n: number, unit: string): number => n * (UNITS.find(([name]) => name === unit)?.[1] ?? 1000);
function intervalText(every: number): string {
  const { n, unit } = intervalParts(every);
  return t(`schedule.unit.${unit}.${n === 1 ? 'one' : 'other'}`, { n });
}
