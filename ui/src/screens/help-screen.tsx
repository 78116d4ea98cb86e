import { HelpView } from '../features/help/help.tsx';
import { t } from '../i18n/index.ts';
import { useCatalog } from '../shared/use-catalog.ts';
import { Screen } from './frame.tsx';
import { hashOf } from './router.ts';

export function HelpScreen({ page, part }: { page: string | undefined; part: string | undefined }) {
  const catalog = useCatalog();
  const steps = { kinds: catalog.data, failed: catalog.error !== null, onRetry: () => void catalog.refetch() };
  return (
    <Screen title={t('help.title')}>
      <HelpView page={page} part={part} steps={steps} links={{ hrefOf: (one, heading) => hashOf({ screen: 'help', page: one.id, ...(heading ? { part: heading } : {}) }) }} />
    </Screen>
  );
}
