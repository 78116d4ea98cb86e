import { useEffect, useRef, useState } from 'react';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { Icon, TextInput } from '../../kit/index.ts';

/** The name in the title bar; a click or the action makes it a field. Enter keeps, Esc drops. */
export function WorkflowName({ name, editing, onEditing, onRename, readOnly }: {
  name: string; editing: boolean; onEditing(editing: boolean): void; onRename(name: string): void; readOnly: boolean;
}) {
  const [text, setText] = useState(name);
  const input = useRef<HTMLInputElement>(null);
  const dropped = useRef(false);
  useEffect(() => {
    if (!editing) return;
    setText(name);
    dropped.current = false;
    input.current?.focus();
    input.current?.select();
    // The field starts with the name of this moment.
  }, [editing]); // eslint-disable-line react/exhaustive-deps
  if (!editing) {
    return (
      <button type="button" className="wb-name shrink" disabled={readOnly} title={plain(name)} aria-label={`${plain(name)}, ${t('builder.rename')}`} onClick={() => onEditing(true)}>
        <h1><bdi><Pieces text={name} /></bdi></h1><Icon name="pencil" size={12} />
      </button>
    );
  }
  const done = () => {
    const next = text.trim();
    if (!dropped.current && next && next !== name) onRename(next);
    onEditing(false);
  };
  return (
    <TextInput ref={input} className="wb-rename" value={text} maxLength={200} aria-label={t('builder.name')} onChange={setText} onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          dropped.current = true;
          event.currentTarget.blur();
        }
      }} />
  );
}
