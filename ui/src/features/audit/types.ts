// The shapes of the commands about the audit chain.

export interface AuditActor { type: 'system' | 'human' | 'agent'; id?: string; role?: string }
export interface AuditRow {
  seq: number;
  timestamp: string;
  level: 'INFO' | 'WARN' | 'ERROR' | 'CRITICAL';
  event: string;
  actor: AuditActor;
  workflowId?: string;
  workflowName?: string;
  runId: string;
  nodeId: string;
  nodeTitle?: string;
  summary: string;
  signed: boolean;
  hash: string;
  prevHash: string;
}
export interface Related { seq: number; event: string; label: string; kind: 'error' | 'rule' | 'retry' | 'heal' | 'human' | 'outcome' }
export interface AuditRecord {
  row: AuditRow;
  entry: Record<string, unknown>;
  canonical: string;
  computedHash: string;
  matches: boolean;
  signature?: string;
  payload?: { error?: unknown; patch?: unknown; before?: unknown; after?: unknown; [extra: string]: unknown };
  related: Related[];
}
export interface AuditPage { entries: AuditRow[]; total: number; more?: boolean; head: { size: number; hash: string } }
export interface FacetCount { value: string; count: number }
export interface AuditFacets { event: FacetCount[]; level: FacetCount[]; actor: FacetCount[] }
export interface AuditVerdict {
  state: 'intact' | 'broken' | 'empty' | 'unknown';
  checked: number;
  at?: string;
  unsealedTail: number;
  signed: boolean;
  lastCheckpoint?: { size: number; rootHash: string; timestamp: string };
  broken?: { seq: number; kind: string; expected?: string; found?: string; message: string };
}
export interface AuditStatus extends AuditVerdict { running: boolean; head?: { size: number; hash: string }; key?: { keyId: string; fingerprint?: string; where: 'keychain' | 'file' | 'none' } }
export type ExportFormat = 'pack' | 'csv' | 'jsonl';

export interface AuditCommands {
  audit_list: { request: { query?: string; before?: number; after?: number; limit?: number }; response: AuditPage };
  audit_facets: { request: { query?: string }; response: AuditFacets };
  audit_get: { request: { seq: number }; response: AuditRecord };
  audit_verify: { request: { full?: boolean }; response: AuditVerdict };
  audit_status: { request: Record<string, never>; response: AuditStatus };
  audit_export: { request: { runId?: string; query?: string; format: ExportFormat }; response: { fileName: string; bytesBase64?: string; path?: string; entries?: number } };
}
