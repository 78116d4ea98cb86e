/** Buttons on the canvas: add, tidy, safe policy; zoom and fit; what the signs of a run mean. */

import { useStore as useFlowStore } from '@xyflow/react';
import { useStore } from 'zustand';
import { t } from '../../../i18n/index.ts';
import { Icon } from '../../../kit/icon.tsx';
import { Kbd } from '../../../kit/kbd.tsx';
import { type Signal, SignalIcon } from '../../../kit/signal.tsx';
import type { Rect } from '../model/place.ts';
import type { CanvasHandle } from './handle.ts';
import { useCanvas, useUi } from './ui.ts';

export function TopTools({ handle }: { handle: CanvasHandle }) {
  const { ui, editor } = useCanvas();
  const adding = useUi((s) => s.search !== null);
  const shown = useUi((s) => s.showSafe);
  const readOnly = useStore(editor, (s) => s.readOnly);
  const safe = useStore(editor, (s) => s.settled.settings?.errorPolicy === 'safe');
  const outline = useUi((s) => s.outline);
  return (
    <div className="cv-tools top" role="toolbar" aria-label={t('canvas.label')}>
      {readOnly ? null : (
        <>
          <button type="button" className={adding ? 'on' : ''} onClick={() => handle.openAdd(false)} title={t('canvas.do.add')}><Icon name="plus" /><span className="cv-word">{t('canvas.addNode')}</span><Kbd keys="Tab" /></button>
          <button type="button" onClick={() => handle.tidy()} aria-label={t('canvas.tidy')} title={t('canvas.do.tidy')}><Icon name="grid" /></button>
        </>
      )}
      <button type="button" className={outline ? 'on' : ''} aria-pressed={outline} aria-label={t('outline.label')} title={t('canvas.do.outline')} onClick={() => handle.toggleOutline()}><Icon name="outline" /></button>
      {safe ? (
        <button type="button" aria-pressed={shown} title={t('canvas.safeTitle')} onClick={() => ui.setState({ showSafe: !shown })}>
          <Icon name="shield" /><span className="cv-word">{shown ? t('canvas.safeShown') : t('canvas.safeHidden')}</span>
        </button>
      ) : null}
    </div>
  );
}

export function ZoomTools({ handle, zoom }: { handle: CanvasHandle; zoom: number }) {
  return (
    <div className="cv-tools bottom" role="toolbar" aria-label={t('canvas.fit')}>
      <button type="button" aria-label={t('canvas.zoomOut')} title={t('canvas.zoomOut')} onClick={() => handle.zoomBy(1 / 1.2)}><Icon name="minus" /></button>
      <button type="button" className="zoom" aria-label={`${Math.round(zoom * 100)}%, ${t('canvas.zoomReset')}`} title={t('canvas.zoomReset')} onClick={() => handle.resetZoom()}>{Math.round(zoom * 100)}%</button>
      <button type="button" aria-label={t('canvas.zoomIn')} title={t('canvas.zoomIn')} onClick={() => handle.zoomBy(1.2)}><Icon name="plus" /></button>
      <button type="button" onClick={() => handle.fit()}><Icon name="fit" />{t('canvas.fit')}<Kbd keys="1" /></button>
    </div>
  );
}

export const LEGEND: [Signal, Parameters<typeof t>[0]][] = [
  ['ok', 'canvas.state.done'], ['run', 'canvas.state.running'], ['retry', 'canvas.state.retrying'], ['wait', 'canvas.state.waiting'], ['person', 'canvas.state.asks'],
  ['skip', 'canvas.state.skipped'], ['kept', 'canvas.state.kept'], ['err', 'canvas.state.failed'],
];

/** The corner of the words, in pixels of the canvas: from its left lower edge (canvas.css). */
const LEGEND_BOX = { right: 136, from: 220, to: 44 };

/** What the signs mean. The steps come first: where one of them would lie under the words, there are none. */
export function Legend({ rects }: { rects: ReadonlyMap<string, Rect> }) {
  const run = useUi((s) => s.runView !== null);
  const free = useFlowStore(({ transform: [x, y, zoom], height }) => run && ![...rects.values()].some((r) =>
    r.x * zoom + x < LEGEND_BOX.right && (r.x + r.width) * zoom + x > 0 && (r.y + r.height) * zoom + y > height - LEGEND_BOX.from && r.y * zoom + y < height - LEGEND_BOX.to));
  if (!free) return null;
  return (
    <div className="cv-legend-room" aria-hidden="true">
      <div className="cv-legend">
        {LEGEND.map(([signal, words]) => <div key={signal}><SignalIcon signal={signal} size={12} />{t(words)}</div>)}
      </div>
    </div>
  );
}
