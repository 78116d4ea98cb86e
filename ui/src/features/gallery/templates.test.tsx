import { fireEvent, render, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Template } from '../../api/types.ts';
import { sample } from '../../test/fixtures.ts';
import { findTemplates } from './template-search.ts';
import { Templates } from './templates.tsx';

const template = (id: string, title: string, category: string, words: string[]): Template => {
  const { document } = sample(id, title);
  return { id, title, description: `${title} in one sentence.`, category, words, needs: [{ kind: 'address', text: 'The address of it' }], steps: 3, document, sample: document };
};
const ALL = [
  template('report', 'Daily report', 'reports', ['figures', '日报']), template('invoice', 'Invoice intake', 'finance', ['bill', '发票', '审批']),
  template('expense', 'Expenses', 'finance', ['reimbursement', '报销审批']),
];
const ids = (query: string, category: 'finance' | '' = '') => findTemplates(ALL, query, category).map((one) => one.id);

it('templates are found by words of the job, in both languages', () => {
  expect(ids('')).toEqual(['report', 'invoice', 'expense']);
  expect(ids('bill')).toEqual(['invoice']);
  expect(ids('daily figures')).toEqual(['report']);
  expect(ids('审批')).toEqual(['invoice', 'expense']);
  expect(ids('日报')).toEqual(['report']);
  expect(ids('', 'finance')).toEqual(['invoice', 'expense']);
  expect(ids('figures', 'finance')).toEqual([]);
  expect(ids('daily bill')).toEqual([]);
});

it('a template is looked at, tried and used; who may not do so has no button for it', () => {
  const [onUse, onTry] = [vi.fn(), vi.fn()];
  const templates = { data: ALL, error: null, retry: () => undefined };
  const { rerender } = render(<Templates templates={templates} makes runs busy={null} onUse={onUse} onTry={onTry} />);
  const list = screen.getByRole('listbox', { name: 'Templates' });
  fireEvent.click(within(list).getByRole('option', { name: /Invoice intake/ }));
  const one = screen.getByRole('region', { name: 'Invoice intake' });
  expect(one.textContent).toContain('The address of it');
  fireEvent.click(within(one).getByRole('button', { name: 'Use this template' }));
  fireEvent.click(within(one).getByRole('button', { name: 'Try with sample data' }));
  expect([onUse, onTry].map((done) => (done.mock.calls[0]?.[0] as Template | undefined)?.id)).toEqual(['invoice', 'invoice']);
  fireEvent.keyDown(within(list).getByRole('option', { name: /Invoice intake/ }), { key: 'ArrowDown' });
  expect(screen.getByRole('region', { name: 'Expenses' })).toBeTruthy();
  fireEvent.change(screen.getByRole('textbox', { name: 'Search templates' }), { target: { value: 'zzz' } });
  expect(screen.getByText('No template fits')).toBeTruthy();
  rerender(<Templates templates={templates} makes={false} runs={false} busy={null} onUse={onUse} onTry={onTry} />);
  expect(screen.queryByRole('button', { name: 'Use this template' })).toBeNull();
});
