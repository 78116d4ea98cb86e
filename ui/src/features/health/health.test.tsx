import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../api/error.ts';
import type { HealthNumbers, WorkflowHealth } from '../../api/types.ts';
import { renderOnce, renderWith } from '../../test/render.tsx';
import { freshAlerts } from './alert-attention.ts';
import { AlertsDialog } from './alerts-dialog.tsx';
import { DayChart, roundTop } from './charts.tsx';
import { HealthDetail, HealthTable } from './health-view.tsx';

const NUMBERS: HealthNumbers = { runs: 20, completed: 15, failed: 5, cancelled: 1, errorRate: 0.25, p50Ms: 1200, p95Ms: 4000, costMicros: 2_500_000, openTasks: 2, oldestTaskMs: 7_200_000, proofScore: 90 };
const day = (date: string, completed: number, failed: number) => ({ day: date, completed, failed, cancelled: 0, ...(completed + failed > 0 ? { p50Ms: 1200, p95Ms: 4000 } : {}), costMicros: 100 });
const HEALTH: WorkflowHealth = {
  workflowId: 'w', workflowName: 'Orders', numbers: NUMBERS, days: [day('2026-01-04', 0, 0), day('2026-01-05', 15, 5)], alerts: [],
  errors: [{ stepId: 'pay', code: 'AUTH', errors: 9, failed: 5 }, { stepId: '', code: 'X', errors: 1, failed: 1 }],
};

it('lists workflows with their numbers', async () => {
  const onOpen = vi.fn();
  renderWith(<HealthTable onOpen={onOpen} entries={[{ workflowId: 'w', workflowName: 'Orders \u202eX', numbers: NUMBERS, alerts: ['Failures'] }, { workflowId: 'v', workflowName: 'New', numbers: { ...NUMBERS, runs: 0, completed: 0, failed: 0, costMicros: 0, openTasks: 0, proofScore: undefined } as never, alerts: [] }]} />);
  const [, first, second] = screen.getAllByRole('row');
  expect(first?.textContent).toContain('Orders U+202EX');
  expect(within(first as HTMLElement).getAllByRole('cell').slice(1).map((cell) => cell.textContent)).toEqual(['20', '75 %', '1.20 s', '4.00 s', '2.50', '2', '2 h 0 min', '90 %']);
  expect(within(second as HTMLElement).getAllByRole('cell').slice(2).map((cell) => cell.textContent)).toEqual(['–', '–', '–', '–', '0', '–', 'Not proved']);
  await userEvent.click(screen.getByRole('button', { name: /Orders/ }));
  expect(onOpen).toHaveBeenCalledWith('w');
});

it('draws the days, with the same as words and as a table', () => {
  renderWith(<HealthDetail health={HEALTH} titleOf={(step) => `Step ${step}`} onRuns={vi.fn()} />);
  const charts = screen.getAllByRole('img').map((chart) => chart.querySelector('desc')?.textContent);
  expect(charts).toEqual(['15 completed and 5 failed in 2 days.', 'Half of the runs end within 1.20 s, 95 % within 4.00 s.', '2.50 in 2 days.']);
  const errors = screen.getByRole('table', { name: 'Errors by step' });
  expect(errors.textContent).toContain('Step payAUTH95');
  expect(errors.textContent).toContain('Unknown step');
});

it('stacks bars and leaves gaps where nothing ran', () => {
  const { container } = renderWith(<DayChart kind="bars" title="Runs" text="" days={['2026-01-04', '2026-01-05']} label={String} series={[{ name: 'ok', tone: 'ok', values: [0, 3] }, { name: 'err', tone: 'err', values: [0, 1] }]} />);
  expect(container.querySelectorAll('rect')).toHaveLength(2);
  const lines = renderWith(<DayChart kind="lines" title="Took" text="" days={['a', 'b', 'c']} label={String} series={[{ name: 'p50', tone: 'p50', values: [1, undefined, 2] }]} />);
  expect(lines.container.querySelector('path')?.getAttribute('d')?.match(/M/g)).toHaveLength(2);
  expect([roundTop(0), roundTop(7), roundTop(1234), roundTop(10)]).toEqual([1, 10, 2000, 10]);
});

it('sets an alert, and says what is wrong with its condition', async () => {
  let refuse = true;
  const { fake } = renderOnce(<AlertsDialog workflows={[{ id: 'w', name: 'Orders' }]} workflow="w" onClose={vi.fn()} />, {
    health_alerts: (() => ({ alerts: [], raised: [] })) as never,
    health_alert_put: (() => {
      if (refuse) throw new ApiError({ code: 'BAD_EXPRESSION', message: 'The condition cannot be used.', hint: 'Write a condition.' } as never);
      return { alerts: [], raised: [] };
    }) as never,
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Add an alert' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('The condition cannot be used. Write a condition.');
  refuse = false;
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('button', { name: 'Add an alert' });
  expect(fake.calls.findLast((call) => call.command === 'health_alert_put')?.payload).toEqual({ id: '', name: 'Many runs fail', expression: 'errorRate > 0.1 && runs >= 20', days: 7, workflowId: 'w' });
});

it('tells each alert once', () => {
  const one = { alertId: 'a', name: 'A', expression: 'x', workflowId: 'w', workflowName: 'W', since: '1' };
  const known = new Set<string>();
  expect(freshAlerts([one], known)).toEqual([]);
  expect(freshAlerts([one, { ...one, workflowId: 'v' }], known).map((alert) => alert.workflowId)).toEqual(['v']);
  expect(freshAlerts([one], known)).toEqual([]);
});
