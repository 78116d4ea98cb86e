/** The step of a form in the editor: the address of its page, a preview, and a firing with sample answers. */
import { useState } from 'react';
import { isTauri } from '../../api/transport/tauri.ts';
import { act, useCommand, usePermission } from '../../api/queries.ts';
import type { JsonMap, JsonSchema } from '../../api/types.ts';
import { useCopy } from '../../code/use-copy.ts';
import { t } from '../../i18n/index.ts';
import { Button, Dialog } from '../../kit/index.ts';
import { asSchema } from '../../json/json-schema.ts';
import { isObject } from '../../json/json.ts';
import { useAsyncAction } from '../use-async-action.ts';
import { firstAnswers, FormFields, type FormFiles } from './form-fields.tsx';

export function FormStep({ workflowId, nodeId, config }: { workflowId: string; nodeId: string; config: JsonMap }) {
  const path = typeof config['path'] === 'string' ? config['path'] : '';
  const may = usePermission();
  const { copied, copy } = useCopy();
  const { busy, run } = useAsyncAction();
  const [preview, setPreview] = useState(false);
  const active = useCommand('trigger_list', { workflowId }).data?.find((one) => one.nodeId === nodeId);
  // The window has no server of its own: only `serve` has an address.
  const served = !isTauri() && window.location.protocol === 'http:';
  const place = `/forms/${path}`;
  const address = served ? `${window.location.origin}${place}` : place;
  const schema = asSchema(config['schema']);
  return (
    <div className="field form-step" role="group" aria-label={t('formStep.title')}>
      <span className="lab">{t('formStep.title')}</span>
      {path === '' ? <span className="s t3">{t('formStep.noPath')}</span> : (
        <>
          <code className="form-step-address">{address}</code>
          <span className="s t3">{t(served ? 'formStep.hint' : 'formStep.noServer')}</span>
        </>
      )}
      <div className="row gap2 form-step-actions">
        {path === '' ? null : <Button small icon="copy" onClick={() => copy(address)}>{t(copied ? 'formStep.copied' : 'formStep.copy')}</Button>}
        {served && active && path !== '' ? <Button small icon="ext" onClick={() => window.open(address, '_blank', 'noopener')}>{t('formStep.open')}</Button> : null}
        {isObject(schema.properties) && Object.values(schema.properties).every(isObject) ? <Button small icon="eye" onClick={() => setPreview(true)}>{t('formStep.preview')}</Button> : null}
        {may('trigger_fire') && active ? <Button small icon="bolt" busy={busy} onClick={() => void run(() => act('trigger_fire', { triggerId: active.triggerId }), t('formStep.fired'))}>{t('formStep.fire')}</Button> : null}
      </div>
      {preview ? <Preview config={config} schema={schema} onClose={() => setPreview(false)} /> : null}
    </div>
  );
}

function Preview({ config, schema, onClose }: { config: JsonMap; schema: JsonSchema; onClose(): void }) {
  const [answers, setAnswers] = useState<unknown>(() => firstAnswers(schema));
  const [files, setFiles] = useState<FormFiles>({});
  const text = (name: string) => (typeof config[name] === 'string' ? String(config[name]) : '');
  const title = text('title') || t('formPage.untitled');
  return (
    <Dialog open onClose={onClose} width={560} title={t('formStep.previewTitle')} closeLabel={t('common.close')} footer={<Button onClick={onClose}>{t('common.close')}</Button>}>
      <div className="form-step-preview">
        <p className="s t3">{t('formStep.previewText')}</p>
        <h2 className="l"><bdi>{title}</bdi></h2>
        {text('description') ? <p className="t2"><bdi>{text('description')}</bdi></p> : null}
        <FormFields schema={schema} value={answers} files={files} diagnostics={[]} label={title} onChange={setAnswers} onFiles={setFiles} />
        <div><Button variant="primary" disabled>{text('submitLabel') || t('formPage.submit')}</Button></div>
      </div>
    </Dialog>
  );
}
