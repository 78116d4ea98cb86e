// Keys of looking into a run, once for the screens, the palette, the sheet of shortcuts and Settings.

import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';

export interface DebugHooks {
  pause(): void;
  canPause(): boolean;
  onward(): void;
  step(): void;
  isStopped(): boolean;
  /** Starts a run that stops before its first step; absent where none can be started. */
  stepStart?: (() => void) | undefined;
  canStart(): boolean;
  toggle(): void;
  canToggle(): boolean;
  /** What would be toggled is set. */
  isSet(): boolean;
  edit(): void;
}

const never = () => false;
const nothing = () => undefined;
/** For lists of shortcuts: the same actions, none of them possible. */
export const NO_DEBUG: DebugHooks = { pause: nothing, canPause: never, onward: nothing, step: nothing, isStopped: never, canStart: never, toggle: nothing, canToggle: never, isSet: never, edit: nothing };

export function debugActions(hooks: DebugHooks): Action[] {
  const group = t('debug.group');
  return [
    { id: 'debug.pause', title: t('debug.pause'), keys: ['F6'], group, icon: 'pause', when: hooks.canPause, run: hooks.pause, inFields: true },
    { id: 'debug.continue', title: t('debug.continue'), keys: ['F8'], group, icon: 'play', when: hooks.isStopped, run: hooks.onward, inFields: true },
    {
      id: 'debug.step', title: t('debug.step'), keys: ['F10'], group, icon: 'step', inFields: true,
      when: () => hooks.isStopped() || (hooks.stepStart !== undefined && hooks.canStart()),
      run: () => (hooks.isStopped() ? hooks.step() : hooks.stepStart?.()),
    },
    { id: 'debug.breakpoint', title: t('debug.toggle'), keys: ['F9'], group, icon: 'brk', titleNow: () => t(hooks.isSet() ? 'debug.unset' : 'debug.set'), when: hooks.canToggle, run: hooks.toggle, inFields: true },
    { id: 'debug.edit', title: t('debug.edit'), keys: [], group, icon: 'pencil', when: hooks.isStopped, run: hooks.edit },
  ];
}
