/** What is not in the document yet: the chain that the highlighted template would put there, and the Audit step offered behind a person's decision (U-10). */

import { ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { plain } from '../../../text/letters.ts';
import { t } from '../../../i18n/index.ts';
import { Icon } from '../../../kit/icon.tsx';
import { NamedIcon } from '../../../kit/kind-icon.tsx';
import { applyEdits } from '../document.ts';
import { acceptGhost, type Ghost, ghostsOf, removeGhost, templateEdits } from '../templates.ts';
import { routeWires } from '../route/router.ts';
import { flowBuilder } from './flow-nodes.ts';
import type { CanvasHandle } from './handle.ts';
import { useCanvas, useUi } from './ui.ts';

export function TemplatePreview() {
  const { editor, catalog } = useCanvas();
  const search = useUi((s) => s.search);
  const id = useUi((s) => s.preview);
  const document = useStore(editor, (s) => s.settled);
  const picture = useMemo(() => {
    if (!search?.from || id === null) return null;
    const { edits, ids } = templateEdits(document, catalog, id, search.from, search.at ?? undefined);
    if (ids.length === 0) return null;
    const flow = flowBuilder()(applyEdits(document, edits).document, catalog);
    const old = new Set(document.edges.map((edge) => `${edge.from}>${edge.to}`));
    const fresh = flow.edges.filter((edge) => !old.has(edge.id) && !edge.data?.fallback);
    const routes = routeWires(flow.wires, flow.rects, { soft: flow.soft, scopes: flow.scopes });
    return { cards: flow.nodes.filter((node) => ids.includes(node.id)), wires: fresh.map((edge) => ({ key: edge.id, d: routes.get(edge.id)?.d ?? '', red: edge.data?.error ?? false })) };
  }, [document, catalog, search, id]);
  if (!picture) return null;
  return (
    <ViewportPortal>
      <div className="cv-preview" aria-hidden="true">
        <svg className="cv-preview-wires" width="1" height="1">{picture.wires.map((wire) => <path key={wire.key} className={`cv-w ${wire.red ? 'err' : ''}`} d={wire.d} />)}</svg>
        {picture.cards.map(({ id: key, position, data }) => (
          <div key={key} className={`cv-ghost k-${data.descriptor?.category ?? 'start'}`} style={{ left: position.x, top: position.y, height: data.shape.height }}>
            <span className="tile cv-tile"><NamedIcon name={data.descriptor?.icon ?? 'box'} size={16} /></span>
            <span className="col"><b className="ell">{data.title}</b><span className="s t2 ell">{plain(data.summary.text)}</span></span>
          </div>
        ))}
      </div>
    </ViewportPortal>
  );
}

export function Ghosts({ handle }: { handle: CanvasHandle }) {
  const { editor, catalog } = useCanvas();
  const document = useStore(editor, (s) => s.settled);
  const readOnly = useStore(editor, (s) => s.readOnly);
  const near = useUi((s) => s.detail < 2 && s.runView === null);
  const ghosts = useMemo(() => (readOnly || !near ? [] : ghostsOf(document, catalog)), [document, catalog, readOnly, near]);
  if (ghosts.length === 0) return null;
  const accept = (ghost: Ghost): void => {
    const { edits, ids } = acceptGhost(editor.getState().document, catalog, ghost);
    if (editor.apply(edits, { label: t('canvas.ghost.accept'), select: ids }) && ids[0] !== undefined) handle.reveal(ids[0]);
  };
  return (
    <ViewportPortal>
      {ghosts.map((ghost) => (
        <div key={ghost.owner} className="cv-ghost k-system nokey nodrag nopan" style={{ left: ghost.at[0], top: ghost.at[1] }} data-ghost={ghost.owner} role="group" aria-label={t('canvas.ghost.label')} title={t('canvas.ghost.hint')}>
          <span className="tile cv-tile"><NamedIcon name="shield" size={16} /></span>
          <span className="col"><b className="ell">{t('canvas.ghost.short')}</b><span className="s t2 ell">{t('canvas.ghost.text')}</span></span>
          <button type="button" aria-label={t('canvas.ghost.accept')} title={t('canvas.ghost.accept')} onClick={() => accept(ghost)}><Icon name="plus" size={12} /></button>
          <button type="button" aria-label={t('canvas.ghost.remove')} title={t('canvas.ghost.remove')} onClick={() => editor.apply(removeGhost(editor.getState().document, ghost.owner), { label: t('canvas.ghost.remove') })}><Icon name="x" size={12} /></button>
        </div>
      ))}
    </ViewportPortal>
  );
}
