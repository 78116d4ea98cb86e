/** Every run, or failures by what makes them alike. */
import { t } from '../../i18n/index.ts';
import { Segmented } from '../../kit/index.ts';
import { navigate } from '../router.ts';

export function RunsViews({ on }: { on: 'runs' | 'failures' }) {
  return (
    <Segmented<'runs' | 'failures'> small label={t('failures.views')} value={on} onChange={(screen) => navigate({ screen })}
      options={[{ value: 'runs', label: t('runs.title') }, { value: 'failures', label: t('failures.title') }]} />
  );
}
