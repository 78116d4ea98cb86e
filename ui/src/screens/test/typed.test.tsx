import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
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
  takeTyped();
  expect(taken).toEqual(['place']);
  expect(document.activeElement).toBe(name);
  // Fields elsewhere are their own.
  screen.getByLabelText('Other').focus();
  takeTyped();
  expect(taken).toEqual(['place', 'place']);
});
