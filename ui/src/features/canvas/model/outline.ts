/** The workflow as a tree of lines: each step with its wires below it, the steps of a container below those. */

import type { Workflow, WorkflowNode } from '../../../api/types.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { splitPort } from '../../../shared/step-ids.ts';
import type { EdgeRef } from './edits.ts';
import { type Catalog, ERROR, portIds, wiredPortsByNode } from './ports.ts';
import { numberedTitles } from './titles.ts';

interface Line {
  key: string;
  /** the step that it belongs to */
  id: string;
  level: number;
  /** its number among the lines of the same parent, from 1, and how many these are */
  at: number;
  of: number;
}
export interface StepLine extends Line {
  kind: 'step';
  title: string;
  /** the title of its kind */
  type: string;
  /** null: nothing below it */
  open: boolean | null;
}
export interface PortLine extends Line {
  kind: 'port';
  /** `node.port` */
  from: string;
  port: string;
  error: boolean;
  /** null: nothing is connected */
  edge: EdgeRef | null;
  /** the title of the step that it leads to */
  to: string;
}
export type OutlineLine = StepLine | PortLine;

/** The steps of one container as they follow one another: from each beginning along its wires. */
function inOrder(document: Workflow, ids: readonly string[]): string[] {
  const here = new Set(ids);
  const next = new Map<string, string[]>();
  const failed = new Map<string, string[]>();
  const led = new Set<string>();
  for (const edge of document.edges) {
    const { node, port } = splitPort(edge.from);
    if (!here.has(node) || !here.has(edge.to) || node === edge.to) continue;
    // Error paths come after what went well.
    const of = port === ERROR ? failed : next;
    const list = of.get(node);
    if (list) list.push(edge.to);
    else of.set(node, [edge.to]);
    led.add(edge.to);
  }
  const order: string[] = [];
  const done = new Set<string>();
  const walk = (start: string): void => {
    const todo = [start];
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      if (done.has(id)) continue;
      done.add(id);
      order.push(id);
      todo.push(...[...(next.get(id) ?? []), ...(failed.get(id) ?? [])].toReversed());
    }
  };
  for (const id of ids) if (!led.has(id)) walk(id);
  for (const id of ids) walk(id);
  return order;
}

/** The lines that are shown. `closed`: steps whose lines are folded away. */
export function outlineOf(document: Workflow, catalog: Catalog, closed: ReadonlySet<string>): OutlineLine[] {
  const titles = numberedTitles(document, catalog);
  const { parent, children } = treeOf(document);
  const titleOf = (id: string): string => (Object.hasOwn(document.nodes, id) ? titles(id, document.nodes[id] as WorkflowNode) : id);
  const out = new Map<string, EdgeRef[]>();
  for (const edge of document.edges) {
    const list = out.get(edge.from);
    if (list) list.push(edge);
    else out.set(edge.from, [edge]);
  }
  const wired = wiredPortsByNode(document);
  const lines: OutlineLine[] = [];
  const add = (ids: readonly string[], level: number): void => {
    const order = inOrder(document, ids);
    order.forEach((id, i) => {
      const node = document.nodes[id] as WorkflowNode;
      const descriptor = catalog.get(node.type);
      const own = portIds(descriptor, node);
      const lost = (wired.get(id) ?? []).filter((port) => !own.includes(port));
      const ports = lost.length === 0 ? own : [...own, ...lost];
      const inside = children.get(id) ?? [];
      const below = ports.flatMap((port): [port: string, edge: EdgeRef | null][] => {
        const edges = out.get(`${id}.${port}`);
        return edges ? edges.map((edge) => [port, edge]) : [[port, null]];
      });
      const count = below.length + inside.length;
      const open = count === 0 ? null : !closed.has(id);
      lines.push({ kind: 'step', key: id, id, level, at: i + 1, of: order.length, title: titleOf(id), type: descriptor?.title ?? node.type, open });
      if (!open) return;
      const seen = new Set<string>();
      // A file may hold the same wire twice.
      const keyOf = (key: string): string => {
        const own = seen.has(key) ? `${key}#${String(seen.size)}` : key;
        seen.add(own);
        return own;
      };
      below.forEach(([port, edge], n) => lines.push({
        kind: 'port', key: keyOf(edge ? `${edge.from}>${edge.to}` : `${id}.${port}`), id, level: level + 1, at: n + 1, of: count, from: `${id}.${port}`,
        port: descriptor?.ports.find((one) => one.id === port)?.title ?? port, error: port === ERROR, edge, to: edge ? titleOf(edge.to) : '',
      }));
      const start = lines.length;
      add(inside, level + 1);
      for (let n = start; n < lines.length; n += 1) {
        const line = lines[n] as OutlineLine;
        if (line.level === level + 1 && line.kind === 'step') lines[n] = { ...line, at: line.at + below.length, of: count };
      }
    });
  };
  add(Object.keys(document.nodes).filter((id) => !parent.has(id)), 1);
  return lines;
}
