/** The document that the canvas draws. */
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Workflow } from '../../../api/types.ts';
import type { EditorStore } from '../editor.ts';

/** So many cards are laid out between two keys. */
const MANY = 100;
const REST_MS = 150;

/** In a large workflow the card of a step follows its settings when the person pauses: hundreds of cards are not laid out for each key. What moves,
 * comes or goes is drawn at once. */
export function useDrawnDocument(editor: EditorStore): Workflow {
  const document = useStore(editor, (s) => s.document);
  const [drawn, setDrawn] = useState(document);
  const waits = drawn !== document && onlySettingsDiffer(drawn, document);
  useEffect(() => {
    const timer = setTimeout(() => setDrawn(document), waits ? REST_MS : 0);
    return () => clearTimeout(timer);
  }, [document, waits]);
  return waits ? drawn : document;
}

/** Many steps, the same ones with the same wires at the same places: only what stands in their settings is another thing. */
export function onlySettingsDiffer(one: Workflow, other: Workflow): boolean {
  if (one.edges !== other.edges || one.layout !== other.layout || one.settings !== other.settings) return false;
  const ids = Object.keys(one.nodes);
  return ids.length > MANY && ids.length === Object.keys(other.nodes).length && ids.every((id) => {
    const [a, b] = [one.nodes[id], other.nodes[id]];
    return a === b || (b !== undefined && a?.type === b.type && a.parent === b.parent && a.disabled === b.disabled && a.title === b.title);
  });
}
