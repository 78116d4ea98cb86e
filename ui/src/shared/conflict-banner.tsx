/** Somebody else was faster: what this person had written until then was not sent, and stays to be copied. */
import type { ReactNode } from 'react';
import { useCopy } from '../code/use-copy.ts';
import { t } from '../i18n/index.ts';
import { Banner, Button } from '../kit/index.ts';

export function ConflictBanner({ title, json, onDrop, children }: { title: string; /** What was written, when it is JSON. */ json?: (() => string) | undefined; onDrop(): void; children?: ReactNode }) {
  const { copied, copy } = useCopy();
  return (
    <Banner signal="info" title={title}
      actions={<>
        {json ? <Button small icon={copied ? 'check' : 'copy'} onClick={() => copy(json())}>{t('unsent.copy')}</Button> : null}
        <Button small icon="x" onClick={onDrop}>{t('unsent.drop')}</Button>
      </>}>
      <span className="s t2">{children} {t('unsent.kept')}</span>
    </Banner>
  );
}
