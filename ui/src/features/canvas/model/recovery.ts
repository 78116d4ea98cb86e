/** Recovery nodes (SEMANTICS 1 and 2): whom they serve, and which wires go back. The same reading of the file as the engine's, so that the picture says what a run does. */

import type { Workflow } from '../../../api/types.ts';
import { splitPort } from '../../../shared/step-ids.ts';

export type RecoveryKind = 'handler' | 'healer' | 'human' | 'audit';
export type EdgeKind = 'ordinary' | 'to-recovery' | 'reentry' | 'exit';

export interface Recovery {
  kinds: ReadonlyMap<string, RecoveryKind>;
  /** recovery node → the steps whose errors can reach it */
  origins: ReadonlyMap<string, ReadonlySet<string>>;
  /** per wire of the file */
  edges: readonly EdgeKind[];
}

const KINDS: ReadonlyMap<string | undefined, RecoveryKind> = new Map([
  ['builtin.error_handler', 'handler'], ['builtin.self_healing', 'healer'], ['builtin.human_decision', 'human'],
]);
export const recoveryKind = (type: string | undefined): RecoveryKind | undefined => KINDS.get(type);

/** Ports from which a case may come back to its origin; through the others it leaves for good. */
export function mayReenter(kind: RecoveryKind | undefined, port: string): boolean {
  if (kind === 'handler') return port === 'retry' || port === 'auto_fix';
  if (kind === 'human') return port === 'retry' || port === 'corrected';
  return kind !== undefined && port === 'success';
}

/** `retry` of a handler or a person leads back and nowhere else. */
export const onlyBack = (kind: RecoveryKind | undefined, port: string): boolean => (kind === 'handler' || kind === 'human') && port === 'retry';

const NOBODY: ReadonlySet<string> = new Set();
const known = new WeakMap<Workflow['nodes'], { edges: Workflow['edges']; recovery: Recovery }>();

/** Kept per version of nodes and wires: the canvas asks often. */
export function recoveryOf(document: Workflow): Recovery {
  const before = known.get(document.nodes);
  if (before && before.edges === document.edges) return before.recovery;
  const recovery = read(document);
  known.set(document.nodes, { edges: document.edges, recovery });
  return recovery;
}

function read({ nodes, edges }: Workflow): Recovery {
  const kinds = new Map<string, RecoveryKind>();
  for (const [id, node] of Object.entries(nodes)) {
    const kind = recoveryKind(node.type);
    if (kind) kinds.set(id, kind);
  }
  if (kinds.size === 0) return { kinds, origins: new Map(), edges: edges.map(() => 'ordinary') };
  const ends = edges.map((edge) => ({ ...splitPort(edge.from), to: edge.to })).map((e) => (Object.hasOwn(nodes, e.node) && Object.hasOwn(nodes, e.to) ? e : null));
  const there = ends.filter((e) => e !== null);
  // An Audit belongs to the recovery when every wire into it comes from there.
  const audits = new Set(Object.keys(nodes).filter((id) => nodes[id]?.type === 'builtin.audit'));
  for (let more = true; more;) {
    more = false;
    for (const id of audits) {
      const into = there.filter((e) => e.to === id);
      if (into.length > 0 && into.every((e) => kinds.has(e.node) || audits.has(e.node))) continue;
      audits.delete(id);
      more = true;
    }
  }
  const serves = (id: string): boolean => kinds.has(id) || audits.has(id);
  const origins = new Map<string, Set<string>>();
  for (let more = true; more;) {
    more = false;
    for (const { node, port, to } of there) {
      if (!serves(to)) continue;
      const list = serves(node) ? [...(origins.get(node) ?? NOBODY)].filter((id) => id !== to) : port === 'error' ? [node] : [];
      const mine = origins.get(to) ?? new Set<string>();
      for (const id of list) {
        if (mine.has(id)) continue;
        mine.add(id);
        more = true;
      }
      origins.set(to, mine);
    }
  }
  // Of these Audits those on the way to a recovery node or to an origin.
  const own = new Set<string>();
  for (let more = true; more;) {
    more = false;
    for (const id of audits) {
      if (own.has(id)) continue;
      if (!there.some((e) => e.node === id && e.port === 'success' && (kinds.has(e.to) || own.has(e.to) || origins.get(id)?.has(e.to)))) continue;
      own.add(id);
      more = true;
    }
  }
  for (const id of own) kinds.set(id, 'audit');
  for (const id of origins.keys()) if (!kinds.has(id)) origins.delete(id);
  const kindOf = (e: (typeof ends)[number]): EdgeKind => {
    if (!e) return 'ordinary';
    if (kinds.has(e.to)) return 'to-recovery';
    if (mayReenter(kinds.get(e.node), e.port) && origins.get(e.node)?.has(e.to)) return 'reentry';
    return kinds.has(e.node) ? 'exit' : 'ordinary';
  };
  return { kinds, origins, edges: ends.map(kindOf) };
}
