// Keys of time travel, once for run screen, palette, sheet of shortcuts and Settings.

import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';
import type { TimeTravel } from '../../run/time-travel.ts';

/** `time`: what the screen shows at the time of the key press; null without a run. */
export function timeActions(time: () => TimeTravel | null): Action[] {
  const group = t('time.title');
  const some = () => (time()?.now.lastSeq ?? 0) > 0;
  const past = () => time()?.seq != null;
  return [
    { id: 'time.back', title: t('time.do.back'), keys: ['['], group, icon: 'left', when: some, repeats: true, run: () => time()?.byEvent(-1) },
    { id: 'time.on', title: t('time.do.on'), keys: [']'], group, icon: 'right', when: past, repeats: true, run: () => time()?.byEvent(1) },
    { id: 'time.backCall', title: t('time.do.backCall'), keys: ['{'], group, icon: 'undo', when: some, repeats: true, run: () => time()?.byCall(-1) },
    { id: 'time.onCall', title: t('time.do.onCall'), keys: ['}'], group, icon: 'step', when: past, repeats: true, run: () => time()?.byCall(1) },
    { id: 'time.first', title: t('time.do.first'), keys: ['Alt+['], group, icon: 'left', when: some, run: () => time()?.go(1) },
    { id: 'time.now', title: t('time.do.now'), keys: ['Alt+]'], group, icon: 'right', when: past, run: () => time()?.go(null) },
  ];
}
