/** Titles of steps in the file that a sub-workflow step calls, for those that have not begun: of what has begun the run tells them itself. */
import { useEffect, useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { readPath } from '../../run/run-paths.ts';
import type { NodeDescriptor, Workflow } from '../../api/types.ts';
import { titleOf } from '../../features/node-panel/index.ts';
import type { NameOf } from '../../shared/format-path.ts';

interface Step { stepId?: string | null | undefined; path?: string | null | undefined }

/** `names`, and where they know no more than the id of this one step, the title that it has in the file of today. */
export function useInnerNames(names: NameOf, step: Step | null | undefined, definition: Workflow, catalog: readonly NodeDescriptor[]): NameOf {
  const { stepId, path } = step ?? {};
  const unknown = stepId != null && path != null && names(stepId, path) === stepId;
  const caller = unknown ? readPath(path, definition).caller : undefined;
  const wanted = caller === undefined ? undefined : (definition.nodes[caller]?.config as { workflow?: unknown } | undefined)?.workflow;
  const id = typeof wanted === 'string' && wanted !== '' ? wanted : undefined;
  const [file, setFile] = useState<{ id: string; document: Workflow } | null>(null);
  useEffect(() => {
    if (id === undefined) return undefined;
    let open = true;
    call('workflow_list', {}).then(async (entries) => {
      const entry = entries.find((one) => one.id === id);
      const found = entry && await call('workflow_open', { ref: entry.ref });
      if (open && found) setFile({ id, document: found.document });
      // Without the file its steps keep their ids.
    }).catch(() => undefined);
    return () => { open = false; };
  }, [id]);
  return useMemo(() => {
    if (file === null || file.id !== id) return names;
    return (step, at) => {
      const name = names(step, at);
      const inside = at === undefined || name !== step ? undefined : insideOf(at, definition);
      // A file that this one calls again is another one.
      const here = inside !== undefined && inside.caller === caller && !readPath(inside.rest, file.document).foreign && Object.hasOwn(file.document.nodes, step);
      return here ? titleOf(file.document, step, catalog) : name;
    };
  }, [names, file, id, caller, definition, catalog]);
}

/** The step that calls the file, and the way on in that file. */
function insideOf(path: string, definition: Workflow): { caller: string; rest: string } | undefined {
  const parts = path.split('/');
  for (let n = 1; n <= parts.length; n++) {
    const { caller } = readPath(parts.slice(0, n).join('/'), definition);
    if (caller !== undefined) return { caller, rest: parts.slice(n).join('/') };
  }
  return undefined;
}
