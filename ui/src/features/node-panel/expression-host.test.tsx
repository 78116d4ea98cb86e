import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { renderWith } from '../../test/render.tsx';
import { useExpressionHost } from './expression-host.ts';

const LOOP: Workflow = { signalbox: 1, id: 'w', name: 'w', nodes: { each: { type: 'flow.loop' } }, edges: [] };

function Names() {
  const host = useExpressionHost(LOOP, 'each', 'R', undefined, 1);
  return <><button type="button" onClick={() => void host.names()}>all</button><button type="button" onClick={() => void host.names(true)}>one</button></>;
}

it('what a loop asks about an iteration has names of its own', async () => {
  const asked: unknown[] = [];
  renderWith(<Names />, {
    expression_names: ({ inside }) => {
      asked.push(inside);
      return [];
    },
  });
  for (const name of ['all', 'one', 'all', 'one']) fireEvent.click(screen.getByRole('button', { name }));
  await waitFor(() => expect(asked).toEqual([undefined, true]));
});
