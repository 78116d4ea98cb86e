/** Looking into the run of a screen, with what the canvas has chosen and the names that steps have there. */
import { useMemo } from 'react';
import type { NodeDescriptor } from '../../api/types.ts';
import { useEditor, wireOf, type EditorStore } from '../../features/canvas/editor.ts';
import { useDebug, type Debugging } from '../../features/debug/use-debug.tsx';
import { titleOf as titleIn } from '../../features/node-panel/index.ts';
import { namesIn } from '../../shared/format-path.ts';
import { useInnerNames } from './inner-names.ts';

type Given = Omit<Parameters<typeof useDebug>[0], 'chosen' | 'titleOf'>;

export function useDebugging({ editor, catalog, ...given }: Given & { editor: EditorStore; catalog: NodeDescriptor[] }): Debugging {
  const { document, view } = given;
  const chosen = useEditor(editor, ({ selection: { nodes, edges } }) => {
    if (nodes.length + edges.length !== 1) return nodes.length === 1 ? nodes[0] : undefined;
    return edges[0] === undefined ? nodes[0] : wireOf(edges[0]);
  });
  const names = useMemo(() => namesIn(view, document, (id) => titleIn(document, id, catalog)), [view, document, catalog]);
  const titleOf = useInnerNames(names, view?.stopped, document, catalog);
  return useDebug({ ...given, chosen, titleOf });
}
