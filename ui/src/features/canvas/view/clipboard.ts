/** Copy and paste through the system's clipboard, as text that can be kept, sent and pasted anywhere. */

import { copyText } from '../../../api/save-file.ts';
import { t, tn } from '../../../i18n/index.ts';
import type { Edit } from '../document.ts';
import type { EditorStore } from '../editor.ts';
import { asDocument, type Fragment, fragmentOf, fragmentText, pasteEdits, readFragment } from '../model/fragment.ts';
import { outermost, parentOf } from '../model/frames.ts';
import { treeOf } from '../../../shared/container-tree.ts';
import { frameAt, freeBlock, placesOf, rectsIn, rectsOf, within } from '../model/place.ts';
import { makeSpace } from '../model/make-space.ts';
import type { Catalog, Point } from '../model/ports.ts';

/** Where the system's clipboard cannot be read without asking, what was copied here is still known. */
let lastCopied = '';

function selectionText(editor: EditorStore): string | null {
  const { document, selection } = editor.getState();
  return selection.nodes.length === 0 ? null : fragmentText(fragmentOf(document, selection.nodes));
}

export async function copySelection(editor: EditorStore): Promise<string | null> {
  const text = selectionText(editor);
  if (text === null) return null;
  // What stands in a frame goes with it.
  const { document, selection } = editor.getState();
  const count = Object.keys(fragmentOf(document, selection.nodes).nodes).length;
  lastCopied = text;
  try {
    await copyText(text);
  } catch {
    // It can still be pasted here.
  }
  return tn('canvas.copied', count);
}

export async function clipboardText(): Promise<string> {
  try {
    return (await navigator.clipboard.readText()) || lastCopied;
  } catch {
    return lastCopied;
  }
}

/** The frame the fragment goes into, and the free place there that is nearest to where it is wanted: its corner, or its middle. */
function placeFor(editor: EditorStore, catalog: Catalog, fragment: Fragment, { at: [x, y], middle, frame: given }: Wanted): { at: Point; frame: string | undefined } {
  const { document } = editor.getState();
  const own = asDocument(document, fragment);
  const block = [...rectsIn(own, rectsOf(own, catalog), undefined).values()];
  const span = (from: number[], to: number[]): number => (middle ? (Math.max(...to) - Math.min(...from)) / 2 : 0);
  const width = span(block.map((r) => r.x), block.map((r) => r.x + r.width));
  const height = span(block.map((r) => r.y), block.map((r) => r.y + r.height));
  const rects = rectsOf(document, catalog);
  // Nothing starts in a frame: what brings a start stays outside.
  const starts = Object.entries(fragment.nodes).some(([id, node]) => !treeOf(own).parent.has(id) && catalog.get(node.type)?.role === 'trigger');
  const frame = starts ? undefined : given === undefined ? frameAt(document, catalog, rects, [x, y]) : given ?? undefined;
  return { at: freeBlock([...rectsIn(document, rects, frame).values()], block, within(document, frame, [x - width, y - height])), frame };
}

/** `frame`: absent = the one that lies there, null = none. */
interface Wanted { at: Point; middle: boolean; frame?: string | null | undefined }

/** Pastes; the answer is null, or why nothing was pasted. */
export function pasteText(editor: EditorStore, text: string, wanted: Wanted, keepIncoming: boolean, catalog: Catalog, more: readonly Edit[] = []): string | null {
  const fragment = readFragment(text);
  if ('problem' in fragment) return fragment.problem;
  const { document } = editor.getState();
  const { at, frame } = placeFor(editor, catalog, fragment, wanted);
  const { edits, ids } = pasteEdits(document, fragment, at, keepIncoming, frame);
  editor.apply([...makeSpace(document, catalog, edits), ...more], { label: t('canvas.step.paste'), select: ids });
  return null;
}

/** Copies the selection beside itself without touching the clipboard. */
export function duplicateSelection(editor: EditorStore, catalog: Catalog): void {
  const { document, selection } = editor.getState();
  if (selection.nodes.length === 0) return;
  const fragment = fragmentOf(document, selection.nodes);
  const roots = outermost(document, selection.nodes);
  const places = placesOf(document);
  const left = Math.min(...roots.map((id) => places.get(id)?.[0] ?? 0));
  const top = Math.min(...roots.map((id) => places.get(id)?.[1] ?? 0));
  const homes = new Set(roots.map((id) => parentOf(document, id)));
  const wanted: Wanted = { at: [left + 32, top + 80], middle: false, frame: homes.size === 1 ? ([...homes][0] ?? null) : null };
  const { at, frame } = placeFor(editor, catalog, fragment, wanted);
  const { edits, ids } = pasteEdits(document, fragment, at, false, frame);
  editor.apply(makeSpace(document, catalog, edits), { label: t('canvas.step.duplicate'), select: ids });
}
