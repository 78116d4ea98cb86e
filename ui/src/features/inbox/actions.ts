// What the inbox can do, once for keys, buttons, palette and the sheet of shortcuts.

import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';
import { ACTION_ICON } from './words.ts';
import type { TaskAction } from './types.ts';

export interface InboxHooks {
  /** A list of tasks is seen. */
  hasList(): boolean;
  move(by: number, extend: boolean): void;
  choose(): void;
  canChoose(): boolean;
  chooseSame(): void;
  clearChoice(): void;
  hasChoice(): boolean;
  enter(): void;
  can(action: TaskAction): boolean;
  act(action: TaskAction): void;
  submit(): void;
  canSubmit(): boolean;
  claim(): void;
  canClaim(): boolean;
  release(): void;
  canRelease(): boolean;
  edit(): void;
  note(): void;
  snooze(): void;
  /** A task is open and the person may decide. */
  canDecide(): boolean;
  search(): void;
  prefix(): void;
  prefixed(): boolean;
  mine(): void;
  undo(): void;
  canUndo(): boolean;
}

const never = () => false;
const nothing = () => undefined;
/** For lists of shortcuts: the same actions, none of them possible. */
export const NO_INBOX: InboxHooks = {
  hasList: never, move: nothing, choose: nothing, canChoose: never, chooseSame: nothing, clearChoice: nothing, hasChoice: never, enter: nothing, can: never, act: nothing, submit: nothing, canSubmit: never, claim: nothing, canClaim: never,
  release: nothing, canRelease: never, edit: nothing, note: nothing, snooze: nothing, canDecide: never, search: nothing, prefix: nothing, prefixed: never, mine: nothing, undo: nothing, canUndo: never,
};

/** Letters belong to a form, an open list or a menu when it has the focus. */
const loud = () => !document.activeElement?.closest('[data-quiet], .layer');

/** The field of the task that letters go into now; Escape brings the keyboard back to the list, and with it the one-letter keys. */
const inFieldOfTask = () => document.activeElement?.matches('.ib-right :is(input, textarea, .cm-content)') ?? false;
const toList = () => document.querySelector<HTMLElement>('.ib-list')?.focus();

export const ACTION_ID: { [A in TaskAction]: string } = {
  retry: 'inbox.retry', approve: 'inbox.retry', submit: 'inbox.submit', correct: 'inbox.submit', skip: 'inbox.skip', alternative: 'inbox.alternative', abort: 'inbox.abort', reject: 'inbox.abort',
};

export function inboxActions(hooks: InboxHooks): Action[] {
  const group = t('inbox.title');
  const either = (a: TaskAction, b: TaskAction): TaskAction => (hooks.can(a) ? a : b);
  const list: Action[] = [
    { id: 'inbox.next', repeats: true, title: t('inbox.do.next'), keys: ['J'], run: () => hooks.move(1, false), when: hooks.hasList, group, hidden: true },
    { id: 'inbox.previous', repeats: true, title: t('inbox.do.previous'), keys: ['K'], run: () => hooks.move(-1, false), when: hooks.hasList, group, hidden: true },
    { id: 'inbox.extendNext', repeats: true, title: t('inbox.do.extendNext'), keys: ['Shift+J'], run: () => hooks.move(1, true), when: hooks.hasList, group, hidden: true },
    { id: 'inbox.extendPrevious', repeats: true, title: t('inbox.do.extendPrevious'), keys: ['Shift+K'], run: () => hooks.move(-1, true), when: hooks.hasList, group, hidden: true },
    { id: 'inbox.select', title: t('inbox.do.select'), keys: ['X'], run: hooks.choose, when: hooks.canChoose, group, icon: 'check' },
    { id: 'inbox.selectSame', title: t('inbox.do.selectSame'), keys: ['Shift+X'], run: hooks.chooseSame, when: hooks.canDecide, group, icon: 'copy' },
    { id: 'inbox.clear', title: t('inbox.bulk.clear'), keys: ['Escape'], run: hooks.clearChoice, when: hooks.hasChoice, group, hidden: true },
    { id: 'inbox.enter', title: t('inbox.do.enter'), keys: ['Enter'], run: hooks.enter, when: hooks.hasList, group, hidden: true, scope: 'inbox-list' },
    { id: 'inbox.claim', title: t('inbox.do.claim'), keys: ['C'], run: hooks.claim, when: hooks.canClaim, group, icon: 'lock' },
    { id: 'inbox.release', title: t('inbox.do.release'), keys: ['U'], run: hooks.release, when: hooks.canRelease, group, icon: 'redo' },
    { id: 'inbox.retry', title: t('inbox.do.retry'), keys: ['A'], run: () => hooks.act(either('approve', 'retry')), when: () => hooks.can('approve') || hooks.can('retry'), group, icon: ACTION_ICON.retry },
    { id: 'inbox.edit', title: t('inbox.do.edit'), keys: ['E'], run: hooks.edit, when: hooks.canDecide, group, icon: 'pencil' },
    { id: 'inbox.skip', title: t('inbox.action.skip'), keys: ['S'], run: () => hooks.act('skip'), when: () => hooks.can('skip'), group, icon: ACTION_ICON.skip },
    { id: 'inbox.alternative', title: t('inbox.do.alternative'), keys: ['P'], run: () => hooks.act('alternative'), when: () => hooks.can('alternative'), group, icon: ACTION_ICON.alternative },
    { id: 'inbox.abort', title: t('inbox.do.abort'), keys: ['D'], run: () => hooks.act(either('reject', 'abort')), when: () => hooks.can('reject') || hooks.can('abort'), group, icon: ACTION_ICON.abort },
    { id: 'inbox.note', title: t('inbox.do.note'), keys: ['N'], run: hooks.note, when: hooks.canDecide, group, icon: 'chat' },
    { id: 'inbox.snooze', title: t('inbox.do.snooze'), keys: ['Z'], run: hooks.snooze, when: hooks.canDecide, group, icon: 'glass' },
    { id: 'inbox.go', title: t('inbox.do.go'), keys: ['G'], run: hooks.prefix, group, hidden: true },
    { id: 'inbox.mine', title: t('inbox.do.mine'), keys: ['M'], run: hooks.mine, when: hooks.prefixed, group, icon: 'person' },
    { id: 'inbox.search', title: t('inbox.do.search'), keys: ['/'], run: hooks.search, group, icon: 'search' },
  ];
  return [
    ...list.map((action) => ({ ...action, when: () => loud() && (action.when?.() ?? true) })),
    { id: 'inbox.submit', title: t('inbox.do.submit'), keys: ['Mod+Enter'], run: hooks.submit, when: hooks.canSubmit, group, icon: 'send', inFields: true },
    { id: 'inbox.leave', title: t('inbox.do.leave'), keys: ['Escape'], run: toList, when: inFieldOfTask, group, hidden: true, inFields: true },
    { id: 'inbox.undo', repeats: true, title: t('inbox.do.undo'), keys: ['Mod+Z'], run: hooks.undo, when: hooks.canUndo, group, icon: 'undo' },
  ];
}
