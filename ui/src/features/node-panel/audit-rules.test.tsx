import { act, cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Diagnostic } from '../../api/types.ts';
import { FormScopeProvider, type Path } from '../../schema-form/index.ts';
import { applyEdit } from '../../schema-form/model.ts';
import { renderWith, typeCode } from '../../test/render.tsx';
import { AuditRules } from './audit-rules.tsx';

afterEach(cleanup);
const edits: { path: Path; value: unknown }[] = [];
let written: unknown;
beforeEach(() => { edits.length = 0; });
function Place({ start, diagnostics = [], readOnly = false }: { start?: unknown; diagnostics?: Diagnostic[]; readOnly?: boolean }) {
  const [file, setFile] = useState<unknown>({ settings: start === undefined ? {} : { auditRules: start } });
  const edit = (path: Path, value: unknown) => {
    const next = applyEdit(file, path, value) as { settings: { auditRules?: unknown } };
    edits.push({ path, value });
    written = next.settings.auditRules;
    setFile(next);
  };
  return <FormScopeProvider value={{ base: '', diagnostics, host: null, readOnly, edit }}><AuditRules value={(file as { settings: { auditRules?: unknown } }).settings.auditRules} /></FormScopeProvider>;
}

it('offers what people ask for most, and writes it (A-33, A-34, A-35)', async () => {
  for (const [name, rule] of [
    ['A model or tool failed finally: critical', { when: "err.type in ['LLMError', 'ToolError'] && err.retryable == false", level: 'CRITICAL' }],
    ['A person decided: at least a warning', { when: "event == 'HITL_COMPLETED'", level: 'WARN' }],
    ['A repair changed the input: escalate', { when: 'autoFix.delta > 0', escalate: true }],
  ] as const) {
    renderWith(<Place />);
    await userEvent.click(screen.getByRole('button', { name }));
    expect(written).toEqual([rule]);
    cleanup();
  }
});

it('changes level and escalation, writes nothing that is empty, and keeps what it does not know', async () => {
  renderWith(<Place start={[{ when: 'true', level: 'WARN', note: 'mine' }]} />);
  const row = within(screen.getByRole('listitem', { name: 'Rule 1' }));
  await userEvent.click(row.getByRole('checkbox', { name: 'Escalate 1' }));
  expect(written).toEqual([{ when: 'true', level: 'WARN', escalate: true, note: 'mine' }]);
  await userEvent.click(row.getByRole('combobox', { name: 'Minimum level 1' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Unchanged' }));
  expect(written).toEqual([{ when: 'true', escalate: true, note: 'mine' }]);
  await userEvent.click(screen.getByRole('button', { name: 'Add: Audit rules' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  for (const _ of [1, 2]) await userEvent.click(screen.getByRole('button', { name: 'Remove row 1' }));
  expect(written).toBeUndefined();
});

it('writes a field by its place: typing and taking away are two steps, and what nobody touched stays as it is', async () => {
  const theirs = [7, { when: 'true', escalate: false, level: 3 }];
  renderWith(<Place start={[...theirs, { when: 'event', level: 'WARN' }, { when: 'x' }]} />);
  act(() => typeCode(screen.getByLabelText('When 3'), ' != 1'));
  await userEvent.click(screen.getByRole('button', { name: 'Remove row 4' }));
  expect(edits).toEqual([
    { path: ['settings', 'auditRules', 2, 'when'], value: 'event != 1' },
    { path: ['settings', 'auditRules'], value: [...theirs, { when: 'event != 1', level: 'WARN' }] },
  ]);
});

it('says to readers what the rules do', () => {
  renderWith(<Place />);
  const group = screen.getByRole('group', { name: 'Audit rules' });
  expect(document.getElementById(group.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(/^Checked for each entry/);
});

it('says what the validator says at its rule, and who only looks changes nothing', () => {
  const said: Diagnostic = { code: 'UNKNOWN_NAME', severity: 'warning', path: '/settings/auditRules/0/when', message: "`event` is never 'HITL_DONE', so the comparison is never true", hint: "Did you mean 'HITL_CREATED'?" };
  renderWith(<Place start={[{ when: "event == 'HITL_DONE'", level: 'WARN' }]} diagnostics={[said]} readOnly />);
  expect(screen.getByRole('listitem', { name: 'Rule 1' }).textContent).toContain("Did you mean 'HITL_CREATED'?");
  expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull();
  expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
});
