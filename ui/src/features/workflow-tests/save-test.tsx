/** Saves a finished run as a test of its workflow. */

import { useState } from 'react';
import { toApiError, type ApiError } from '../../api/error.ts';
import { act, usePermission } from '../../api/queries.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Button, Checkbox, Field, TextInput } from '../../kit/index.ts';

type State = 'closed' | 'open' | 'saving' | { file: string; notes: string[] };

export function SaveTest({ runId, name: suggested }: { runId: string; name: string }) {
  const may = usePermission()('run_save_test');
  const [state, setState] = useState<State>('closed');
  const [name, setName] = useState(suggested);
  const [files, setFiles] = useState(true);
  const [failed, setFailed] = useState<ApiError | null>(null);
  if (!may) return null;
  async function save() {
    setState('saving');
    setFailed(null);
    try {
      setState(await act('run_save_test', { runId, name, files }));
    } catch (cause) {
      setFailed(toApiError(cause));
      setState('open');
    }
  }
  if (typeof state === 'object') {
    return (
      <div className="col gap1" role="status">
        <span className="s"><Pieces text={t('tests.saved', { file: state.file })} /></span>
        {state.notes.map((note) => <span key={note} className="s t2"><Pieces text={note} /></span>)}
      </div>
    );
  }
  if (state === 'closed') return <Button small icon="okc" title={t('tests.saveHint')} onClick={() => setState('open')}>{t('tests.save')}</Button>;
  return (
    <form className="col gap1" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <Field label={t('tests.name')} hint={t('tests.saveHint')} error={failed ? `${t('tests.saveFailed')}: ${failed.message} ${failed.hint}` : undefined}>
        {({ id, describedBy, invalid }) => <TextInput id={id} aria-describedby={describedBy} invalid={invalid} value={name} maxLength={200} onChange={setName} />}
      </Field>
      <label className="row gap1 s"><Checkbox checked={files} onChange={setFiles} label={t('tests.files')} /><span>{t('tests.files')}</span></label>
      <span className="s t2">{t('tests.filesHint')}</span>
      <span className="row gap1"><Button small type="submit" busy={state === 'saving'} disabled={name.trim() === ''}>{t('tests.saveNow')}</Button><Button small variant="ghost" onClick={() => { setFailed(null); setState('closed'); }}>{t('common.cancel')}</Button></span>
    </form>
  );
}
