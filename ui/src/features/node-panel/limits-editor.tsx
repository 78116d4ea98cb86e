/** How many runs of the workflow may be under way at once, and how many may start in a time. */
import { isObject } from '../../json/json.ts';
import type { Diagnostic, JsonSchema } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Select, Switch } from '../../kit/index.ts';
import { Field, Findings, diagnosticsAt } from '../../schema-form/index.ts';

const MAX: JsonSchema = { type: 'integer', minimum: 1, maximum: 1000, get title() { return t('limits.max'); } };
const KEY: JsonSchema = { type: 'string', get title() { return t('limits.key'); }, 'x-widget': 'text' };
const COUNT: JsonSchema = { type: 'integer', minimum: 1, get title() { return t('limits.count'); } };
const PER: JsonSchema = { type: 'integer', minimum: 1, get title() { return t('limits.per'); }, 'x-ui': { widget: 'duration' } };

const ON_LIMIT = ['queue', 'skip', 'cancel_oldest'] as const;
/** A minute, as most services count. */
const RATE = { count: 10, perMs: 60_000 };

export function LimitsEditor({ concurrency, rateLimit, diagnostics, readOnly, onChange }: {
  concurrency: unknown;
  rateLimit: unknown;
  diagnostics: readonly Diagnostic[];
  readOnly: boolean;
  onChange(path: readonly string[], value: unknown): void;
}) {
  const places = isObject(concurrency) ? concurrency : {};
  const rate = isObject(rateLimit) ? rateLimit : {};
  const onLimit = ON_LIMIT.find((one) => one === places['onLimit']) ?? 'queue';
  return (
    <>
      <div className="field" role="group" aria-label={t('limits.title')}>
        <span className="lab">
          {t('limits.title')}
          <span className="end"><Switch label={t('limits.title')} checked={concurrency !== undefined} disabled={readOnly} onChange={(on) => onChange(['settings', 'concurrency'], on ? { max: 1 } : undefined)} /></span>
        </span>
        <span className="s t3">{t('limits.hint')}</span>
        {concurrency === undefined ? null : (
          <>
            <Field name="max" schema={MAX} value={places['max']} path={['settings', 'concurrency', 'max']} required />
            <div className="field">
              <span className="lab">{t('limits.onLimit')}</span>
              <Select label={t('limits.onLimit')} value={onLimit} disabled={readOnly} wide onChange={(next) => onChange(['settings', 'concurrency', 'onLimit'], next === 'queue' ? undefined : next)}
                options={ON_LIMIT.map((one) => ({ value: one, label: t(`limits.onLimit.${one}`) }))} />
            </div>
            <Field name="key" schema={KEY} value={places['key']} path={['settings', 'concurrency', 'key']} />
            <span className="s t3">{t('limits.keyHint')}</span>
          </>
        )}
        <Findings findings={diagnosticsAt(diagnostics, '/settings/concurrency', false)} />
      </div>
      <div className="field" role="group" aria-label={t('limits.rate')}>
        <span className="lab">
          {t('limits.rate')}
          <span className="end"><Switch label={t('limits.rate')} checked={rateLimit !== undefined} disabled={readOnly} onChange={(on) => onChange(['settings', 'rateLimit'], on ? RATE : undefined)} /></span>
        </span>
        <span className="s t3">{t('limits.rateHint')}</span>
        {rateLimit === undefined ? null : (
          <>
            <Field name="count" schema={COUNT} value={rate['count']} path={['settings', 'rateLimit', 'count']} required />
            <Field name="perMs" schema={PER} value={rate['perMs']} path={['settings', 'rateLimit', 'perMs']} required />
          </>
        )}
        <Findings findings={diagnosticsAt(diagnostics, '/settings/rateLimit', false)} />
      </div>
    </>
  );
}
