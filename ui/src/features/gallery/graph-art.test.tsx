import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Workflow } from '../../api/types.ts';
import { GraphArt } from './graph-art.tsx';
import { miniGraph, SMALL } from './mini-graph.ts';

it('shows wires whole that go on in the next row', () => {
  const names = Array.from({ length: 14 }, (_, n) => `n${String(n)}`);
  const at = Object.fromEntries(names.map((name, n) => [name, [(n % 7) * 240, Math.floor(n / 7) * 160]]));
  const workflow = {
    signalbox: 1, id: 'long', name: 'Long', nodes: Object.fromEntries(names.map((name) => [name, { type: 'flow.noop' }])),
    edges: names.slice(1).map((to, n) => ({ from: `n${String(n)}.success`, to })), layout: at,
  } as unknown as Workflow;
  render(<GraphArt workflow={workflow} width={264} height={80} label="Long" />);
  const box = Number(screen.getByRole('img').getAttribute('viewBox')?.split(' ')[2]);
  const { width, wires } = miniGraph(workflow, SMALL);
  expect(wires.some(({ d }) => d.includes('l-5'))).toBe(true);
  // Half a gap on each side, and half the thickness of the line.
  expect(box).toBeGreaterThanOrEqual(width + SMALL.gapX + 2);
});
