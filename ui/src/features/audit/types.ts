// The shapes of the commands about the audit chain, under the names used here.

import type { AuditRecordView, AuditRelated } from '../../api/types.ts';

export type { AuditActor, AuditApart, AuditFacets, AuditMissingEnd, AuditPayloadState as PayloadState, AuditPage, AuditProfile, AuditRow, AuditStatus, AuditVerdict, ExportFormat } from '../../api/types.ts';
export type { AuditCount as FacetCount } from '../../api/types.ts';
export type AuditRecord = AuditRecordView;
export type Related = AuditRelated;
