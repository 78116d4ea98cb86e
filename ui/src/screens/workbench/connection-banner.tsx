import type { ApiError } from '../../api/error.ts';
import { t } from '../../i18n/index.ts';
import { Banner } from '../../kit/index.ts';
import { useSignIn } from '../parts/sign-in.tsx';

/** Nothing comes of the run any more. A token that is refused stays refused: there it is said what to do, not that it goes on by itself. */
export function ConnectionBanner({ error }: { error: ApiError | null }) {
  const { ended } = useSignIn();
  // On every screen it is said that the session has ended.
  if (!error || (ended && error.code === 'AUTH')) return null;
  const refused = error.code === 'AUTH';
  return (
    <Banner signal="warn" title={t(refused ? 'auth.title' : 'run.connection')}>
      <span className="s t2">{refused ? t('auth.now') : `${error.message} ${t('run.connectionText')}`}</span>
    </Banner>
  );
}
