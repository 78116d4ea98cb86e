/** What is put at an error port with one choice: the whole wired chain, as edits of one undo step (C3, U-05…U-07; docs/adr/0010). */

import { isObject } from '../../json/json.ts';
import type { NodeDescriptor, Workflow, WorkflowNode } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import type { Edit } from './document.ts';
import { parentOf } from './model/frames.ts';
import { treeOf } from '../../shared/container-tree.ts';
import { slug, splitPort, uniqueId } from '../../shared/step-ids.ts';
import { freePlace, rectsIn, rectsOf, within } from './model/place.ts';
import { makeSpace } from './model/make-space.ts';
import { type Catalog, COLUMN, hasInput, mainPort, type Point, ROW, shapeOf, snap } from './model/ports.ts';
import { recoveryKind } from './model/recovery.ts';

export const TEMPLATES = ['retry', 'human', 'heal', 'context', 'audit', 'fallback', 'abort', 'healModel'] as const;
/** `explicit`: what the workflow's policy does anyway, drawn. `ask`: a person, and an end where nobody could be asked, so that no error port of it is open. */
export type TemplateId = (typeof TEMPLATES)[number] | 'explicit' | 'ask';

export interface Rule {
  name: string;
  when: string;
  action: string;
}

const RETRY: Rule = { name: 'retry-if-transient', when: 'error.retryable == true && error.attempt < error.maxAttempts', action: 'retry' };
const FIX: Rule = { name: 'auto-fix-validation', when: "error.type == 'ValidationError'", action: 'auto_fix' };
const ASK: Rule = { name: 'ask-a-person', when: 'true', action: 'human_review' };
/** Not `true`: a last rule that says so is the default, which asks a person about grave errors (K-06). */
const END: Rule = { name: 'end-the-run', when: 'has(error.type)', action: 'abort' };
const ABORT: Rule = { name: 'abort-default', when: 'true', action: 'abort' };

interface Part {
  type: string;
  config?: WorkflowNode['config'];
  title?: string;
}

interface Plan {
  parts: Part[];
  /** ends by place in `parts`; `origin` and `next` are what is there already */
  wires: { from: number; port: string; to: number | 'origin' | 'next' }[];
}

/** The rules that do the same as the policy of the workflow. */
export function policyRules(document: Workflow, node: WorkflowNode): Rule[] {
  const policy = document.settings?.errorPolicy ?? 'fail';
  if (typeof policy === 'object') return policy.rules.map(({ name, when, action }) => ({ name, when, action }));
  const fixes = node.errorHandling?.autoFix;
  const fallback: Rule[] = node.errorHandling?.fallbackNodeId ? [{ name: 'fallback', when: 'true', action: 'fallback' }] : [];
  if (policy === 'safe') return [RETRY, ...(fixes === false ? [] : [FIX]), ...(fallback.length > 0 ? fallback : [ASK])];
  return [...(fixes === true ? [FIX] : []), ...(fallback.length > 0 ? fallback : [ABORT])];
}

function planOf(id: TemplateId, document: Workflow, origin: string): Plan {
  const node = document.nodes[origin] as WorkflowNode;
  const handler = (rules: Rule[]): Part => ({ type: 'builtin.error_handler', config: { rules: rules.map((rule) => ({ ...rule })) } });
  switch (id) {
    case 'retry':
      return { parts: [handler([RETRY, ASK])], wires: [{ from: 0, port: 'retry', to: 'origin' }] };
    case 'explicit':
      return { parts: [handler(policyRules(document, node))], wires: [{ from: 0, port: 'retry', to: 'origin' }] };
    case 'human':
      return { parts: [{ type: 'builtin.human_decision' }], wires: [{ from: 0, port: 'retry', to: 'origin' }, { from: 0, port: 'corrected', to: 'origin' }] };
    case 'ask':
      return {
        parts: [{ type: 'builtin.human_decision' }, { type: 'flow.fail', title: t('canvas.template.unasked'), config: { error: { message: '{{error.message}}' } } }],
        wires: [{ from: 0, port: 'retry', to: 'origin' }, { from: 0, port: 'corrected', to: 'origin' }, { from: 0, port: 'error', to: 1 }],
      };
    case 'heal':
      return {
        parts: [handler([FIX, RETRY, ASK]), { type: 'builtin.self_healing' }],
        wires: [{ from: 0, port: 'auto_fix', to: 1 }, { from: 1, port: 'success', to: 'origin' }],
      };
    case 'healModel':
      return {
        parts: [handler([FIX, RETRY, ASK]), { type: 'builtin.self_healing', config: { strategy: 'both' } }],
        wires: [{ from: 0, port: 'auto_fix', to: 1 }, { from: 1, port: 'success', to: 'origin' }],
      };
    case 'context':
      return { parts: [{ type: 'builtin.error_as_context' }], wires: [{ from: 0, port: 'success', to: 'next' }] };
    case 'audit':
      return { parts: [{ type: 'builtin.audit', config: { event: 'STEP_FAILED', level: 'WARN', metadata: { code: "=has(error.details.code) ? error.details.code : error.type", message: '=error.message' } } }], wires: [] };
    case 'fallback':
      return { parts: [{ type: 'data.set', title: t('canvas.template.fallbackStep') }], wires: [{ from: 0, port: 'success', to: 'next' }] };
    case 'abort':
      // A step that fails would be an error of its own: in a safe workflow a person would be asked about that.
      return { parts: [{ ...handler([END]), title: t('canvas.template.abort') }], wires: [] };
  }
}

/** Templates whose kinds this program has. A recovery step's own error is not handled by another handler of the same chain. */
export function templatesFor(document: Workflow, catalog: Catalog, from: string): TemplateId[] {
  const origin = splitPort(from).node;
  const node = document.nodes[origin];
  if (!node || splitPort(from).port !== 'error') return [];
  const recovers = recoveryKind(node.type) !== undefined;
  return TEMPLATES.filter((id) => planOf(id, document, origin).parts.every((part) => catalog.has(part.type)) && !(recovers && (id === 'retry' || id === 'heal' || id === 'healModel')));
}

/** Where the good way goes on: the steps that a replacement of this step's result leads to. */
function nextOf(document: Workflow, catalog: Catalog, origin: string): string[] {
  const node = document.nodes[origin];
  const port = node && mainPort(catalog.get(node.type), node);
  const targets = document.edges.filter((edge) => edge.from === `${origin}.${port ?? ''}`).map((edge) => edge.to);
  return targets.filter((to) => to !== origin && Object.hasOwn(document.nodes, to) && recoveryKind(document.nodes[to]?.type) === undefined && hasInput(catalog.get(document.nodes[to]?.type ?? '')));
}

export interface Placed {
  edits: Edit[];
  /** new steps, the first one leads */
  ids: string[];
}

/** The edits of a template at the error port `from`; `at`: where the wire was dropped. Nothing lies on another card. */
export function templateEdits(document: Workflow, catalog: Catalog, id: TemplateId, from: string, at?: Point): Placed {
  const origin = splitPort(from).node;
  if (!document.nodes[origin]) return { edits: [], ids: [] };
  return placed(document, catalog, planOf(id, document, origin), from, at);
}

/** A handler with these rules at the error port `from`; what it tries again goes back. */
export function handlerEdits(document: Workflow, catalog: Catalog, rules: readonly Rule[], from: string): Placed {
  const part: Part = { type: 'builtin.error_handler', config: { rules: rules.map((rule) => ({ ...rule })) } };
  return placed(document, catalog, { parts: [part], wires: rules.some((rule) => rule.action === 'retry') ? [{ from: 0, port: 'retry', to: 'origin' }] : [] }, from);
}

function placed(document: Workflow, catalog: Catalog, plan: Plan, from: string, at?: Point): Placed {
  const origin = splitPort(from).node;
  const frame = parentOf(document, origin);
  const rects = rectsIn(document, rectsOf(document, catalog), frame);
  const home = rects.get(origin);
  if (!home || !document.nodes[origin]) return { edits: [], ids: [] };
  const used = new Set(Object.keys(document.nodes));
  const kinds = plan.parts.map((part) => catalog.get(part.type)).filter((kind): kind is NodeDescriptor => kind !== undefined);
  if (kinds.length !== plan.parts.length) return { edits: [], ids: [] };
  const ids = plan.parts.map((part, i) => {
    const free = uniqueId(slug(part.title ?? kinds[i]?.title ?? part.type), (candidate) => used.has(candidate));
    used.add(free);
    return free;
  });
  const nodes = plan.parts.map((part, i): WorkflowNode => ({
    type: part.type, typeVersion: kinds[i]?.version ?? 1, ...(part.title ? { title: part.title } : {}), ...(part.config ? { config: part.config } : {}), ...(frame === undefined ? {} : { parent: frame }),
  }));
  const shapes = nodes.map((node, i) => shapeOf(kinds[i], node));
  const size = { width: (plan.parts.length - 1) * COLUMN + 200, height: Math.max(...shapes.map((shape) => shape.height)) };
  // Below the step, with room for the wires that lead back; a drop further down is taken at its word.
  const lowest = home.y + home.height + 40;
  const wanted: Point = at && at[1] - 28 >= lowest ? [at[0], at[1] - 28] : [home.x, home.y + Math.max(ROW, home.height + 72)];
  const [x, y] = freePlace(rects.values(), within(document, frame, [snap(wanted[0]), snap(wanted[1])]), size);
  const edits: Edit[] = nodes.map((node, i) => ({ type: 'addNode', id: ids[i] as string, node, at: [x + i * COLUMN, y] }));
  edits.push({ type: 'connect', from, to: ids[0] as string });
  for (const wire of plan.wires) {
    const targets = wire.to === 'origin' ? [origin] : wire.to === 'next' ? nextOf(document, catalog, origin) : [ids[wire.to] as string];
    for (const to of targets) edits.push({ type: 'connect', from: `${ids[wire.from] as string}.${wire.port}`, to });
  }
  return { edits: makeSpace(document, catalog, edits), ids };
}

/** Recovery steps that ask a person about errors: each decision is in the audit chain, and the author may draw more (U-10). */
export interface Ghost {
  owner: string;
  port: string;
  at: Point;
}

const VIEW = '$view';
const asRecord = (value: unknown): { [key: string]: unknown } => (isObject(value) ? value : {});

/** View state of the file that belongs to no step: `layout.$view.noAuditGhost` lists where the offer was put away. No step can be named like that. */
function putAway(document: Workflow): string[] {
  const list = asRecord(asRecord(document.layout)[VIEW])['noAuditGhost'];
  return Array.isArray(list) ? list.filter((id): id is string => typeof id === 'string') : [];
}

/** Audit steps that could stand behind the decisions of a person, where none is drawn and nobody put the offer away. */
export function ghostsOf(document: Workflow, catalog: Catalog): Ghost[] {
  if (!catalog.has('builtin.audit')) return [];
  // In a frame there is no place for what is not a step.
  const { parent } = treeOf(document);
  const asks = Object.entries(document.nodes).filter(([id, node]) => node.type === 'builtin.human_decision' && !parent.has(id) && !putAway(document).includes(id));
  if (asks.length === 0) return [];
  const rects = rectsOf(document, catalog);
  const taken = [...rects.values()];
  return asks.flatMap(([owner]) => {
    const mine = document.edges.filter((edge) => splitPort(edge.from).node === owner);
    const rect = rects.get(owner);
    if (!rect || mine.some((edge) => document.nodes[edge.to]?.type === 'builtin.audit')) return [];
    const wired = ['corrected', 'retry', 'skip'].find((port) => mine.some((edge) => edge.from === `${owner}.${port}`));
    const at = freePlace(taken, [rect.x + COLUMN, rect.y], { width: 200, height: 56 });
    taken.push({ x: at[0], y: at[1], width: 200, height: 56 });
    return [{ owner, port: wired ?? 'skip', at }];
  });
}

export function acceptGhost(document: Workflow, catalog: Catalog, ghost: Ghost): Placed {
  const kind = catalog.get('builtin.audit');
  if (!kind) return { edits: [], ids: [] };
  const id = uniqueId('record_decision', (candidate) => Object.hasOwn(document.nodes, candidate));
  const node: WorkflowNode = { type: kind.type, typeVersion: kind.version, title: t('canvas.ghost.title'), config: { event: 'OPERATOR_ACTION', metadata: { answer: ghost.port } } };
  const edge = document.edges.find((one) => one.from === `${ghost.owner}.${ghost.port}`);
  const edits: Edit[] = [{ type: 'addNode', id, node, at: ghost.at }];
  if (edge) edits.push({ type: 'insertOnEdge', edge: { from: edge.from, to: edge.to }, id, port: 'success' });
  else edits.push({ type: 'connect', from: `${ghost.owner}.${ghost.port}`, to: id });
  return { edits, ids: [id] };
}

export function removeGhost(document: Workflow, owner: string): Edit {
  const view = asRecord(asRecord(document.layout)[VIEW]);
  const list = [...putAway(document).filter((id) => Object.hasOwn(document.nodes, id)), owner];
  return { type: 'set', path: ['layout', VIEW], value: { ...view, noAuditGhost: list } };
}
