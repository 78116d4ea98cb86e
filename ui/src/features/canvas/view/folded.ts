/** The picture with some groups folded: each is one card, and the wires that cross its border end there. */

import { t } from '../../../i18n/index.ts';
import type { Workflow } from '../../../api/types.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import { type Group, groupCard, groupsOf, insideGroup } from '../model/groups.ts';
import { CARD_H, ERROR, type PortSpot, type Shape } from '../model/ports.ts';
import { type CardNode, type Flow, handlesOf, rectsOfNodes, wireEnds, type WireEdge } from './flow-nodes.ts';

/** Of a folded group. */
export const GROUP_W = 240;

function cardOf(group: Group, flow: Flow, errors: boolean, goes: boolean, arrives: boolean): CardNode | null {
  // In place of its first step: the wires to it stay straight.
  const [at] = group.steps.flatMap((id) => flow.rects.get(id) ?? []).sort((a, b) => a.x - b.x || a.y - b.y);
  if (!at) return null;
  const ports: PortSpot[] = [];
  if (goes) ports.push({ id: 'success', title: '', kind: 'success', x: GROUP_W, y: CARD_H / 2, unknown: false });
  if (errors) ports.push({ id: ERROR, title: '', kind: 'error', x: GROUP_W - 24, y: CARD_H, unknown: false });
  const shape: Shape = { width: GROUP_W, height: CARD_H, input: arrives, inputY: CARD_H / 2, ports, style: 'side' };
  return {
    id: groupCard(group.id), type: 'group', position: { x: at.x, y: at.y }, width: GROUP_W, height: CARD_H, measured: { width: GROUP_W, height: CARD_H }, handles: handlesOf(shape), ariaRole: 'group',
    domAttributes: { 'aria-labelledby': `card-${groupCard(group.id)}`, 'aria-roledescription': t('canvas.groups.role') },
    data: { node: { type: '' }, descriptor: undefined, title: group.title, shape, summary: { text: '', mono: false }, wired: [], arrives: arrives ? 'ok' : 'none', holds: group.steps.length },
  };
}

/** The same flow when nothing is folded. */
export function foldGroups(flow: Flow, document: Workflow, folded: ReadonlySet<string>): Flow {
  const groups = folded.size === 0 ? [] : groupsOf(document).filter((group) => folded.has(group.id));
  if (groups.length === 0) return flow;
  const home = new Map<string, string>();
  for (const group of groups) for (const id of insideGroup(document, group)) if (!home.has(id)) home.set(id, groupCard(group.id));
  const ends = flow.edges.flatMap((edge) => {
    const [source, target] = [home.get(edge.source), home.get(edge.target)];
    return source !== undefined && source === target ? [] : [{ edge, source, target }];
  });
  const cards = groups.flatMap((group) => {
    const card = groupCard(group.id);
    const out = ends.filter((end) => end.source === card).map(({ edge }) => splitPort(edge.data?.from ?? '').port);
    return cardOf(group, flow, out.includes(ERROR), out.some((port) => port !== ERROR), ends.some((end) => end.target === card)) ?? [];
  });
  const nodes = [...flow.nodes.filter((node) => !home.has(node.id)), ...cards];
  const edges = ends.map(({ edge, source, target }): WireEdge => (source === undefined && target === undefined ? edge : {
    ...edge, source: source ?? edge.source, target: target ?? edge.target,
    ...(source === undefined ? {} : { sourceHandle: edge.sourceHandle === ERROR ? ERROR : 'success' }),
  }));
  const scopes = new Map([...flow.scopes].filter(([id]) => !home.has(id)));
  for (const group of groups) {
    const frame = flow.scopes.get(group.steps[0] ?? '');
    if (frame !== undefined) scopes.set(groupCard(group.id), frame);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // What an unwired port of a hidden card means is hidden with it.
  const hidden = [...home.keys()].flatMap((id) => flow.rects.get(id) ?? []);
  const soft = flow.soft.filter((tag) => !hidden.some((r) => tag.x >= r.x - 48 && tag.x <= r.x + r.width && tag.y >= r.y && tag.y <= r.y + r.height + 8));
  return { nodes, edges, rects: rectsOfNodes(nodes), wires: wireEnds(byId, edges), soft, scopes };
}
