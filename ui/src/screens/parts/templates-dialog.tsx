/** The templates above any screen: a new workflow of one, or a run of its sample. */
import { useState } from 'react';
import { create } from 'zustand';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import { Templates } from '../../features/gallery/templates.tsx';
import { t } from '../../i18n/index.ts';
import { Dialog } from '../../kit/index.ts';
import { attempt, createWorkflow } from '../commands.ts';
import { navigate } from '../router.ts';

const useShown = create<{ shown: boolean }>(() => ({ shown: false }));

/** Opens them. */
export const showTemplates = (): void => useShown.setState({ shown: true });
const close = (): void => useShown.setState({ shown: false });

export function TemplatesDialog() {
  return useShown((state) => state.shown) ? <Shown /> : null;
}

function Shown() {
  const list = useCommand('template_list', {}, { staleTime: Infinity });
  const may = usePermission();
  const [busy, setBusy] = useState<string | null>(null);
  const work = async (name: string, done: () => Promise<boolean>) => {
    setBusy(name);
    if (await done()) close();
    setBusy(null);
  };
  return (
    <Dialog open width={1000} title={t('templates.title')} closeLabel={t('common.close')} busy={busy !== null} onClose={close}>
      <Templates templates={{ data: list.data, error: list.error, retry: () => void list.refetch() }} makes={may('workflow_create')} runs={may('run_start')} busy={busy}
        onUse={(template) => void work(`use:${template.id}`, async () => await createWorkflow({ sampleId: template.id }) !== undefined)}
        onTry={(template) => void work(`try:${template.id}`, async () => {
          const started = await attempt(() => act('run_start', { document: template.sample, params: {} }));
          if (started) navigate({ screen: 'run', runId: started.runId });
          return started !== undefined;
        })} />
    </Dialog>
  );
}
