import './palette.css';
import { t } from '../../i18n/index.ts';
import { Dialog, Kbd, keysOf, useAllActions, type Action } from '../../kit/index.ts';

/** Groups in order of first appearance. */
export function byGroup(actions: Action[]): [string, Action[]][] {
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    const name = action.group ?? t('group.app');
    groups.set(name, [...(groups.get(name) ?? []), action]);
  }
  return [...groups];
}

export function ShortcutSheet({ open, onClose }: { open: boolean; onClose(): void }) {
  const actions = useAllActions().filter((action) => keysOf(action).length > 0);
  return (
    <Dialog open={open} onClose={onClose} title={t('keys.title')} closeLabel={t('common.close')} width={720}
      footer={<span className="s t3 grow">{t('keys.change')}</span>}>
      <div className="keys-list">
        {byGroup(actions).map(([name, list]) => (
          <section key={name}>
            <h3 className="cap">{name}</h3>
            <ul>
              {list.map((action) => (
                <li key={action.id}>
                  <span className="grow ell">{action.title}</span>
                  {keysOf(action).map((keys) => <Kbd key={keys} keys={keys} />)}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
