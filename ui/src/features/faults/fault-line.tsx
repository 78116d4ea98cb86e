/** Under the panel of a step: the fault that the next run puts into it, or the way to choose one. */
import { t } from '../../i18n/index.ts';
import { Button, Icon } from '../../kit/index.ts';
import { faultText, useFaults } from '../../shared/faults.ts';
import './faults.css';

export function FaultLine({ step }: { step: string }) {
  const choice = useFaults();
  if (choice === null) return null;
  const fault = choice.faults[step];
  return (
    <div className="fault-line s" data-fault={fault === undefined ? 'none' : 'set'}>
      <Icon name="bolt" size={12} className={fault === undefined ? 't3' : 'c-wait'} />
      {fault === undefined ? null : <span className="ell grow" title={faultText(fault)}>{faultText(fault)}</span>}
      {fault === undefined
        ? <Button small onClick={() => choice.ask(step)}>{t('fault.action')}</Button>
        : <><Button small onClick={() => choice.ask(step)}>{t('fault.edit')}</Button><Button small onClick={() => choice.set(step, null)}>{t('fault.remove')}</Button></>}
    </div>
  );
}
