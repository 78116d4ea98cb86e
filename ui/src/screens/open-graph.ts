/** The workflow that is open now, for the palette. */
import { create } from 'zustand';
import type { Workflow } from '../api/types.ts';

export interface OpenGraph { document: Workflow; select(nodeId: string): void; titleOf(nodeId: string): string }
const store = create<{ graph: OpenGraph | null }>(() => ({ graph: null }));

export function setOpenGraph(graph: OpenGraph | null): void {
  store.setState({ graph });
}
export function useOpenGraph(): OpenGraph | null {
  return store((state) => state.graph);
}
