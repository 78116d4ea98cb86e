/** The editor of one document: what it holds now, what is chosen, and 200 steps back and forth. */

import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { t } from '../../i18n/index.ts';
import type { Workflow } from '../../api/types.ts';
import { applyEdits, applyPatches, type Edit, type Patch } from './document.ts';

export const UNDO_STEPS = 200;
/** Typing in one field within this time is one step. */
const MERGE_MS = 1500;
/** Who types pauses: what is not the field itself follows then. */
export const REST_MS = 150;

export interface Selection {
  nodes: readonly string[];
  /** edge keys, see `edgeKey` */
  edges: readonly string[];
}

interface Step {
  label: string;
  patches: Patch[];
  /** state token to go to */
  token: number;
  selection: Selection;
  merge?: string | undefined;
  at: number;
}

export interface ApplyOptions {
  /** shown as "Undo …" */
  label?: string;
  /** steps with the same key in quick succession become one */
  merge?: string;
  /** what is chosen afterwards */
  select?: readonly string[];
}

export interface EditorState {
  document: Workflow;
  /** The document as everything shows it but the panel that is typed in: canvas, bar and findings follow when the person pauses, and at once
   * when a change is no typing. Drawing all of them for each key would hold the keys up. */
  settled: Workflow;
  /** the document as it was last saved or opened */
  saved: Workflow;
  selection: Selection;
  readOnly: boolean;
  /** changes since the last save */
  dirty: boolean;
  undoLabel: string | null;
  redoLabel: string | null;
}

export interface EditorStore extends StoreApi<EditorState> {
  apply(edits: Edit | readonly Edit[], options?: ApplyOptions): boolean;
  undo(): boolean;
  redo(): boolean;
  select(nodes: readonly string[], edges?: readonly string[]): void;
  /** `document`: what was written, when the user went on editing while it was being saved */
  markSaved(document?: Workflow): void;
  /** another content (taken over from outside): forgets the steps, or with `step` is one of them */
  replaceDocument(document: Workflow, options?: { saved?: boolean; step?: string }): void;
  setReadOnly(readOnly: boolean): void;
  /** Called when a step has another id, also by undo and redo; gives what ends it. */
  onRename(listener: (from: string, to: string) => void): () => void;
}

const NOTHING: Selection = { nodes: [], edges: [] };

/** Keeps of a selection what the document still has. */
function stillThere(document: Workflow, selection: Selection): Selection {
  const nodes = selection.nodes.filter((id) => Object.hasOwn(document.nodes, id));
  return nodes.length === selection.nodes.length ? selection : { nodes, edges: selection.edges };
}

/** The steps that patches give another id. */
const renamesIn = (patches: readonly Patch[]): (readonly [from: string, to: string])[] =>
  patches.flatMap((patch) => (patch.op === 'rename' && patch.path.length === 2 && patch.path[0] === 'nodes' ? [[String(patch.path[1]), patch.key] as const] : []));

/** Takes everything of one document away and puts everything of the other there, in its order. */
const exchange = (from: Workflow, to: Workflow): Patch[] => [
  ...Object.keys(from).map((key): Patch => ({ op: 'unset', path: [key] })),
  ...Object.entries(to).map(([key, value]): Patch => ({ op: 'set', path: [key], value })),
];

export function createEditor(document: Workflow, options: { readOnly?: boolean; saved?: boolean } = {}): EditorStore {
  let past: Step[] = [];
  let future: Step[] = [];
  let token = 0;
  let nextToken = 1;
  let savedToken = options.saved === false ? -1 : 0;
  // Which token a document had, so that a save that returns late marks the right state.
  const tokens = new WeakMap<Workflow, number>([[document, 0]]);
  const renameListeners = new Set<(from: string, to: string) => void>();
  const tell = (renames: readonly (readonly [from: string, to: string])[]): void => {
    for (const [from, to] of renames) for (const listener of renameListeners) listener(from, to);
  };

  function remember(step: Step): void {
    past.push(step);
    if (past.length > UNDO_STEPS) past.shift();
  }

  let rest: ReturnType<typeof setTimeout> | undefined;

  const store = createStore<EditorState>(() => ({
    document,
    settled: document,
    saved: document,
    selection: NOTHING,
    readOnly: options.readOnly ?? false,
    dirty: savedToken !== 0,
    undoLabel: null,
    redoLabel: null,
  }));

  const publish = (patch: Partial<EditorState>, typed = false): void => {
    if (patch.document) tokens.set(patch.document, token);
    clearTimeout(rest);
    if (typed) rest = setTimeout(() => store.setState((now) => ({ settled: now.document })), REST_MS);
    store.setState({ ...patch, ...(patch.document && !typed ? { settled: patch.document } : {}), dirty: token !== savedToken, undoLabel: past.at(-1)?.label ?? null, redoLabel: future.at(-1)?.label ?? null });
  };

  const travel = (from: Step[], to: Step[]): boolean => {
    const step = from.pop();
    if (!step || store.getState().readOnly) {
      if (step) from.push(step);
      return false;
    }
    const { document: before, selection } = store.getState();
    const done = applyPatches(before, step.patches);
    to.push({ ...step, patches: done.inverse, token, selection, merge: undefined });
    token = step.token;
    publish({ document: done.document, selection: stillThere(done.document, step.selection) });
    tell(renamesIn(step.patches));
    return true;
  };

  return Object.assign(store, {
    apply(edits: Edit | readonly Edit[], opts: ApplyOptions = {}): boolean {
      const { document: before, selection, readOnly } = store.getState();
      if (readOnly) return false;
      const list = Array.isArray(edits) ? (edits as readonly Edit[]) : [edits as Edit];
      const done = applyEdits(before, list);
      const select = opts.select ? { nodes: opts.select, edges: [] } : selection;
      if (done.inverse.length === 0) {
        if (opts.select) store.setState({ selection: stillThere(before, select) });
        return false;
      }
      const now = Date.now();
      const last = past.at(-1);
      const merged = last !== undefined && opts.merge !== undefined && last.merge === opts.merge && now - last.at < MERGE_MS
        && future.length === 0 && token !== savedToken;
      if (merged) {
        last.patches = [...done.inverse, ...last.patches];
        last.at = now;
      } else {
        remember({ label: opts.label ?? t('canvas.step.edit'), patches: done.inverse, token, selection, merge: opts.merge, at: now });
      }
      future = [];
      token = nextToken;
      nextToken += 1;
      publish({ document: done.document, selection: stillThere(done.document, select) }, opts.merge !== undefined);
      // Told by what takes it back, the last one first.
      tell(renamesIn(done.inverse).toReversed().map(([to, from]) => [from, to]));
      return true;
    },
    undo: () => travel(past, future),
    redo: () => travel(future, past),
    select(nodes: readonly string[], edges: readonly string[] = []): void {
      const { selection } = store.getState();
      const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((id, i) => id === b[i]);
      if (same(selection.nodes, nodes) && same(selection.edges, edges)) return;
      clearTimeout(rest);
      store.setState((now) => ({ selection: { nodes, edges }, settled: now.document }));
    },
    markSaved(written?: Workflow): void {
      const document_ = written ?? store.getState().document;
      savedToken = tokens.get(document_) ?? token;
      store.setState({ saved: document_, dirty: token !== savedToken });
    },
    replaceDocument(next: Workflow, opts: { saved?: boolean; step?: string } = {}): void {
      const { document: before, selection } = store.getState();
      if (opts.step === undefined) past = [];
      else remember({ label: opts.step, patches: exchange(next, before), token, selection, at: 0 });
      future = [];
      token = nextToken;
      nextToken += 1;
      if (opts.saved ?? true) savedToken = token;
      publish({ document: next, ...(opts.saved ?? true ? { saved: next } : {}), selection: stillThere(next, store.getState().selection) });
    },
    setReadOnly: (readOnly: boolean) => store.setState({ readOnly }),
    onRename(listener: (from: string, to: string) => void): () => void {
      renameListeners.add(listener);
      return () => { renameListeners.delete(listener); };
    },
  });
}

export function useEditor<T>(editor: EditorStore, selector: (state: EditorState) => T): T {
  return useStore(editor, selector);
}

/** One wire as a key: a file may hold the same wire twice, then the later ones are numbered. */
export function edgeKeys(document: Workflow): string[] {
  const seen = new Map<string, number>();
  return document.edges.map(({ from, to }) => {
    const key = `${from}>${to}`;
    const n = (seen.get(key) ?? 0) + 1;
    seen.set(key, n);
    return n === 1 ? key : `${key}#${n}`;
  });
}

/** A wire on the canvas as a run names it, `from>to`: a fallback has a port of its own there, and a wire drawn twice is one. */
export function wireOf(key: string): string {
  const { from, to } = edgeOfKey(key);
  return from.startsWith(FALLBACK_KEY) ? `${from.slice(FALLBACK_KEY.length)}.fallback>${to}` : `${from}>${to}`;
}

/** Begins the key of the wire to a fallback, which is no wire of the file. */
export const FALLBACK_KEY = 'fallback:';

export function edgeOfKey(key: string): { from: string; to: string } {
  const [pair = ''] = key.split('#');
  const at = pair.indexOf('>');
  return { from: pair.slice(0, at), to: pair.slice(at + 1) };
}
