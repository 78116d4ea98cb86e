// A person says why the end of the chain is missing. It is recorded, and the chain is judged by what is there from then on.

import { useState } from 'react';
import { act } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { Field, TextArea } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { FormDialog } from '../../shared/form-dialog.tsx';

export function AcceptCutDialog({ onClose }: { onClose(): void }) {
  const [reason, setReason] = useState('');
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const accept = async () => { if (await run(() => act('audit_accept_cut', { reason: reason.trim() }))) onClose(); };
  return (
    <FormDialog title={t('audit.acceptCutTitle')} submit={t('audit.acceptCutYes')} busy={busy} error={error} complete={reason.trim() !== ''} danger onSubmit={() => void accept()} onClose={onClose}>
      <p className="t2">{t('audit.acceptCutText')}</p>
      <Field label={t('audit.acceptCutWhy')} required>{({ id }) => <TextArea id={id} rows={3} value={reason} onChange={setReason} maxLength={500} />}</Field>
    </FormDialog>
  );
}
