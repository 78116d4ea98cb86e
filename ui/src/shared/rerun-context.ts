/** Cards, banners and keys ask for a re-run; the screen that shows the run opens the dialog. */
import { createContext, useContext } from 'react';

/** `step`: its id, in a loop with its iteration (`loop[17]/step`). Null where no re-run can begin. */
export type AskRerun = (step: string, part?: RerunPart) => void;
/** Which values the dialog shows first. */
export type RerunPart = 'variables' | 'input' | 'params';

export const RerunContext = createContext<AskRerun | null>(null);
export const useRerun = (): AskRerun | null => useContext(RerunContext);
