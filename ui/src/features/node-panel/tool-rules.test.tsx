import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { FormScopeProvider, type Path } from '../../schema-form/index.ts';
import { applyEdit } from '../../schema-form/model.ts';
import { renderWith, typeCode } from '../../test/render.tsx';
import { ToolRules } from './tool-rules.tsx';

interface Edit { path: Path; value: unknown }

function Host({ start, edits, most }: { start: unknown; edits: Edit[]; most: number | undefined }) {
  const [config, setConfig] = useState<unknown>(start);
  const scope = { base: '/nodes/find/config', diagnostics: [], host: null, readOnly: false, edit: (path: Path, value: unknown) => { edits.push({ path, value }); setConfig(applyEdit(config, path, value)); } };
  return (
    <FormScopeProvider value={scope}>
      <ToolRules label="Tool rules" hint="The first that holds decides." most={most} none="None of its own." value={(config as { toolRules?: unknown }).toolRules} path={['toolRules']} findings={[]} />
    </FormScopeProvider>
  );
}
function show(toolRules: unknown, most?: number) {
  const edits: Edit[] = [];
  renderWith(<Host start={toolRules === undefined ? {} : { toolRules }} edits={edits} most={most} />);
  return edits;
}
const rule = (name: string) => ({ name, when: 'true', action: 'allow' });

describe('rules over tools', () => {
  it('edit a field by its place: typing and taking away are two steps, and what nobody touched stays as it is', async () => {
    const edits = show([7, rule('b'), rule('c')]);
    act(() => typeCode(screen.getByLabelText('When 2'), ' && x'));
    await userEvent.click(screen.getByRole('button', { name: 'Remove row 3' }));
    expect(edits).toEqual([
      { path: ['toolRules', 1, 'when'], value: 'true && x' },
      { path: ['toolRules'], value: [7, { name: 'b', when: 'true && x', action: 'allow' }] },
    ]);
  });

  it('take an empty word away, and a limit that is no number', () => {
    const edits = show([{ ...rule('a'), message: 'm', maxResult: 5 }]);
    fireEvent.change(screen.getByLabelText(/Reason, for the person or the model/), { target: { value: '' } });
    fireEvent.change(screen.getByLabelText(/Maximum result, bytes/), { target: { value: 'x' } });
    expect(edits).toEqual([{ path: ['toolRules', 0, 'message'], value: undefined }, { path: ['toolRules', 0, 'maxResult'], value: undefined }]);
  });

  it('go on to ask when the last one is removed; not to ask is a choice of its own', async () => {
    const edits = show([rule('a')]);
    await userEvent.click(screen.getByRole('button', { name: 'Remove row 1' }));
    expect(edits.at(-1)).toEqual({ path: ['toolRules'], value: [] });
    expect(screen.getByText(/^No rules, approval on/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Do not require approval' }));
    expect(edits.at(-1)).toEqual({ path: ['toolRules'], value: undefined });
    expect(screen.getByText('None of its own.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Require approval' }));
    expect(edits.at(-1)).toEqual({ path: ['toolRules'], value: [] });
  });

  it('say to readers what they do, and take no more than fit', () => {
    show([rule('a'), rule('b')], 2);
    const group = screen.getByRole('group', { name: 'Tool rules' });
    expect(document.getElementById(group.getAttribute('aria-describedby') ?? '')?.textContent).toBe('The first that holds decides.');
    expect(screen.queryByRole('button', { name: 'Add: Tool rules' })).toBeNull();
  });
});
