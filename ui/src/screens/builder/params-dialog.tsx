import { useState } from 'react';
import { toApiError, type ApiError } from '../../api/error.ts';
import type { JsonMap, JsonSchema } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Dialog } from '../../kit/index.ts';
import { SchemaForm } from '../../schema-form/index.ts';
import { mustAsk } from './params.ts';

/** The run's input, as the workflow declares it. Stays open with the error when the start fails. */
export function ParamsDialog({ name, schema, first, onStart, onClose }: {
  name: string; schema: JsonSchema; first: JsonMap; onStart(params: JsonMap): Promise<void>; onClose(): void;
}) {
  const [value, setValue] = useState<JsonMap>(first);
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  async function start() {
    setBusy(true);
    setError(null);
    try {
      await onStart(value);
    } catch (cause) {
      setError(toApiError(cause));
      setBusy(false);
    }
  }
  return (
    <Dialog open typed onClose={onClose} title={t('params.title', { name })} closeLabel={t('common.cancel')} width={520}
      footer={<>
        <Button keys="Escape" onClick={onClose}>{t('common.cancel')}</Button>
        <Button variant="primary" icon="play" busy={busy} disabled={mustAsk(schema, value)} onClick={() => void start()}>{t('params.run')}</Button>
      </>}>
      <div className="col" style={{ gap: 12 }}>
        <p className="t2">{t('params.text')}</p>
        {error ? <Banner signal="err" title={`${t('params.startFailed')}: ${error.message}`}>{error.hint ? <span className="s t2">{error.hint}</span> : null}</Banner> : null}
        <SchemaForm schema={schema} value={value} label={t('params.title', { name })} onChange={(next) => setValue(next as JsonMap)} />
      </div>
    </Dialog>
  );
}
