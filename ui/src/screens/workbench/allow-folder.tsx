/** The dialog that allows a folder, for problems of steps of the workflow on the screen. */
import { useCallback, useState, type ReactNode } from 'react';
import { usePermission } from '../../api/queries.ts';
import type { Diagnostic, NodeDescriptor, Workflow } from '../../api/types.ts';
import { isObject, pointerParts } from '../../json/json.ts';
import { AllowFolderDialog } from '../../shared/allow-folder.tsx';
import { AllowFolderContext } from '../../schema-form/folder-grants.ts';

/** Whether a step writes the file of this setting. A template is read by a step that writes another file. */
export function writesFile(effects: NodeDescriptor['effects'] | undefined, config: Readonly<Record<string, unknown>>, setting: string): boolean {
  if (effects === undefined || setting === 'template') return false;
  if (typeof effects === 'string') return effects === 'write';
  if (!('field' in effects)) return false;
  const value = config[effects.field];
  return (effects.given?.[setting] ?? effects.values[typeof value === 'string' ? value : ''] ?? effects.otherwise) === 'write';
}

interface Place { step: string; setting: string }

export function AllowFolder({ document, catalog, readOnly, children }: { document: Workflow; catalog: readonly NodeDescriptor[]; readOnly: boolean; children: ReactNode }) {
  const [place, setPlace] = useState<Place>();
  const may = usePermission()('folder_grant') && !readOnly;
  const open = useCallback((finding: Diagnostic) => {
    const [, step = '', , setting = 'path'] = pointerParts(finding.path);
    setPlace({ step, setting });
  }, []);
  const node = place && document.nodes[place.step];
  const config = isObject(node?.config) ? node.config : {};
  const path: unknown = place && config[place.setting];
  const effects = catalog.find((one) => one.type === node?.type)?.effects;
  return (
    <AllowFolderContext value={may ? open : null}>
      {children}
      {node && place ? <AllowFolderDialog path={typeof path === 'string' ? path : undefined} writes={writesFile(effects, config, place.setting)} workflowId={document.id} onClose={() => setPlace(undefined)} /> : null}
    </AllowFolderContext>
  );
}
