import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { task } from '../../test/people.ts';
import { pretendLayout, renderWith } from '../../test/render.tsx';
import { Bulk } from './bulk.tsx';

beforeEach(() => pretendLayout());
const none = () => undefined;

it('tells the rows apart, and says for how many items one stands', () => {
  const alike = { runId: '0193a5c0-0000-7000-8000-000000001aa8', errorMessage: 'Division by zero' };
  const tasks = [task(20, { ...alike, id: 'a', title: 'Row 21', item: 20 }), task(3, { ...alike, id: 'b', title: 'Row 4', item: 3, cases: 30 })];
  renderWith(<Bulk tasks={tasks} correction={null} keysOf={none} onSend={none} onClear={none} handle={none} />);
  const [first, second] = within(screen.getByRole('grid')).getAllByRole('row');
  expect(first?.textContent).toContain('Row 21');
  expect(first?.textContent).toContain('item 21');
  expect(first?.textContent).not.toContain('more');
  expect(second?.textContent).toContain('Row 4');
  expect(second?.textContent).toContain('and 29 more');
  expect(second?.textContent).toContain('Division by zero');
  expect(screen.getByRole('heading', { level: 2 }).textContent).toContain('for 31 items');
});

it('with a correction says of which task the values are', () => {
  const tasks = [task(0, { id: 'a', title: 'Row 21' }), task(1, { id: 'b', title: 'Row 4' })];
  const correction = { patch: [{ op: 'replace' as const, path: '/supplierId', value: 'S-2041' }], source: 'a', schema: {} };
  renderWith(<Bulk tasks={tasks} correction={correction} keysOf={none} onSend={none} onClear={none} handle={none} />);
  const rows = within(screen.getByRole('grid')).getAllByRole('row');
  expect(rows.map((row) => row.querySelector('.ib-bulk-title')?.textContent)).toEqual(['Row 21', 'Row 4']);
});

it('of a pattern that does not fit the operator reads words, not the expression', async () => {
  const one = task(0, { id: 'a' });
  const correction = { patch: [{ op: 'replace' as const, path: '/supplierId', value: 'S-1' }], source: 'a', schema: {} };
  renderWith(<Bulk tasks={[one]} correction={correction} keysOf={none} onSend={none} onClear={none} handle={none} />, {
    task_get: () => one, task_check: () => ({ valid: false, violations: [{ path: '/supplierId', message: 'Must match the pattern ^S-\\d{4}$' }], patch: [] }),
  });
  expect(await screen.findByText('Does not match: S- and four digits')).toBeTruthy();
  expect(document.body.textContent).not.toContain('^S-');
  // The sentence is the engine's: who changes it there changes it in schema.ts.
  expect(readFileSync(join(import.meta.dirname, '../../../../src-tauri/crates/engine/src/schema/words.rs'), 'utf8')).toContain('format!("Must match the pattern {}"');
});

it('says how many are left out because somebody else has them', () => {
  renderWith(<Bulk tasks={[task(0, { id: 'a' })]} theirs={2} correction={null} keysOf={none} onSend={none} onClear={none} handle={none} />);
  expect(screen.getByText('2 more are left out: they are claimed by somebody else')).toBeTruthy();
});

it('says so when somebody else has all that were chosen', () => {
  renderWith(<Bulk tasks={[]} theirs={2} correction={null} keysOf={none} onSend={none} onClear={none} handle={none} />);
  expect(screen.getByText(/^All of these tasks are claimed by others/)).toBeTruthy();
  expect(screen.queryByText(/no common decision/)).toBeNull();
});
