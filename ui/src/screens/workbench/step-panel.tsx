/** The panel with the document as it is at this key; everything around it follows when the person pauses. */
import { useMemo } from 'react';
import type { Finding } from '../../api/diagnostics.ts';
import { useEditor, type EditorStore } from '../../features/canvas/editor.ts';
import { NodePanel } from '../../features/node-panel/index.ts';
import type { NodePanelProps } from '../../features/node-panel/types.ts';

export function StepPanel({ editor, diagnostics, ...props }: Omit<NodePanelProps, 'document'> & { editor: EditorStore }) {
  const document = useEditor(editor, (state) => state.document);
  const settled = useEditor(editor, (state) => state.settled);
  const behind = settled !== document;
  // What would mend an older text waits for the next answer.
  const found = useMemo(() => (behind && diagnostics.some((one) => one.fix) ? diagnostics.map((one): Finding => (one.fix ? { ...one, stale: true } : one)) : diagnostics), [behind, diagnostics]);
  return <NodePanel {...props} document={document} settled={settled} diagnostics={found} />;
}
