/** A real chain of made-up records, hashed as the product does, for tests and for looking at screens without a host. */
import { ApiError } from '../api/error.ts';
import type { FakeTransport, Handlers } from '../api/transport/fake.ts';
import { hashOf } from '../features/audit/hash.ts';
import { tokensOf, type Token } from '../features/audit/query.ts';
import type { AuditRecord, AuditRow, AuditStatus } from '../features/audit/types.ts';

/** RFC 8785 for what the records here hold. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) return `{${Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
  return JSON.stringify(value);
}

type Draft = Pick<AuditRow, 'event' | 'level' | 'nodeId' | 'summary'> & { actor?: AuditRow['actor']; metadata?: Record<string, unknown>; nodeTitle?: string };
const STORY: Draft[] = [
  { event: 'WORKFLOW_STARTED', level: 'INFO', nodeId: '$run', summary: 'Webhook, 12 items' },
  { event: 'NODE_START', level: 'INFO', nodeId: 'fetch', nodeTitle: 'Fetch supplier', summary: 'Fetch supplier, call 1' },
  { event: 'RETRY_SCHEDULED', level: 'WARN', nodeId: 'fetch', nodeTitle: 'Fetch supplier', summary: 'Call 2 in 0.5 s' },
  { event: 'NODE_ERROR', level: 'ERROR', nodeId: 'fetch', nodeTitle: 'Fetch supplier', summary: 'The ERP knows no supplier "S-Z041"', metadata: { errorType: 'ValidationError' } },
  { event: 'ERROR_HANDLER_INVOKED', level: 'ERROR', nodeId: 'handler', nodeTitle: 'Handle errors', summary: 'Rule 2 fires: Self-heal' },
  { event: 'AUTO_FIX_ATTEMPT', level: 'WARN', nodeId: 'repair', nodeTitle: 'Repair input', summary: 'No safe repair', actor: { type: 'agent', id: 'repair input' } },
  { event: 'HITL_CREATED', level: 'INFO', nodeId: 'ask', nodeTitle: 'Ask an operator', summary: 'Accounts payable, due in 60 min', metadata: { taskId: 'task-1' } },
  { event: 'HITL_COMPLETED', level: 'INFO', nodeId: 'ask', nodeTitle: 'Ask an operator', summary: 'Corrected: supplierId, dueDate', actor: { type: 'human', id: 'user:ap.desk', role: 'operator' }, metadata: { taskId: 'task-1', action: 'correct', notes: 'Letter Z read for a 2 by the scanner', via: 'app', patch: [{ op: 'test', path: '/supplierId', value: 'S-Z041' }, { op: 'replace', path: '/supplierId', value: 'S-2041' }, { op: 'test', path: '/dueDate', value: null }, { op: 'replace', path: '/dueDate', value: '2026-12-05' }] } },
  { event: 'NODE_SUCCESS', level: 'INFO', nodeId: 'fetch', nodeTitle: 'Fetch supplier', summary: 'Fetch supplier, visit 2' },
  { event: 'WORKFLOW_COMPLETED', level: 'INFO', nodeId: '$run', summary: 'Completed, 12 items, 1 corrected', metadata: { status: 'completed' } },
];

export async function makeChain(count: number): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  let prevHash = '0'.repeat(64);
  const start = Date.now() - count * 1_700;
  for (let seq = 0; seq < count; seq += 1) {
    const { nodeTitle, summary, metadata, actor = { type: 'system' as const }, ...rest } = STORY[seq % STORY.length] ?? STORY[0]!;
    const runId = `0193a5c0-0000-7000-8000-${String(1000 + Math.floor(seq / STORY.length)).padStart(12, '0')}`;
    const entry = { v: 1, logId: 'log-1', seq, prevHash, timestamp: new Date(start + seq * 1_700).toISOString(), runId, ...rest, actor, ...(metadata ? { metadata } : {}) };
    const text = canonical(entry);
    const hash = await hashOf(text);
    const first = seq - (seq % STORY.length);
    const related = (['error', 'rule', 'heal', 'human', 'human', 'outcome'] as const).map((kind, index) => {
      const at = first + [3, 4, 5, 6, 7, 9][index]!;
      return { seq: at, event: STORY[at % STORY.length]!.event, label: ['Error', 'Rule 2', 'Self-heal', 'Task', 'Decision', 'Run ended'][index]!, kind, ...(kind === 'error' || kind === 'heal' ? { failed: true } : {}) };
    }).filter((one) => one.seq < count);
    records.push({
      row: { seq, timestamp: entry.timestamp, level: rest.level, event: rest.event, actor, workflowId: 'invoice', workflowName: 'Invoice intake', runId, nodeId: rest.nodeId, ...(nodeTitle ? { nodeTitle } : {}), summary, signed: rest.event === 'HITL_COMPLETED', hash, prevHash },
      entry, canonical: text, computedHash: hash, matches: true, ...(metadata?.['patch'] ? { payload: { patch: metadata['patch'] } } : {}), related: [3, 4, 5, 6, 7, 9].includes(seq % STORY.length) ? related : [],
    });
    prevHash = hash;
  }
  return records;
}



/** Adds the commands of the chain to a host in memory. */
export function auditHost(records: AuditRecord[], host: FakeTransport): { records: AuditRecord[]; status: AuditStatus; on(handlers: Handlers): void } {
  const size = () => records.length;
  const sealed = Math.max(0, records.length - 3);
  const made = {
    records,
    status: {
      state: records.length ? 'intact' : 'empty', checked: records.length, at: new Date(Date.now() - 120_000).toISOString(), unsealedTail: records.length - sealed, removed: 0, signed: true, running: false, head: { size: records.length, hash: records.at(-1)?.row.hash ?? '' }, key: { keyId: '21fe31dfa154a261', fingerprint: '21fe31dfa154a261', where: 'file', at: '/data/audit.key' },
      ...(sealed ? { lastCheckpoint: { size: sealed, rootHash: '5d4c48b63d893d5d020ae6ddbaf23d524616b9d3fc5aa75160d7a1578d002f86', timestamp: new Date(Date.now() - 180_000).toISOString() } } : {}),
    } as AuditStatus,
    on: (handlers: Handlers) => { Object.assign(host.handlers, handlers); },
  };
  const matching = (query = '') => {
    const tokens = tokensOf(query);
    const holds = ({ row, canonical: text }: AuditRecord, { qualifier, value }: Token): boolean => {
      switch (qualifier) {
        case 'event': return row.event === value;
        case 'level': return row.level === value;
        case 'run': return row.runId === value;
        case 'workflow': return row.workflowName === value;
        case 'node': return row.nodeId === value;
        case 'actor': return row.actor.type === value || row.actor.id === value || row.actor.id === `user:${value}`;
        case 'since': return row.timestamp >= value;
        case 'until': return row.timestamp <= value;
        default: return text.toLowerCase().includes(value.toLowerCase());
      }
    };
    return records.filter((record) => tokens.every((token) => token.value === '' || holds(record, token) !== token.not));
  };
  const counts = (list: AuditRecord[], of: (row: AuditRow) => string) => {
    const found = new Map<string, number>();
    for (const { row } of list) found.set(of(row), (found.get(of(row)) ?? 0) + 1);
    return [...found].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
  };
  made.on({
    audit_list: ({ query, before, after, limit = 100 }) => {
      const all = matching(query);
      const rows = after === undefined ? all.filter(({ row }) => row.seq < (before ?? Infinity)).toReversed().slice(0, limit) : all.filter(({ row }) => row.seq > after).slice(0, limit).toReversed();
      return { entries: rows.map(({ row }) => row), total: all.length, more: false, head: { size: size(), hash: records.at(-1)?.row.hash ?? '' } };
    },
    audit_facets: ({ query }) => { const all = matching(query); return { event: counts(all, (row) => row.event), level: counts(all, (row) => row.level), actor: counts(all, (row) => row.actor.id ?? row.actor.type), errorType: [], workflow: counts(all, (row) => row.workflowName ?? '') }; },
    audit_get: ({ seq }) => {
      const found = records[seq];
      if (!found) throw new ApiError({ code: 'NOT_FOUND', message: 'There is no such record.', hint: '' });
      return found;
    },
    who: () => ({ operatorId: 'user:ada', role: 'operator', via: 'rest' }),
    audit_status: () => made.status,
    audit_verify: () => made.status,
    audit_export: ({ format }) => ({ fileName: `audit.${format === 'pack' ? 'zip' : format}`, bytesBase64: btoa('evidence'), entries: records.length }),
  });
  return made;
}
