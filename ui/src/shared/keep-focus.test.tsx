import { render } from '@testing-library/react';
import { useRef } from 'react';
import { expect, it } from 'vitest';
import { useKeptFocus } from './keep-focus.ts';

function Part({ names, other = false }: { names: string[]; other?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box, 'section');
  return <div ref={box}><section key={String(other)}>{names.map((name) => <button key={name}>{name}</button>)}</section></div>;
}

const focused = () => document.activeElement?.textContent;

it('what goes away leaves the focus at its place, and at the end with the last', async () => {
  const { rerender, getByText } = render(<Part names={['a', 'b', 'c']} />);
  getByText('b').focus();
  rerender(<Part names={['a', 'c']} />);
  await expect.poll(focused).toBe('c');
  rerender(<Part names={['a']} />);
  await expect.poll(focused).toBe('a');
});

it('nothing is focused when all of the part goes away', async () => {
  const { rerender, getByText } = render(<Part names={['a', 'b']} />);
  getByText('a').focus();
  rerender(<Part names={['a', 'b']} other />);
  await Promise.resolve();
  expect(document.activeElement).toBe(document.body);
});
