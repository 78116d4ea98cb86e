/**
 * Groups: steps that belong together for people, with a title, a colour and a note. The engine does not know them. They stand in the view state
 * of the file, `layout.$groups` (no step can have that id): id → {title, color, note, steps}. Whether a group is folded is not in the file.
 */

import { isObject } from '../../../json/json.ts';
import type { Workflow } from '../../../api/types.ts';
import { uniqueId } from '../../../shared/step-ids.ts';
import type { Edit } from './edits.ts';
import { outermost, parentOf, withInside } from './frames.ts';
import type { Patch } from './patch.ts';
import type { Rect } from './place.ts';

export const GROUPS = '$groups';
export const GROUP_COLORS = ['grey', 'blue', 'green', 'amber', 'red', 'violet'] as const;
export type GroupColor = (typeof GROUP_COLORS)[number];

export interface Group {
  id: string;
  title: string;
  color: GroupColor;
  note: string;
  /** of one container, in no other group */
  steps: readonly string[];
}

/** Begins the id of the card of a folded group, which is no step. */
const CARD = '$group:';
export const groupCard = (id: string): string => `${CARD}${id}`;
export const groupOfCard = (card: string): string | null => (card.startsWith(CARD) ? card.slice(CARD.length) : null);

type Raw = { readonly [id: string]: unknown };
const rawOf = (document: Workflow): Raw => {
  const raw: unknown = document.layout?.[GROUPS];
  return isObject(raw) ? raw : {};
};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const NONE: readonly Group[] = [];
const known = new WeakMap<Workflow, readonly Group[]>();

/** The groups that have a step: what the file says beyond that is kept, and not shown. */
export function groupsOf(document: Workflow): readonly Group[] {
  if (!document.layout || !Object.hasOwn(document.layout, GROUPS)) return NONE;
  const done = known.get(document);
  if (done) return done;
  const taken = new Set<string>();
  const groups: Group[] = [];
  for (const [id, value] of Object.entries(rawOf(document))) {
    if (!isObject(value) || !Array.isArray(value['steps'])) continue;
    const there = value['steps'].filter((step): step is string => typeof step === 'string' && Object.hasOwn(document.nodes, step) && !taken.has(step));
    const steps = there.filter((step) => parentOf(document, step) === parentOf(document, there[0] as string));
    if (steps.length === 0) continue;
    for (const step of steps) taken.add(step);
    const color = GROUP_COLORS.find((one) => one === value['color']) ?? 'grey';
    groups.push({ id, title: textOf(value['title']), color, note: textOf(value['note']), steps });
  }
  known.set(document, groups);
  return groups;
}

export const groupOf = (document: Workflow, step: string): Group | undefined => groupsOf(document).find((group) => group.steps.includes(step));

/** Room around the steps, below them for the tags of their error ports, and above them for title and note. */
const PAD = 20;
const BELOW = 38;
export const GROUP_HEAD = 28;
export const GROUP_NOTE = 20;

/** What a group encloses; null when none of its steps has a place. */
export function groupRect(group: Group, rects: ReadonlyMap<string, Rect>): Rect | null {
  const own = group.steps.flatMap((id) => rects.get(id) ?? []);
  if (own.length === 0) return null;
  const [left, top] = [Math.min(...own.map((r) => r.x)), Math.min(...own.map((r) => r.y))];
  const head = GROUP_HEAD + (group.note ? GROUP_NOTE : 0);
  const [right, bottom] = [Math.max(...own.map((r) => r.x + r.width)), Math.max(...own.map((r) => r.y + r.height))];
  return { x: left - PAD, y: top - PAD / 2 - head, width: right - left + PAD * 2, height: bottom - top + PAD / 2 + BELOW + head };
}

/** Titles and notes of the groups that are not folded: no wire runs along them. */
export function groupHeads(document: Workflow, folded: ReadonlySet<string>, rects: ReadonlyMap<string, Rect>): Rect[] {
  return groupsOf(document).filter((group) => !folded.has(group.id)).flatMap((group) => {
    const rect = groupRect(group, rects);
    return rect ? [{ ...rect, height: GROUP_HEAD + (group.note ? GROUP_NOTE : 0) }] : [];
  });
}

const field = (id: string, ...more: string[]): string[] => ['layout', GROUPS, id, ...more];

/** Changes the steps of groups; a group without steps goes, and with the last one the field. */
function withSteps(document: Workflow, next: (steps: readonly string[], id: string) => readonly string[]): Patch[] {
  const raw = rawOf(document);
  const patches: Patch[] = [];
  let left = Object.keys(raw).length;
  for (const [id, value] of Object.entries(raw)) {
    if (!isObject(value) || !Array.isArray(value['steps'])) continue;
    const before = value['steps'].filter((step): step is string => typeof step === 'string');
    const after = next(before, id);
    if (after.length === before.length && after.every((step, i) => step === before[i])) continue;
    if (after.length > 0) patches.push({ op: 'set', path: field(id, 'steps'), value: after });
    else {
      patches.push({ op: 'unset', path: field(id) });
      left -= 1;
    }
  }
  return left === 0 && patches.length > 0 ? [{ op: 'unset', path: ['layout', GROUPS] }] : patches;
}

/** Steps that are no more, or stand elsewhere now, leave their groups; a group that moves as a whole stays one. */
export function leaveGroups(document: Workflow, ids: ReadonlySet<string>, gone: boolean): Patch[] {
  return withSteps(document, (steps) => (!gone && steps.every((step) => ids.has(step)) ? steps : steps.filter((step) => !ids.has(step))));
}

export const renameInGroups = (document: Workflow, names: ReadonlyMap<string, string>): Patch[] =>
  withSteps(document, (steps) => steps.map((step) => names.get(step) ?? step));

/** A step between two steps of a group belongs to it. */
export function joinGroup(document: Workflow, id: string, a: string, b: string): Patch[] {
  const group = groupOf(document, a);
  return group && group === groupOf(document, b) && !group.steps.includes(id) ? withSteps(document, (steps, one) => (one === group.id ? [...steps, id] : steps)) : [];
}

/** The steps that would be a group: those of the chosen ones that stand in the same container as the first. */
export function groupable(document: Workflow, ids: readonly string[]): string[] {
  const roots = outermost(document, ids);
  return roots.filter((id) => parentOf(document, id) === parentOf(document, roots[0] as string));
}

export function groupEdits(document: Workflow, ids: readonly string[], title: string): { edits: Edit[]; id: string } {
  const id = uniqueId('group', (candidate) => Object.hasOwn(rawOf(document), candidate));
  return { id, edits: [{ type: 'ungroup', ids }, { type: 'set', path: field(id), value: { title, color: 'blue', steps: [...ids] } }] };
}

export function changeGroup(id: string, change: { title?: string; color?: GroupColor; note?: string }): Edit[] {
  return Object.entries(change).map(([name, value]): Edit => ({ type: 'set', path: field(id, name), value: name === 'note' && value === '' ? undefined : value }));
}

/** As they stand in copied text: groups of which every step is copied. */
export function groupsInside(document: Workflow, ids: ReadonlySet<string>): { [id: string]: unknown } {
  const whole = groupsOf(document).filter((group) => group.steps.every((step) => ids.has(step)));
  return Object.fromEntries(whole.map(({ id, steps }) => [id, { ...(rawOf(document)[id] as object), steps: [...steps] }]));
}

/** The edits that bring copied groups into a document, with the new names of their steps. */
export function pasteGroups(document: Workflow, groups: Raw, names: ReadonlyMap<string, string>): Edit[] {
  const used = new Set(Object.keys(rawOf(document)));
  return Object.entries(groups).flatMap(([id, value]): Edit[] => {
    if (!isObject(value) || !Array.isArray(value['steps'])) return [];
    const steps = value['steps'].flatMap((step) => (typeof step === 'string' ? names.get(step) ?? [] : []));
    if (steps.length === 0) return [];
    const next = uniqueId(id, (candidate) => used.has(candidate));
    used.add(next);
    return [{ type: 'set', path: field(next), value: { ...value, steps } }];
  });
}

/** A group with all that stands in the frames among its steps. */
export const insideGroup = (document: Workflow, group: Group): string[] => withInside(document, group.steps);
