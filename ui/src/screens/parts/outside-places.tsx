/** Places outside that the audit chain goes to: what those of checkpoints and those of copies have in common. */
import type { ReactNode } from 'react';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { Button, Icon, toast, type IconName } from '../../kit/index.ts';

export interface OutsidePlace { id: string; place: string; /** Why it does not take what it is given. */ error?: string }

/** Something that is done at them. The answer is how they stand then: one that still fails is told. */
export function useOutside(failedTitle: string) {
  const { busy, run } = useAsyncAction();
  const doing = (work: () => Promise<readonly OutsidePlace[]>, done: string) => run(async () => {
    const failed = (await work()).find((place) => place.error !== undefined);
    toast(failed ? { signal: 'warn', text: failedTitle, detail: failed.error } : { signal: 'ok', text: done });
  });
  return { busy, doing };
}

/** One of them. `says`: how far it is; `children`: what only some have; `remove`: its button, for who may. */
export function PlaceLine({ one, icon, says, badge, remove, children }: {
  one: OutsidePlace; icon: IconName; says: string; badge?: ReactNode; remove?: { label: string; text: string; busy: boolean; onRemove(): void } | undefined; children?: ReactNode;
}) {
  return (
    <div className="line">
      <Icon name={one.error ? 'errd' : icon} className={one.error ? 'c-err' : 't2'} />
      <div className="grow col">
        <span className="mono ell" title={one.place}>{one.place}</span>
        <span className="s t3">{says}</span>
        {children}
        {one.error ? <span className="s c-err" role="alert">{one.error}</span> : null}
      </div>
      {badge}
      {remove ? <Button small busy={remove.busy} aria-label={remove.label} onClick={remove.onRemove}>{remove.text}</Button> : null}
    </div>
  );
}
