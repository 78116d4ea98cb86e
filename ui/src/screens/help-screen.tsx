import { HelpView } from '../features/help/help.tsx';
import { t } from '../i18n/index.ts';
import { Screen } from './frame.tsx';
import { hashOf } from './router.ts';

export function HelpScreen({ page, part }: { page: string | undefined; part: string | undefined }) {
  return (
    <Screen title={t('help.title')}>
      <HelpView page={page} part={part} links={{ hrefOf: (one, heading) => hashOf({ screen: 'help', page: one.id, ...(heading ? { part: heading } : {}) }) }} />
    </Screen>
  );
}
