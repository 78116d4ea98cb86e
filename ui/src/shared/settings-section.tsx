// One part of the settings: what it is about, its lines, and what a person says when there are none.

import type { ReactNode } from 'react';
import type { ApiError } from '../api/error.ts';
import { t } from '../i18n/index.ts';
import { Banner, Button, Icon, Skeleton, type IconName } from '../kit/index.ts';

export function Section({ id, title, hint, end, children }: { id: string; title: string; hint?: string; end?: ReactNode; children: ReactNode }) {
  const heading = <div className="grow col"><h2 id={`set-${id}`} className="l" tabIndex={-1}>{title}</h2>{hint ? <span className="s t2">{hint}</span> : null}</div>;
  return (
    <section aria-labelledby={`set-${id}`}>
      {end ? <div className="row">{heading}{end}</div> : heading}
      {children}
    </section>
  );
}

/** What the host has not told: its place while it is asked, and why when it did not answer. */
export function NotRead({ error, retry, rows = 2 }: { error: ApiError | null; retry(): unknown; rows?: number }) {
  if (!error) return <div aria-busy="true"><Skeleton rows={rows} /></div>;
  return <Banner signal="err" title={error.message} actions={<Button small icon="retry" onClick={() => void retry()}>{t('common.tryAgain')}</Button>}>{error.hint ? <span className="s t2">{error.hint}</span> : null}</Banner>;
}

/** Where lines would stand: that there are none, and what they are for. */
export function NoLine({ icon, title, text, end }: { icon: IconName; title: string; text: string; end?: ReactNode }) {
  return <div className="line"><Icon name={icon} className="t3" /><div className="grow col"><span>{title}</span><span className="s t3">{text}</span></div>{end}</div>;
}
