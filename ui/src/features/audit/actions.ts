// What the audit viewer can do, once for keys, buttons, palette and the sheet of shortcuts.

import { t } from '../../i18n/index.ts';
import type { Action } from '../../kit/index.ts';

export interface AuditHooks { search(): void; move(by: number): void; verify(): void; follow(): void; exportAs(): void; canExport(): boolean; first(): void; newest(): void; goTo(): void }
/** Rows of a page of the keyboard. */
const PAGE_ROWS = 20;
const nothing = () => undefined;
export const NO_AUDIT: AuditHooks = { search: nothing, move: nothing, verify: nothing, follow: nothing, exportAs: nothing, canExport: () => false, first: nothing, newest: nothing, goTo: nothing };

export function auditActions(hooks: AuditHooks): Action[] {
  const group = t('audit.title');
  return [
    { id: 'audit.search', title: t('audit.do.search'), keys: ['/'], run: hooks.search, group, icon: 'search' },
    { id: 'audit.next', repeats: true, title: t('audit.do.next'), keys: ['J'], run: () => hooks.move(1), group, hidden: true },
    { id: 'audit.previous', repeats: true, title: t('audit.do.previous'), keys: ['K'], run: () => hooks.move(-1), group, hidden: true },
    { id: 'audit.pageDown', repeats: true, title: t('audit.do.pageDown'), keys: ['PageDown'], run: () => hooks.move(PAGE_ROWS), group, hidden: true },
    { id: 'audit.pageUp', repeats: true, title: t('audit.do.pageUp'), keys: ['PageUp'], run: () => hooks.move(-PAGE_ROWS), group, hidden: true },
    { id: 'audit.newest', title: t('audit.do.newest'), keys: ['Home'], run: hooks.newest, group, icon: 'up' },
    { id: 'audit.first', title: t('audit.do.first'), keys: ['End'], run: hooks.first, group, icon: 'down' },
    { id: 'audit.goTo', title: t('audit.do.goTo'), keys: ['G'], run: hooks.goTo, group, icon: 'hash' },
    { id: 'audit.verify', title: t('audit.verify'), keys: ['V'], run: hooks.verify, group, icon: 'chain' },
    { id: 'audit.follow', title: t('audit.do.follow'), keys: ['F'], run: hooks.follow, group, icon: 'down' },
    { id: 'audit.export', title: t('audit.exportEvidence'), keys: [], run: hooks.exportAs, when: hooks.canExport, group, icon: 'dl' },
  ];
}
