/** What a click means where something can be added: on a port, on an input, on the plus of a wire. */

import { edgeOfKey } from '../editor.ts';
import { COLUMN, CARD_W } from '../model/ports.ts';
import type { Flow } from './flow-nodes.ts';
import type { SearchAt } from './ui.ts';

type Spot = Pick<SearchAt, 'at' | 'from' | 'into' | 'edge'>;

export function addSpot(target: Element, flow: Pick<Flow, 'nodes'>): Spot | null {
  const from = target.closest<HTMLElement>('[data-port]')?.dataset['port'];
  if (from !== undefined) return { at: null, from };
  const into = target.closest<HTMLElement>('[data-input]')?.dataset['input'];
  if (into !== undefined) {
    const card = flow.nodes.find((node) => node.id === into);
    // Its right edge stands one gap left of the input.
    return { at: card ? [card.position.x - (COLUMN - CARD_W), card.position.y + card.data.shape.inputY] : null, into };
  }
  const wire = target.closest<SVGElement>('[data-plus]')?.dataset['plus'];
  return wire === undefined ? null : { at: null, edge: edgeOfKey(wire) };
}
