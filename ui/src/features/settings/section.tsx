// One part of the settings: what it is about, its lines, and what a person says when there are none.

import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../kit/index.ts';

export function Section({ id, title, hint, end, children }: { id: string; title: string; hint?: string; end?: ReactNode; children: ReactNode }) {
  const heading = <div className="grow col"><h2 id={`set-${id}`} className="l">{title}</h2>{hint ? <span className="s t2">{hint}</span> : null}</div>;
  return (
    <section aria-labelledby={`set-${id}`}>
      {end ? <div className="row">{heading}{end}</div> : heading}
      {children}
    </section>
  );
}

/** Where lines would stand: that there are none, and what they are for. */
export function NoLine({ icon, title, text, end }: { icon: IconName; title: string; text: string; end?: ReactNode }) {
  return <div className="line"><Icon name={icon} className="t3" /><div className="grow col"><span>{title}</span><span className="s t3">{text}</span></div>{end}</div>;
}
