// How records are said: events, levels, actors, kinds of damage. Pure.

import { engineText, formatNumber, formatPerson, hasEngineWords, t, type MessageKey } from '../../i18n/index.ts';
import type { IconName } from '../../kit/index.ts';
import type { AuditActor, AuditMissingEnd, AuditRow, ExportFormat, Related } from './types.ts';

const EVENTS: { [event: string]: { icon: IconName; color: string; key: MessageKey } } = {
  WORKFLOW_STARTED: { icon: 'play', color: 't2', key: 'audit.event.WORKFLOW_STARTED' },
  WORKFLOW_COMPLETED: { icon: 'okc', color: 'c-ok', key: 'audit.event.WORKFLOW_COMPLETED' },
  WORKFLOW_CREATED: { icon: 'plus', color: 'c-ok', key: 'audit.event.WORKFLOW_CREATED' },
  WORKFLOW_SAVED: { icon: 'pencil', color: 't2', key: 'audit.event.WORKFLOW_SAVED' },
  WORKFLOW_DELETED: { icon: 'x', color: 'c-err', key: 'audit.event.WORKFLOW_DELETED' },
  TOKEN_CREATED: { icon: 'key', color: 'c-wait', key: 'audit.event.TOKEN_CREATED' },
  TOKEN_REVOKED: { icon: 'key', color: 't2', key: 'audit.event.TOKEN_REVOKED' },
  WORKSPACE_CHANGED: { icon: 'folder', color: 'c-wait', key: 'audit.event.WORKSPACE_CHANGED' },
  WORKSPACE_REMOVED: { icon: 'folder', color: 't2', key: 'audit.event.WORKSPACE_REMOVED' },
  WORKSPACE_ASSIGNED: { icon: 'folder', color: 'c-wait', key: 'audit.event.WORKSPACE_ASSIGNED' },
  WORKFLOW_ACTIVATED: { icon: 'play', color: 'c-ok', key: 'audit.event.WORKFLOW_ACTIVATED' },
  WORKFLOW_DEACTIVATED: { icon: 'pause', color: 't2', key: 'audit.event.WORKFLOW_DEACTIVATED' },
  FOLDER_GRANTED: { icon: 'folder', color: 'c-wait', key: 'audit.event.FOLDER_GRANTED' },
  FOLDER_REVOKED: { icon: 'folder', color: 't2', key: 'audit.event.FOLDER_REVOKED' },
  PLAN_PROPOSED: { icon: 'agent', color: 'c-wait', key: 'audit.event.PLAN_PROPOSED' },
  PLAN_ACCEPTED: { icon: 'agent', color: 'c-ok', key: 'audit.event.PLAN_ACCEPTED' },
  TRIGGER_FIRED: { icon: 'clock', color: 'c-run', key: 'audit.event.TRIGGER_FIRED' },
  TRIGGER_SKIPPED: { icon: 'clock', color: 'c-wait', key: 'audit.event.TRIGGER_SKIPPED' },
  NODE_START: { icon: 'play', color: 't2', key: 'audit.event.NODE_START' },
  NODE_SUCCESS: { icon: 'okc', color: 'c-ok', key: 'audit.event.NODE_SUCCESS' },
  NODE_ERROR: { icon: 'errd', color: 'c-err', key: 'audit.event.NODE_ERROR' },
  ERROR_HANDLER_INVOKED: { icon: 'split', color: 'c-err', key: 'audit.event.ERROR_HANDLER_INVOKED' },
  RETRY_SCHEDULED: { icon: 'retry', color: 'c-wait', key: 'audit.event.RETRY_SCHEDULED' },
  AUTO_FIX_ATTEMPT: { icon: 'wrench', color: 't2', key: 'audit.event.AUTO_FIX_ATTEMPT' },
  HITL_CREATED: { icon: 'person', color: 'c-person', key: 'audit.event.HITL_CREATED' },
  HITL_COMPLETED: { icon: 'person', color: 'c-person', key: 'audit.event.HITL_COMPLETED' },
  HITL_VOTED: { icon: 'check', color: 'c-person', key: 'audit.event.HITL_VOTED' },
  DELEGATION_CREATED: { icon: 'swap', color: 'c-person', key: 'audit.event.DELEGATION_CREATED' },
  DELEGATION_ENDED: { icon: 'swap', color: 'c-person', key: 'audit.event.DELEGATION_ENDED' },
  CORRECTION_SUGGESTED: { icon: 'agent', color: 'c-wait', key: 'audit.event.CORRECTION_SUGGESTED' },
  ATTACHMENT_OPENED: { icon: 'dl', color: 'c-wait', key: 'audit.event.ATTACHMENT_OPENED' },
  TASK_CLAIMED: { icon: 'lock', color: 'c-person', key: 'audit.event.TASK_CLAIMED' },
  TASK_RELEASED: { icon: 'redo', color: 'c-person', key: 'audit.event.TASK_RELEASED' },
  TASK_REASSIGNED: { icon: 'swap', color: 'c-person', key: 'audit.event.TASK_REASSIGNED' },
  TASK_COMMENTED: { icon: 'chat', color: 'c-person', key: 'audit.event.TASK_COMMENTED' },
  TASK_SNOOZED: { icon: 'glass', color: 'c-person', key: 'audit.event.TASK_SNOOZED' },
  TASK_HELD: { icon: 'pause', color: 'c-wait', key: 'audit.event.TASK_HELD' },
  TASK_CONTINUED: { icon: 'play', color: 'c-person', key: 'audit.event.TASK_CONTINUED' },
  TASK_REOPENED: { icon: 'redo', color: 'c-person', key: 'audit.event.TASK_REOPENED' },
  REPLAY_STARTED: { icon: 'retry', color: 'c-run', key: 'audit.event.REPLAY_STARTED' },
  REPLAY_CHANGED: { icon: 'retry', color: 'c-run', key: 'audit.event.REPLAY_CHANGED' },
  REPLAY_ENDED: { icon: 'retry', color: 'c-run', key: 'audit.event.REPLAY_ENDED' },
  RUN_SENT_TO_INBOX: { icon: 'inbox', color: 'c-person', key: 'audit.event.RUN_SENT_TO_INBOX' },
  REVEALED: { icon: 'eye', color: 'c-wait', key: 'audit.event.REVEALED' },
  TASK_REMINDED: { icon: 'clock', color: 'c-wait', key: 'audit.event.TASK_REMINDED' },
  ESCALATED: { icon: 'up', color: 'c-wait', key: 'audit.event.ESCALATED' },
  BREAKPOINTS_SET: { icon: 'brk', color: 'c-err', key: 'audit.event.BREAKPOINTS_SET' },
  WORKFLOW_PAUSED: { icon: 'pause', color: 'c-wait', key: 'audit.event.WORKFLOW_PAUSED' },
  WORKFLOW_CONTINUED: { icon: 'play', color: 'c-run', key: 'audit.event.WORKFLOW_CONTINUED' },
  INPUT_EDITED: { icon: 'pencil', color: 'c-wait', key: 'audit.event.INPUT_EDITED' },
  RUN_RERUN: { icon: 'retry', color: 'c-run', key: 'audit.event.RUN_RERUN' },
  RUN_CANCELLED: { icon: 'ban', color: 'c-wait', key: 'audit.event.RUN_CANCELLED' },
  RUN_DELETED: { icon: 'x', color: 'c-err', key: 'audit.event.RUN_DELETED' },
  UNREADABLE: { icon: 'errd', color: 'c-err', key: 'audit.event.UNREADABLE' },
  AUDIT_ANCHORED: { icon: 'lock', color: 'c-sel', key: 'audit.event.AUDIT_ANCHORED' },
  AUDIT_ANCHOR_FAILED: { icon: 'errd', color: 'c-err', key: 'audit.event.AUDIT_ANCHOR_FAILED' },
  AUDIT_ANCHOR_CHANGED: { icon: 'lock', color: 't2', key: 'audit.event.AUDIT_ANCHOR_CHANGED' },
  AUDIT_SINK_CHANGED: { icon: 'copy', color: 't2', key: 'audit.event.AUDIT_SINK_CHANGED' },
  AUDIT_SINK_FAILED: { icon: 'errd', color: 'c-err', key: 'audit.event.AUDIT_SINK_FAILED' },
  AUDIT_EXPORT_FAILED: { icon: 'errd', color: 'c-err', key: 'audit.event.AUDIT_EXPORT_FAILED' },
  AUDIT_EXPORTED: { icon: 'dl', color: 'c-sel', key: 'audit.event.AUDIT_EXPORTED' },
  WEBHOOK_CHANGED: { icon: 'send', color: 't2', key: 'audit.event.WEBHOOK_CHANGED' },
  WEBHOOK_FAILED: { icon: 'errd', color: 'c-err', key: 'audit.event.WEBHOOK_FAILED' },
  TOOL_SERVER_SET: { icon: 'plug', color: 't2', key: 'audit.event.TOOL_SERVER_SET' },
  TOOL_SERVER_APPROVED: { icon: 'check', color: 'c-ok', key: 'audit.event.TOOL_SERVER_APPROVED' },
  TOOL_SERVER_BLOCKED: { icon: 'errd', color: 'c-err', key: 'audit.event.TOOL_SERVER_BLOCKED' },
  SECRET_SIGNED_IN: { icon: 'key', color: 'c-ok', key: 'audit.event.SECRET_SIGNED_IN' },
  SECRET_SIGNED_OUT: { icon: 'key', color: 't2', key: 'audit.event.SECRET_SIGNED_OUT' },
  SECRET_SIGN_IN_ENDED: { icon: 'key', color: 'c-err', key: 'audit.event.SECRET_SIGN_IN_ENDED' },
  TOOL_SERVER_SIGNED_IN: { icon: 'key', color: 'c-ok', key: 'audit.event.TOOL_SERVER_SIGNED_IN' },
  TOOL_SERVER_SIGNED_OUT: { icon: 'key', color: 't2', key: 'audit.event.TOOL_SERVER_SIGNED_OUT' },
  TOOL_SERVER_SIGN_IN_ENDED: { icon: 'key', color: 'c-err', key: 'audit.event.TOOL_SERVER_SIGN_IN_ENDED' },
  TOOL_REFUSED: { icon: 'errd', color: 'c-err', key: 'audit.event.TOOL_REFUSED' },
  TOOL_WORD_SET: { icon: 'shield', color: 't2', key: 'audit.event.TOOL_WORD_SET' },
  TOOL_SERVER_DELETED: { icon: 'x', color: 't2', key: 'audit.event.TOOL_SERVER_DELETED' },
  INDEX_DELETED: { icon: 'x', color: 't2', key: 'audit.event.INDEX_DELETED' },
  TASK_DESTINATION_CHANGED: { icon: 'inbox', color: 't2', key: 'audit.event.TASK_DESTINATION_CHANGED' },
  TASK_COPY_FAILED: { icon: 'errd', color: 'c-err', key: 'audit.event.TASK_COPY_FAILED' },
  TASK_COPY_AGAIN: { icon: 'retry', color: 't2', key: 'audit.event.TASK_COPY_AGAIN' },
  WEBHOOK_AGAIN: { icon: 'retry', color: 't2', key: 'audit.event.WEBHOOK_AGAIN' },
  MODEL_PROVIDER_CHANGED: { icon: 'spark', color: 't2', key: 'audit.event.MODEL_PROVIDER_CHANGED' },
  MODEL_BUDGET_CHANGED: { icon: 'spark', color: 't2', key: 'audit.event.MODEL_BUDGET_CHANGED' },
  MODEL_DEFAULT_CHANGED: { icon: 'spark', color: 't2', key: 'audit.event.MODEL_DEFAULT_CHANGED' },
  SECRET_SET: { icon: 'key', color: 'c-wait', key: 'audit.event.SECRET_SET' },
  SECRET_DELETED: { icon: 'key', color: 'c-err', key: 'audit.event.SECRET_DELETED' },
  SECRETS_KEY_CHOSEN: { icon: 'lock', color: 'c-wait', key: 'audit.event.SECRETS_KEY_CHOSEN' },
  SECRETS_DISCARDED: { icon: 'lock', color: 'c-err', key: 'audit.event.SECRETS_DISCARDED' },
  ANSWER_REFUSED: { icon: 'x', color: 'c-wait', key: 'audit.event.ANSWER_REFUSED' },
  PAYLOAD_ERASED: { icon: 'x', color: 'c-wait', key: 'audit.event.PAYLOAD_ERASED' },
  AUDIT_RETENTION: { icon: 'chain', color: 'c-wait', key: 'audit.event.AUDIT_RETENTION' },
  AUDIT_RETENTION_CHANGED: { icon: 'chain', color: 't2', key: 'audit.event.AUDIT_RETENTION_CHANGED' },
  SERVER_STARTED: { icon: 'globe', color: 't2', key: 'audit.event.SERVER_STARTED' },
  SERVER_CERTIFICATE_CHANGED: { icon: 'lock', color: 't2', key: 'audit.event.SERVER_CERTIFICATE_CHANGED' },
  USER_SIGNED_IN: { icon: 'person', color: 'c-ok', key: 'audit.event.USER_SIGNED_IN' },
  USER_SIGN_IN_REFUSED: { icon: 'errd', color: 'c-err', key: 'audit.event.USER_SIGN_IN_REFUSED' },
  USER_SIGNED_OUT: { icon: 'person', color: 't2', key: 'audit.event.USER_SIGNED_OUT' },
  USER_ROLE_CHANGED: { icon: 'person', color: 'c-wait', key: 'audit.event.USER_ROLE_CHANGED' },
  PERSON_FORGOTTEN: { icon: 'x', color: 'c-wait', key: 'audit.event.PERSON_FORGOTTEN' },
  NETWORK_CHANGED: { icon: 'globe', color: 't2', key: 'audit.event.NETWORK_CHANGED' },
  TELEMETRY_CHANGED: { icon: 'globe', color: 't2', key: 'audit.event.TELEMETRY_CHANGED' },
  CONNECTOR_CHANGED: { icon: 'plug', color: 't2', key: 'audit.event.CONNECTOR_CHANGED' },
  BACKUP_SCHEDULE_CHANGED: { icon: 'copy', color: 't2', key: 'audit.event.BACKUP_SCHEDULE_CHANGED' },
  HEALTH_ALERT_CHANGED: { icon: 'signal', color: 't2', key: 'audit.event.HEALTH_ALERT_CHANGED' },
  HEALTH_ALERT_RAISED: { icon: 'signal', color: 'c-err', key: 'audit.event.HEALTH_ALERT_RAISED' },
  HEALTH_ALERT_CLEARED: { icon: 'signal', color: 'c-ok', key: 'audit.event.HEALTH_ALERT_CLEARED' },
  RUN_FAULTED: { icon: 'bolt', color: 'c-wait', key: 'audit.event.RUN_FAULTED' },
  BACKUP_CREATED: { icon: 'copy', color: 'c-wait', key: 'audit.event.BACKUP_CREATED' },
  BACKUP_RESTORED: { icon: 'redo', color: 'c-wait', key: 'audit.event.BACKUP_RESTORED' },
  AUDIT_KEY_CHANGED: { icon: 'key', color: 'c-wait', key: 'audit.event.AUDIT_KEY_CHANGED' },
  CLOCK_JUMPED: { icon: 'clock', color: 'c-wait', key: 'audit.event.CLOCK_JUMPED' },
  AUDIT_CUT_ACCEPTED: { icon: 'flag', color: 'c-wait', key: 'audit.event.AUDIT_CUT_ACCEPTED' },
  AUDIT_VERIFY_FAILED: { icon: 'errd', color: 'c-err', key: 'audit.event.AUDIT_VERIFY_FAILED' },
};

/** "SUPPLIER_BLOCKED" of an audit step is said "Supplier blocked". */
const ownWords = (event: string) => event.charAt(0) + event.slice(1).toLowerCase().replaceAll('_', ' ');
export function eventLook(event: string, level?: AuditRow['level']): { icon: IconName; color: string; text: string } {
  // A run that ended with an error has not ended well.
  if (event === 'WORKFLOW_COMPLETED' && level !== undefined && level !== 'INFO') return { ...LEVELS[level], text: t('audit.event.WORKFLOW_COMPLETED') };
  const known = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
  return known ? { icon: known.icon, color: known.color, text: t(known.key) } : { icon: 'chain', color: 'c-sel', text: ownWords(event) };
}

export const LEVELS: { [L in AuditRow['level']]: { icon: IconName; color: string } } = {
  INFO: { icon: 'okc', color: 't3' }, WARN: { icon: 'warn', color: 'c-wait' }, ERROR: { icon: 'errd', color: 'c-err' }, CRITICAL: { icon: 'errd', color: 'c-err' },
};
export const levelText = (level: string): string => (Object.hasOwn(LEVELS, level) ? t(`audit.level.${level as AuditRow['level']}`) : level);
export const ACTOR_ICON: { [T in AuditActor['type']]: IconName } = { system: 'sliders', human: 'person', agent: 'agent' };
export const actorText = (actor: AuditActor): string => (actor.id ? formatPerson(actor.id) : t(`audit.actor.${actor.type}`));
export const actorName = (name: string): string => (name === 'system' || name === 'human' || name === 'agent' ? t(`audit.actor.${name}`) : formatPerson(name));
/** The summary beside the actor: it need not say again who, nor how the program calls them. */
export function summaryText({ event, summary, actor }: { event: string; summary: string; actor: AuditActor }): string {
  if (hasEngineWords()) return engineText(event, summary, actor.id === undefined ? [] : [actor.id, formatPerson(actor.id)]);
  const name = actor.id === undefined ? undefined : [actor.id, formatPerson(actor.id)].find((one) => summary.startsWith(`${one} `));
  if (name === undefined) return summary;
  const rest = summary.slice(name.length + 1);
  return rest.slice(0, 1).toUpperCase() + rest.slice(1);
}
/** What a query calls it. */
export const actorValue = (actor: AuditActor): string => actor.id ?? actor.type;

const KINDS = new Set(['MODIFIED', 'MISSING', 'REORDERED', 'DUPLICATED', 'INSERTED', 'TRUNCATED', 'WRONG_SIGNER', 'ANCHOR_MISMATCH', 'MALFORMED']);
export function damageText(kind: string): string {
  const name = kind.toUpperCase().replaceAll('-', '_');
  return KINDS.has(name) ? t(`audit.damage.${name}` as MessageKey) : kind;
}

export const KIND_LINE: { [K in Related['kind']]: string } = {
  error: 'var(--err)', rule: 'var(--line-control)', retry: 'var(--wait)', heal: 'var(--line-control)', human: 'var(--person)', outcome: 'var(--ok)',
};


/** 2026-11-22, as this machine counts days. */
export function day(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleDateString('sv-SE');
}

/** 14:02:17.870 */
export function clock(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return `${date.toLocaleTimeString('en-GB', { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** What an export says of missing ends of its chain: the newest that nobody explained, else the newest that somebody did; nothing when none was missing. */
export function missingWords(ends: readonly AuditMissingEnd[], format: ExportFormat): string {
  const open = ends.findLast((end) => end.accepted === undefined);
  const accepted = ends.findLast((end) => end.accepted !== undefined)?.accepted;
  const words = open ? t('audit.exportedMissing', { last: formatNumber(open.expected - 1) }) : accepted === undefined ? '' : t('audit.exportedAccepted', { seq: formatNumber(accepted) });
  return words && format === 'pack' ? `${words} ${t('audit.exportedPackSays')}` : words;
}
