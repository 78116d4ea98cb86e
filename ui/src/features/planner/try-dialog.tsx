/** Consent to a try: the list of what is really called. Writes are called only when they are selected one by one. */
import { useState } from 'react';
import type { PlanCall } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { t } from '../../i18n/index.ts';
import { Badge, Button, Checkbox, Dialog } from '../../kit/index.ts';

export function TryDialog({ calls, onTry, onClose }: { calls: readonly PlanCall[]; onTry(allowed: string[]): void; onClose(): void }) {
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set());
  const toggle = (step: string, on: boolean) => setAllowed((before) => {
    const next = new Set(before);
    if (on) next.add(step);
    else next.delete(step);
    return next;
  });
  return (
    <Dialog open onClose={onClose} title={t('plan.tryTitle')} closeLabel={t('common.close')} footer={<>
      <Button onClick={onClose}>{t('common.cancel')}</Button>
      <Button variant="primary" onClick={() => onTry([...allowed])}>{t('plan.tryStart')}</Button>
    </>}>
      <p className="t2">{calls.length === 0 ? t('plan.tryNone') : t('plan.tryText')}</p>
      <div className="pl-calls">
        {calls.map((call) => (
          <div key={call.step} className="pl-call" data-call={call.step}>
            {call.effect === 'write' ? <Checkbox checked={allowed.has(call.step)} onChange={(on) => toggle(call.step, on)} label={t('plan.tryAllow', { name: plain(call.title) })} /> : null}
            <Badge signal={call.effect === 'write' ? 'warn' : 'info'}>{t(call.effect === 'write' ? 'plan.tryWrite' : 'plan.tryRead')}</Badge>
            <span className="grow col"><span>{plain(call.title)}</span><span className="s t2 mono">{plain(call.target)}</span></span>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
