import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import { titleOpen, usePageName } from './page-title.ts';

it('the title of the page names what is looked at, with the number of tasks in front', () => {
  const shown = renderHook(({ name }: { name: string | undefined }) => usePageName(name), { initialProps: { name: 'Pay \u202esuppliers' as string | undefined } });
  expect(document.title).toBe('Pay [U+202E]suppliers · Signalbox');
  titleOpen(1200);
  expect(document.title).toBe('(1,200) Pay [U+202E]suppliers · Signalbox');
  // What is to be said by another part, and is not known yet, does not go by the name of what was there before.
  shown.rerender({ name: undefined });
  expect(document.title).toBe('(1,200) Signalbox');
  shown.rerender({ name: 'Runs' });
  expect(document.title).toBe('(1,200) Runs · Signalbox');
  titleOpen(0);
  expect(document.title).toBe('Runs · Signalbox');
});
