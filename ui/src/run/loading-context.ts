// What of the run on the screen is not loaded, for the parts of the screen that say so; null: all of it is.

import { createContext } from 'react';
import type { Loading } from './follow-run.ts';

export const LoadingContext = createContext<Loading | null>(null);
