/** What is typed in the step panel when a key saves: taken, and the keys go on from there. */
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useMemo, useRef, useState } from 'react';
import { expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { PanelHeader } from '../../features/node-panel/panel-header.tsx';
import type { PanelEdit } from '../../features/node-panel/types.ts';
import { listenForKeys, useActions } from '../../kit/index.ts';
import { applyEdit } from '../../schema-form/model.ts';
import { FIRST } from '../../test/walkthrough.ts';
import { takeTyped } from '../builder/typed.ts';

function Name({ taken }: { taken: string[] }) {
  const [text, setText] = useState('');
  return <input aria-label="Name" value={text} onChange={(event) => setText(event.target.value)} onBlur={() => { taken.push(text); }} />;
}

it('a name in the panel is taken before a key saves or starts, and its field keeps the keys', () => {
  const taken: string[] = [];
  render(<><div data-scope="panel"><Name taken={taken} /></div><input aria-label="Other" onBlur={() => { taken.push('other'); }} /></>);
  const name = screen.getByLabelText('Name');
  name.focus();
  fireEvent.change(name, { target: { value: 'place' } });
  act(() => takeTyped());
  expect(taken).toEqual(['place']);
  expect(document.activeElement).toBe(name);
  // Fields elsewhere are their own.
  screen.getByLabelText('Other').focus();
  takeTyped();
  expect(taken).toEqual(['place', 'place']);
});

/** The head of the real panel over a document, and a key that keeps the title that the document has then. */
function Panel({ saved }: { saved: (string | undefined)[] }) {
  const [document, setDocument] = useState<Workflow>(FIRST);
  const latest = useRef(document);
  const onEdit = (given: PanelEdit | readonly PanelEdit[]) => {
    for (const edit of [given].flat() as PanelEdit[]) {
      if (edit.type === 'setNode') latest.current = { ...latest.current, nodes: { ...latest.current.nodes, fetch: applyEdit(latest.current.nodes['fetch'], edit.path, edit.value) as Workflow['nodes'][string] } };
    }
    setDocument(latest.current);
  };
  useActions(useMemo(() => {
    const run = () => { takeTyped(); saved.push(latest.current.nodes['fetch']?.title); };
    return ['Mod+S', 'F5'].map((key) => ({ id: `test.${key}`, title: key, keys: [key], inFields: true, run }));
  }, [saved]));
  useEffect(() => listenForKeys(), []);
  const node = document.nodes['fetch'];
  return node ? <div data-scope="panel"><PanelHeader document={document} selected={['fetch']} catalog={[]} diagnostics={[]} run={null} nodeId="fetch" node={node} descriptor={undefined} onEdit={onEdit} /></div> : null;
}

it('a step that is being renamed is saved under its new name: the keys reach the program, and are with the panel afterwards', async () => {
  const saved: (string | undefined)[] = [];
  render(<Panel saved={saved} />);
  for (const [name, keys] of [['Fetch Ada', '{Control>}s{/Control}'], ['Fetch Bob', '{F5}']] as const) {
    await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
    const box = screen.getByLabelText('Title of the step');
    await userEvent.clear(box);
    await userEvent.type(box, name);
    await userEvent.keyboard(keys);
    await waitFor(() => expect(saved.at(-1)).toBe(name));
    expect(screen.queryByLabelText('Title of the step')).toBeNull();
    expect(document.activeElement?.closest('[data-scope=panel]')).not.toBeNull();
  }
  expect(saved).toEqual(['Fetch Ada', 'Fetch Bob']);
});
