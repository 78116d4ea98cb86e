/** Copy and paste through the system's clipboard, as text that can be kept, sent and pasted anywhere. */

import { copyText } from '../../../api/hand-out.ts';
import { t, tn } from '../../../i18n/index.ts';
import type { EditorStore } from '../editor.ts';
import { type Fragment, fragmentOf, fragmentText, layoutOf, pasteEdits, readFragment } from '../model/fragment.ts';
import { freeBlock, rectsOf } from '../model/place.ts';
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
  lastCopied = text;
  try {
    await copyText(text);
  } catch {
    // It can still be pasted here.
  }
  return tn('canvas.copied', editor.getState().selection.nodes.length);
}

export async function clipboardText(): Promise<string> {
  try {
    return (await navigator.clipboard.readText()) || lastCopied;
  } catch {
    return lastCopied;
  }
}

/** The free place for the fragment that is nearest to where it is wanted: its corner there, or its middle. */
function placeFor(editor: EditorStore, catalog: Catalog, fragment: Fragment, { at: [x, y], middle }: Wanted): Point {
  const { document } = editor.getState();
  const block = [...rectsOf({ ...document, nodes: fragment.nodes, edges: fragment.edges, layout: layoutOf(fragment) }, catalog).values()];
  const span = (from: number[], to: number[]): number => (middle ? (Math.max(...to) - Math.min(...from)) / 2 : 0);
  const width = span(block.map((r) => r.x), block.map((r) => r.x + r.width));
  const height = span(block.map((r) => r.y), block.map((r) => r.y + r.height));
  return freeBlock([...rectsOf(document, catalog).values()], block, [x - width, y - height]);
}

interface Wanted { at: Point; middle: boolean }

/** Pastes; the answer is null, or why nothing was pasted. */
export function pasteText(editor: EditorStore, text: string, wanted: Wanted, keepIncoming: boolean, catalog: Catalog): string | null {
  const fragment = readFragment(text);
  if ('problem' in fragment) return fragment.problem;
  const { edits, ids } = pasteEdits(editor.getState().document, fragment, placeFor(editor, catalog, fragment, wanted), keepIncoming);
  editor.apply(edits, { label: t('canvas.step.paste'), select: ids });
  return null;
}

/** Copies the selection beside itself without touching the clipboard. */
export function duplicateSelection(editor: EditorStore, catalog: Catalog): void {
  const { document, selection } = editor.getState();
  if (selection.nodes.length === 0) return;
  const fragment = fragmentOf(document, selection.nodes);
  const places = Object.values(fragment.layout);
  const at: Point = [Math.min(...places.map((p) => p[0])) + 32, Math.min(...places.map((p) => p[1])) + 80];
  const { edits, ids } = pasteEdits(document, fragment, placeFor(editor, catalog, fragment, { at, middle: false }), false);
  editor.apply(edits, { label: t('canvas.step.duplicate'), select: ids });
}
