import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderWith } from '../../test/render.tsx';
import { FormScopeProvider } from '../../schema-form/index.ts';
import { HoursEditor } from './hours-editor.tsx';
import { hoursOf, listOf, withDay } from './hours-model.ts';

const BERLIN = { timezone: 'Europe/Berlin', hours: { mon: ['09:00-12:00', '13:00-17:00'], fri: ['09:00-12:00'] }, holidays: ['2026-12-25'] };

describe('the calendar of a workflow', () => {
  function editor(value: unknown, more: { readOnly?: boolean; diagnostics?: { path: string; message: string }[] } = {}) {
    const onChange = vi.fn();
    const diagnostics = (more.diagnostics ?? []).map((one) => ({ severity: 'error' as const, code: 'BAD_CONFIG' as const, hint: '', ...one }));
    renderWith(
      <FormScopeProvider value={{ base: '', diagnostics, host: null, readOnly: more.readOnly ?? false, edit: vi.fn() }}>
        <HoursEditor value={value} diagnostics={diagnostics} readOnly={more.readOnly ?? false} onChange={onChange} />
      </FormScopeProvider>,
      {},
    );
    return onChange;
  }

  it('begins with a usual week and goes whole', async () => {
    const begun = editor(undefined);
    await userEvent.click(screen.getByRole('switch', { name: 'Business hours' }));
    expect(begun.mock.calls[0]?.[0]).toMatchObject({ hours: { mon: ['09:00-17:00'], fri: ['09:00-17:00'] } });
  });

  it('changes one day, and keeps what was typed when it is done', async () => {
    const onChange = editor(BERLIN);
    const monday = screen.getByRole('textbox', { name: 'Monday, hours' });
    await userEvent.clear(monday);
    await userEvent.type(monday, '08:00 – 12:00;13:00-16:00');
    expect(onChange).not.toHaveBeenCalled();
    await userEvent.tab();
    expect(onChange).toHaveBeenLastCalledWith({ ...BERLIN, hours: { mon: ['08:00-12:00', '13:00-16:00'], fri: ['09:00-12:00'] } });
    await userEvent.click(screen.getByRole('checkbox', { name: 'Friday' }));
    expect(onChange).toHaveBeenLastCalledWith({ ...BERLIN, hours: { mon: BERLIN.hours.mon } });
    await userEvent.click(screen.getByRole('checkbox', { name: 'Tuesday' }));
    expect(JSON.stringify(onChange.mock.lastCall)).toMatch(/"hours":\{"mon".*"tue".*"fri"/);
  });

  it('forgets holidays that are removed, and says what is wrong where it is', async () => {
    const onChange = editor(BERLIN, { diagnostics: [{ path: '/settings/businessHours/hours/mon/1', message: 'The time range overlaps the previous one' }] });
    expect(screen.getByText(/The time range overlaps/)).toBeTruthy();
    const holidays = screen.getByLabelText('Holidays');
    await userEvent.clear(holidays);
    await userEvent.tab();
    const { holidays: _, ...rest } = BERLIN;
    expect(onChange).toHaveBeenLastCalledWith(rest);
  });

  it('shows what it does not know as JSON', () => {
    editor({ ...BERLIN, more: 1 });
    expect(screen.getByText(/parts that the form cannot show/)).toBeTruthy();
    expect(screen.queryByRole('checkbox', { name: 'Monday' })).toBeNull();
  });

  it('reads and writes its parts', () => {
    expect(listOf(' 09:00 - 12:00 , ,2026-12-25')).toEqual(['09:00-12:00', '2026-12-25']);
    expect(hoursOf({ timezone: 'UTC', hours: { mon: '09:00' } })).toBeNull();
    expect(withDay({ timezone: 'UTC', hours: { fri: ['a'] } }, 'mon', ['b']).hours).toEqual({ mon: ['b'], fri: ['a'] });
  });
});
