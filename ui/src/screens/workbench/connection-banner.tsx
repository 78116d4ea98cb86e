import type { ApiError } from '../../api/error.ts';
import { t } from '../../i18n/index.ts';
import { Banner } from '../../kit/index.ts';

/** Nothing comes of the run any more. A token that is refused stays refused: there it is said what to do, not that it goes on by itself. */
export function ConnectionBanner({ error }: { error: ApiError | null }) {
  if (!error) return null;
  const refused = error.code === 'AUTH';
  return (
    <Banner signal="warn" title={t(refused ? 'auth.title' : 'run.connection')}>
      <span className="s t2">{refused ? t('auth.now') : `${error.message} ${t('run.connectionText')}`}</span>
    </Banner>
  );
}
