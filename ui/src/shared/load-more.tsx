// How to get events of a long run that are not loaded.

import { use } from 'react';
import { LoadingContext } from '../run/loading-context.ts';
import { SIZES } from '../run/run-parts.ts';
import { formatNumber, t } from '../i18n/index.ts';
import { Button } from '../kit/index.ts';

/** `earlier`: so many events are not loaded, and a page of them can be. */
export function LoadMore({ earlier = 0 }: { earlier?: number }) {
  const loading = use(LoadingContext);
  if (!loading) return null;
  return (
    <span className="row gap1">
      {earlier > SIZES.page ? <Button small icon="up" busy={loading.busy} onClick={loading.earlier}>{t('gap.earlier', { n: formatNumber(SIZES.page) })}</Button> : null}
      <Button small disabled={loading.busy} title={t('gap.allHint')} onClick={loading.all}>{t('gap.all')}</Button>
    </span>
  );
}
