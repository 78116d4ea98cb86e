/** The steps of the tour: a screen each, and what is said there. */
import { create } from 'zustand';
import type { Route } from '../router.ts';

export const TOUR = [
  { route: { screen: 'workflows' }, name: 'workflows' },
  { route: { screen: 'runs' }, name: 'runs' },
  { route: { screen: 'inbox' }, name: 'inbox' },
  { route: { screen: 'automations' }, name: 'automations' },
  { route: { screen: 'audit' }, name: 'audit' },
  { route: { screen: 'help' }, name: 'help' },
] as const satisfies readonly { route: Route; name: string }[];

/** The step that is shown, or none. */
export const useTour = create<{ step: number | undefined }>(() => ({ step: undefined }));

export const startTour = (): void => useTour.setState({ step: 0 });
export const endTour = (): void => useTour.setState({ step: undefined });
