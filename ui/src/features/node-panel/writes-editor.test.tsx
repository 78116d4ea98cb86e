import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { renderWith } from '../../test/render.tsx';
import type { PanelEdit } from './types.ts';
import { WritesEditor } from './writes-editor.tsx';

function editor(writes: string[], schema: unknown) {
  const edits: PanelEdit[] = [];
  renderWith(<><WritesEditor nodeId="find" node={{ type: 'agent.task', writes } as never} schema={schema} diagnostics={[]} readOnly={false}
    onEdit={(given) => { edits.push(...(Array.isArray(given) ? given : [given as PanelEdit])); }} /><button type="button">elsewhere</button></>);
  return edits;
}
const name = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Name of a variable' });

describe('variables that a step writes', () => {
  it('a name that was typed is taken when the person goes elsewhere, and declared once', async () => {
    const edits = editor(['city'], { type: 'object', properties: { city: { type: 'string' } } });
    await userEvent.type(name(), ' $place');
    await userEvent.click(screen.getByRole('button', { name: 'elsewhere' }));
    expect(edits).toEqual([
      { type: 'setNode', id: 'find', path: ['writes'], value: ['city', 'place'] },
      { type: 'set', path: ['context', 'schema'], value: { type: 'object', properties: { city: { type: 'string' }, place: { type: 'string' } } } },
    ]);
    expect(name().value).toBe('');
  });

  it('nothing is added for no name, nor for one that is there', async () => {
    const edits = editor(['city'], {});
    await userEvent.click(name());
    await userEvent.tab();
    await userEvent.type(name(), 'city');
    await userEvent.tab();
    expect(edits).toEqual([]);
  });

  it('one that the workflow does not declare is told from one with a schema of its own', async () => {
    editor(['gone', 'shape'], { type: 'object', properties: { shape: { oneOf: [] } } });
    expect(screen.getByRole('combobox', { name: /gone/ }).textContent).toContain('Not declared');
    expect(screen.getByRole('combobox', { name: /shape/ }).textContent).toContain('Custom schema');
  });

  it('a press elsewhere takes the name at once, and its row comes when the press is over: nothing moves away under it', async () => {
    function Host() {
      const [writes, setWrites] = useState<string[]>([]);
      return <WritesEditor nodeId="find" node={{ type: 'agent.task', writes } as never} schema={undefined} diagnostics={[]} readOnly={false}
        onEdit={(given) => { for (const edit of [given].flat() as PanelEdit[]) if (edit.type === 'setNode') setWrites(edit.value as string[]); }} />;
    }
    renderWith(<><Host /><button type="button">below</button></>);
    await userEvent.type(name(), 'place');
    const below = screen.getByRole('button', { name: 'below' });
    fireEvent.pointerDown(below);
    fireEvent.blur(name());
    expect(name().value).toBe('');
    expect(screen.queryByText('place', { selector: 'code' })).toBeNull();
    fireEvent.pointerUp(below);
    expect(await screen.findByText('place', { selector: 'code' })).toBeTruthy();
  });
});
