/** Which workflow a step runs: chosen from the library, named by its id, and opened from here. */
import { useCommand } from '../../api/queries.ts';
import type { WorkflowEntry } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Button, Select, type Option } from '../../kit/index.ts';
import { Frame, useForm, type FieldProps } from '../../schema-form/index.ts';

const NONE = '';

/** The file that an id means: the first of the library, as the list has them. */
export const fileOf = (id: unknown, entries: readonly WorkflowEntry[] | undefined): WorkflowEntry | undefined =>
  typeof id === 'string' && id !== '' ? entries?.find((entry) => entry.id === id) : undefined;

export const openFile = (entry: WorkflowEntry): void => { window.location.hash = `#/workflow/${encodeURIComponent(entry.ref)}`; };

export function WorkflowField({ label, schema, value, required, findings, onValue }: FieldProps) {
  const { readOnly } = useForm();
  const list = useCommand('workflow_list', {});
  const chosen = typeof value === 'string' ? value : NONE;
  const seen = new Set<string>();
  const options: Option[] = [{ value: NONE, label: t('subworkflow.none') }];
  for (const entry of list.data ?? []) {
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    options.push({ value: entry.id, label: entry.name, hint: entry.id });
  }
  if (chosen !== NONE && !seen.has(chosen)) options.push({ value: chosen, label: list.data ? t('subworkflow.missing', { id: chosen }) : chosen });
  const file = fileOf(chosen, list.data);
  return (
    <Frame label={label} required={required} hint={schema.description} findings={findings}>
      {({ id, invalid }) => (
        <span className="row">
          <span className="grow"><Select id={id} label={label} value={chosen} options={options} invalid={invalid} disabled={readOnly} onChange={(next) => onValue(next === NONE ? undefined : next)} /></span>
          <Button icon="ext" disabled={file === undefined} onClick={() => { if (file) openFile(file); }}>{t('subworkflow.open')}</Button>
        </span>
      )}
    </Frame>
  );
}
