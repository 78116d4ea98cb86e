import { act, useCommand, usePermission } from '../api/queries.ts';
import { useState } from 'react';
import { CatalogView } from '../features/catalog/catalog.tsx';
import { t, tn } from '../i18n/index.ts';
import { useCatalog } from '../shared/use-catalog.ts';
import { Banner, Button, Skeleton } from '../kit/index.ts';
import { plain } from '../text/letters.ts';
import { attempt, kindWhenOpen } from './commands.ts';
import { Screen } from './frame.tsx';
import { ImportApiDialog } from './parts/import-api.tsx';
import { navigate } from './router.ts';

/** More workflows do not fit into a menu; the palette of the builder adds to any. */
const MOST = 12;

export function CatalogScreen({ kind }: { kind: string | undefined }) {
  const catalog = useCatalog();
  const may = usePermission();
  const [importing, setImporting] = useState(false);
  const workflows = useCommand('workflow_list', {}, { enabled: may('workflow_save') });
  const add = may('workflow_save') ? { workflows: (workflows.data ?? []).slice(0, MOST).map((one) => ({ ref: one.ref, name: plain(one.name) })), onAdd: (type: string, ref: string | undefined) => void addTo(type, ref) } : undefined;
  async function addTo(type: string, ref: string | undefined) {
    const target = ref ?? (await attempt(() => act('workflow_create', {})))?.ref;
    if (target === undefined) return;
    kindWhenOpen(target, type);
    navigate({ screen: 'workflow', ref: target });
  }
  return (
    <Screen title={t('catalog.title')} bar={catalog.data ? <><span className="vr" /><span className="s t2">{tn('catalog.kinds', catalog.data.length)}</span>{may('connector_add') ? <Button small className="end" icon="plus" onClick={() => setImporting(true)}>{t('connectors.import')}</Button> : null}</> : null}>
      {importing ? <ImportApiDialog onClose={() => setImporting(false)} /> : null}
      {catalog.error ? (
        <Banner signal="err" title={catalog.error.message} actions={<Button small icon="retry" onClick={() => void catalog.refetch()}>{t('common.tryAgain')}</Button>}>
          <span className="s t2">{catalog.error.hint}</span>
        </Banner>
      ) : null}
      {catalog.data ? <CatalogView kinds={catalog.data} chosen={kind} onChoose={(next) => navigate({ screen: 'catalog', kind: next }, true)} add={add} />
        : catalog.error ? null : <div style={{ padding: 16 }}><Skeleton rows={12} height={40} /></div>}
    </Screen>
  );
}
