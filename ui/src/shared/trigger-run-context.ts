/** The settings of a trigger step start a run of the draft with an event; the screen that shows runs does it. */
import { createContext, useContext } from 'react';
import type { JsonMap } from '../api/types.ts';

/** Without an event the trigger makes up a sample. */
export type RunWithEvent = (nodeId: string, event: JsonMap | null) => void;

/** Null where no run can be started now. */
export const TriggerRunContext = createContext<RunWithEvent | null>(null);
export const useRunWithEvent = (): RunWithEvent | null => useContext(TriggerRunContext);
