/** Where a task also stands: its entries in other services, and what could not be sent there. */
import { formatDateTime, t } from '../../i18n/index.ts';
import { Icon } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import type { Task } from './types.ts';

type Copy = NonNullable<Task['elsewhere']>[number];

/** The address leaves this program: only the web is opened. */
function Place({ one }: { one: Copy }) {
  if (!one.externalId) return one.error ? null : <span className="t3">{t('dest.creating')}</span>;
  if (!one.link || !/^https?:\/\//u.test(one.link)) return <SafeText line text={one.externalId} />;
  return <a className="link" href={one.link} target="_blank" rel="noopener noreferrer"><SafeText line text={one.externalId} /></a>;
}

function trouble(one: Copy): string | undefined {
  if (!one.error) return undefined;
  const what = t('dest.why', { what: t(one.externalId ? 'dest.notUpdated' : 'dest.notCreated'), why: one.error });
  return one.againAt ? `${what}, ${t('dest.againAt', { time: formatDateTime(one.againAt) })}` : what;
}

export function Elsewhere({ task }: { task: Task }) {
  const copies = task.elsewhere ?? [];
  if (copies.length === 0) return null;
  return (
    <div className="ib-links s row wrap">
      {copies.map((one) => {
        const why = trouble(one);
        return (
          <span key={one.id} className="row">
            <Icon name="send" size={12} className={one.state === 'failed' ? 'c-err' : 'c-person'} />
            <span className="t2">{t('dest.also', { name: one.name })}</span>
            <Place one={one} />
            {why ? <span className={one.state === 'failed' ? 'c-err' : 'c-wait'}><SafeText text={why} /></span> : null}
            {one.note ? <span className="c-wait"><SafeText text={one.note} /></span> : null}
          </span>
        );
      })}
    </div>
  );
}
