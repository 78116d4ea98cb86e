// Tile, title, id and kind of the chosen step, with rename, switch and delete.

import { memo, useEffect, useRef, useState } from 'react';
import type { NodeDescriptor, WorkflowNode } from '../../api/types.ts';
import { plain } from '../../text/letters.ts';
import { Pieces } from '../../code/pieces.tsx';
import { t } from '../../i18n/index.ts';
import { IconButton, Switch, Tile, Tooltip } from '../../kit/index.ts';
import { titleOf } from './then-words.ts';
import type { NodePanelProps } from './types.ts';

const ID = /^[A-Za-z_][A-Za-z0-9_-]*$/;

type Props = NodePanelProps & { nodeId: string; node: WorkflowNode; descriptor: NodeDescriptor | undefined };

/** Drawn anew with the step's title and switch, not with each key of its settings. */
export const PanelHeader = memo(function PanelHeader({ document, nodeId, node, catalog, descriptor, onEdit, readOnly = false, renameToken = 0, full = false, onFull }: Props) {
  const [naming, setNaming] = useState<'title' | 'id' | null>(null);
  const [seen, setSeen] = useState(renameToken);
  if (renameToken !== seen) {
    setSeen(renameToken);
    if (!readOnly) setNaming('title');
  }
  const kindTitle = descriptor?.title ?? node.type;
  // As on the card: one of several with the same title has its number.
  const title = titleOf(document, nodeId, catalog);
  const given = node.title?.trim() ? node.title.trim() : kindTitle;
  const number = title.startsWith(plain(given)) ? title.slice(plain(given).length) : '';

  return (
    <header className="panel-head">
      <Tile icon={descriptor?.icon ?? 'box'} tone={descriptor?.category ?? 'start'} />
      <div className="grow">
        {naming === 'title' ? (
          <NameInput
            label={t('panel.title')}
            value={node.title ?? ''}
            placeholder={kindTitle}
            onDone={(next) => {
              setNaming(null);
              if (next !== null && next !== (node.title ?? '')) {
                onEdit({ type: 'setNode', id: nodeId, path: ['title'], value: next === '' ? undefined : next }, { label: t('panel.rename') });
              }
            }}
          />
        ) : (
          <div className="row gap1">
            <b className="ell" title={plain(title)} onDoubleClick={readOnly ? undefined : () => setNaming('title')}><bdi><Pieces text={given} />{number}</bdi></b>
            {readOnly ? null : <IconButton small icon="pencil" label={t('panel.rename')} keys="F2" onClick={() => setNaming('title')} />}
          </div>
        )}
        {naming === 'id' ? (
          <NameInput
            label={t('panel.renameId')}
            value={nodeId}
            mono
            check={(next) => (next === nodeId ? null : !ID.test(next) ? t('panel.idWrong') : Object.hasOwn(document.nodes, next) ? t('panel.idTaken', { id: next }) : null)}
            onDone={(next) => {
              setNaming(null);
              if (next !== null && next !== nodeId) onEdit({ type: 'renameNode', id: nodeId, to: next }, { label: t('panel.renameId'), select: [next] });
            }}
          />
        ) : (
          <div className="s t3 ell" title={`${nodeId}, ${node.type} v${String(node.typeVersion ?? descriptor?.version ?? 1)}`}>
            {readOnly ? <code>{nodeId}</code> : (
              <Tooltip text={t('panel.renameId')}>
                <button type="button" className="panel-id" onClick={() => setNaming('id')}><code>{nodeId}</code></button>
              </Tooltip>
            )}
            , {node.type} v{node.typeVersion ?? descriptor?.version ?? 1}
          </div>
        )}
        {/* Where it can be written it stands among the settings. */}
        {readOnly && node.description?.trim() ? <div className="s t2 ell" title={plain(node.description.trim())}><Pieces text={node.description.trim().replaceAll(/\s+/g, ' ')} /></div> : null}
      </div>
      <Tooltip text={node.disabled ? t('panel.enable') : t('panel.disable')}>
        <span className="panel-switch">
          <Switch checked={node.disabled !== true} label={t('panel.enabled')} disabled={readOnly}
            onChange={(on) => onEdit({ type: 'setNode', id: nodeId, path: ['disabled'], value: on ? undefined : true }, { label: on ? t('panel.enable') : t('panel.disable') })} />
        </span>
      </Tooltip>
      {onFull ? <IconButton icon={full ? 'x' : 'fit'} label={t(full ? 'panel.fullEnd' : 'panel.full')} keys={full ? 'Escape' : 'Mod+Alt+Enter'} onClick={() => onFull(!full)} /> : null}
      {/* Here the cross closes: nobody deletes a step who wanted to go back. */}
      {readOnly || full ? null : <IconButton icon="x" label={t('panel.delete')} keys="Delete" onClick={() => onEdit({ type: 'removeNodes', ids: [nodeId] }, { label: t('panel.delete') })} />}
    </header>
  );
});

function NameInput({ label, value, placeholder, mono, check, onDone }: {
  label: string; value: string; placeholder?: string; mono?: boolean; check?: (text: string) => string | null; onDone: (text: string | null) => void;
}) {
  const [text, setText] = useState(value);
  const problem = check?.(text.trim()) ?? null;
  const box = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => {
    box.current?.focus();
    box.current?.select();
  }, []);
  const end = (next: string | null) => {
    if (done.current) return;
    done.current = true;
    onDone(next);
  };
  return (
    <>
      <span className={`input panel-name ${problem ? 'bad' : ''}`}>
        <input
          ref={box}
          className={mono ? 'mono' : ''}
          aria-label={label}
          aria-invalid={problem !== null}
          value={text}
          placeholder={placeholder}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => end(problem ? null : text.trim())}
          onKeyDown={(event) => {
            // Letters and arrows are the field's; keys that save or start are the program's.
            if (!event.ctrlKey && !event.metaKey && !/^F\d/.test(event.key)) event.stopPropagation();
            if (event.key === 'Enter' && !problem) end(text.trim());
            if (event.key === 'Escape') end(null);
          }}
        />
      </span>
      {problem ? <span className="s c-err" role="alert">{problem}</span> : null}
    </>
  );
}
