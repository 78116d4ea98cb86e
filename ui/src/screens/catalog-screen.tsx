import { useCommand } from '../api/queries.ts';
import { CatalogView } from '../features/catalog/catalog.tsx';
import { t, tn } from '../i18n/index.ts';
import { Banner, Button, Skeleton } from '../kit/index.ts';
import { Screen } from './frame.tsx';
import { navigate } from './router.ts';

export function CatalogScreen({ kind }: { kind: string | undefined }) {
  const catalog = useCommand('catalog_list', {}, { staleTime: Infinity });
  return (
    <Screen title={t('catalog.title')} bar={catalog.data ? <><span className="vr" /><span className="s t2">{tn('catalog.kinds', catalog.data.length)}</span></> : null}>
      {catalog.error ? (
        <Banner signal="err" title={catalog.error.message} actions={<Button small icon="retry" onClick={() => void catalog.refetch()}>{t('common.tryAgain')}</Button>}>
          <span className="s t2">{catalog.error.hint}</span>
        </Banner>
      ) : null}
      {catalog.data ? <CatalogView kinds={catalog.data} chosen={kind} onChoose={(next) => navigate({ screen: 'catalog', kind: next }, true)} />
        : catalog.error ? null : <div style={{ padding: 16 }}><Skeleton rows={12} height={40} /></div>}
    </Screen>
  );
}
