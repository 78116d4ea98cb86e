import { expect, it } from 'vitest';
import { configOf, intervalParts, ofKind, scheduleOf, scheduleText, type Schedule } from './schedule-model.ts';

it('reads what a person says, and writes the same settings again', () => {
  const cases: [Schedule, { cron?: string; every?: number }, string][] = [
    [{ kind: 'interval', every: 900_000 }, { every: 900_000 }, 'Every 15 minutes'],
    [{ kind: 'interval', every: 3_600_000 }, { every: 3_600_000 }, 'Every hour'],
    [{ kind: 'hourly', minute: 5 }, { cron: '5 * * * *' }, 'Every hour at :05'],
    [{ kind: 'daily', time: '08:00' }, { cron: '0 8 * * *' }, 'Every day at 08:00'],
    [{ kind: 'weekly', days: [1, 2, 3, 4, 5], time: '08:30' }, { cron: '30 8 * * 1-5' }, 'Every weekday at 08:30'],
    [{ kind: 'weekly', days: [1, 3, 0], time: '23:59' }, { cron: '59 23 * * 0,1,3' }, 'Mon, Wed, Sun at 23:59'],
    [{ kind: 'monthly', day: 31, time: '00:00' }, { cron: '0 0 31 * *' }, 'On day 31 of every month at 00:00'],
    [{ kind: 'custom', cron: '*/7 8-17 * * 1#2' }, { cron: '*/7 8-17 * * 1#2' }, 'Cron */7 8-17 * * 1#2'],
  ];
  for (const [schedule, config, text] of cases) {
    expect(JSON.parse(JSON.stringify(configOf(schedule)))).toEqual(config);
    expect(scheduleOf(config)).toEqual(schedule);
    expect(scheduleText(schedule)).toBe(text);
  }
});

it('keeps an expression that the fields cannot show', () => {
  for (const cron of ['0 8 * * MON', '0 8 1 * 1', '0 8 * 2 *', '60 8 * * *', '0 8 * *', '@daily', '0 0 8 * * *', '0 8 * * 5-1', '', '0,30 8 * * *']) {
    expect(scheduleOf({ cron })).toEqual({ kind: 'custom', cron });
  }
  expect(scheduleOf({ cron: ' 0  8 * * 7 ' })).toEqual({ kind: 'weekly', days: [0], time: '08:00' });
});

it('keeps the time of day when the kind changes', () => {
  const weekly = ofKind('weekly', { kind: 'daily', time: '17:45' });
  expect(configOf(weekly)).toEqual({ cron: '45 17 * * 1-5' });
  expect(configOf(ofKind('custom', weekly))).toEqual({ cron: '45 17 * * 1-5' });
  expect(intervalParts(90_000)).toEqual({ n: 90, unit: 's' });
});
