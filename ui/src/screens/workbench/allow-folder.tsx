/** The dialog that allows a folder, for problems of steps of the workflow on the screen. */
import { useCallback, useState, type ReactNode } from 'react';
import { usePermission } from '../../api/queries.ts';
import type { Diagnostic, Workflow } from '../../api/types.ts';
import { isObject, pointerParts } from '../../json/json.ts';
import { AllowFolderDialog } from '../../shared/allow-folder.tsx';
import { AllowFolderContext } from '../../schema-form/folder-grants.ts';

const WRITES = 'file.write';

export function AllowFolder({ document, readOnly, children }: { document: Workflow; readOnly: boolean; children: ReactNode }) {
  const [step, setStep] = useState<string>();
  const may = usePermission()('folder_grant') && !readOnly;
  const open = useCallback((finding: Diagnostic) => setStep(pointerParts(finding.path)[1]), []);
  const node = step === undefined ? undefined : document.nodes[step];
  const config: unknown = node?.config;
  const path: unknown = isObject(config) ? config['path'] : undefined;
  return (
    <AllowFolderContext value={may ? open : null}>
      {children}
      {node ? <AllowFolderDialog path={typeof path === 'string' ? path : undefined} writes={node.type === WRITES} workflowId={document.id} onClose={() => setStep(undefined)} /> : null}
    </AllowFolderContext>
  );
}
