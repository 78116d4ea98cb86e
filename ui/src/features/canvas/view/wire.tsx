/** One wire: its track, an arrow where it runs backwards, a tag with the number of items and its breakpoint. */

import { type ConnectionLineComponentProps, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { memo, useState } from 'react';
import { useStore } from 'zustand';
import { formatCount, t } from '../../../i18n/index.ts';
import { Icon } from '../../../kit/icon.tsx';
import { splitPort } from '../../../shared/step-ids.ts';
import { looseRoute, type Route } from '../route/router.ts';
import { plusPlace } from '../route/tags.ts';
import type { WireEdge } from './flow-nodes.ts';
import { wireState } from './run-styles.ts';
import { useCanvas, useUi } from './ui.ts';

/** In the layer above all wires: no wire runs through the number of another. */
function Tag({ edge, of, at, text, tone, icon = false, point }: { edge: string; of: string; at: readonly [number, number]; text: string; tone: string; icon?: boolean; point: string | undefined }) {
  const words = point === undefined ? '' : point === '' ? t('debug.markWire') : t('debug.markWireWhen', { when: point });
  return (
    <EdgeLabelRenderer>
      <span data-edge={edge} data-of={of} className={`cv-tag ${tone} ${point === undefined ? '' : text === '' && !icon ? 'point bare' : 'point'}`} style={{ transform: `translate(-50%, -50%) translate(${at[0]}px, ${at[1]}px)` }}>
        {point === undefined ? null : <span className="c-err" title={words} data-mark="breakpoint"><Icon name="brk" size={12} label={words} /></span>}{icon ? <Icon name="undo" size={12} /> : null}{text}
      </span>
    </EdgeLabelRenderer>
  );
}

/** What the tag of a wire says: how much came along it, else where it leads back to, or that it is a fallback. */
function tagOf(data: NonNullable<WireEdge['data']>, count: number, more: string): { text: string; tone: string; icon?: boolean } | null {
  if (data.fallback) return { text: t('canvas.fallbackTag'), tone: '' };
  if (count > 0) return { text: `${formatCount(count)}${more}`, tone: data.error ? 'err' : 'ok' };
  return data.back ? { text: data.back, tone: 'back', icon: true } : null;
}

export const Wire = memo(function Wire({ id, data, selected }: EdgeProps<WireEdge>) {
  // Of the file: on the canvas the wire may end at a folded group.
  const source = splitPort(data?.from ?? '').node;
  const target = data?.to ?? '';
  const route = useUi((s) => s.routes.get(id));
  const from = data?.from ?? '';
  // A fallback has no port of its own in the file; a run counts it as one.
  const port = data?.fallback ? `${source}.fallback` : from;
  const state = useUi((s) => wireState(s.runView, port, source, target));
  const count = useUi((s) => s.runView?.ports[from] ?? 0);
  // More came along it in calls that are not loaded.
  const more = useUi((s) => (s.runView?.nodes[source]?.unloaded ? '+' : ''));
  const dropping = useUi((s) => s.dropEdge === id);
  const moving = useUi((s) => s.connect?.moving !== null && s.connect?.moving !== undefined && s.connect.moving.from === from && s.connect.moving.to === target);
  const point = useUi((s) => s.breakpoints.get(`${port}>${target}`));
  const detail = useUi((s) => s.detail);
  const [over, setOver] = useState(false);
  const editable = useStore(useCanvas().editor, (s) => !s.readOnly);
  const far = detail >= 2;
  // Where the cards are drawn small, many wires are in sight: the one under the pointer has its plus.
  const plus = detail === 0 || (detail === 1 && over);
  if (!route || !data || moving) return null;
  const tag = far ? null : tagOf(data, state === 'taken' || state === 'live' ? count : 0, more);
  const cls = ['cv-w', data.error ? 'err' : '', data.fallback ? 'fallback' : '', data.back === null ? '' : 'back', selected ? 'sel' : '', dropping ? 'drop' : '', state].join(' ');
  return (
    <g className="cv-wire" data-wire={`${from}>${target}`} data-state={state} onPointerEnter={detail === 1 ? () => setOver(true) : undefined} onPointerLeave={over ? () => setOver(false) : undefined}>
      {route.crossings.map(({ at, flat }, i) => (
        // The list belongs to one route and is replaced with it: its places are its identity.
        <path key={`${at[0]},${at[1]},${String(i)}`} className="cv-halo" d={flat ? `M${at[0] - 8} ${at[1]}h16` : `M${at[0]} ${at[1] - 8}v16`} />
      ))}
      <path className="cv-grab react-flow__edge-interaction" d={route.d} />
      <path className={cls} d={route.d} />
      {route.arrow ? <path className={`${cls} cv-arrow`} d="M-4 -4L2 0L-4 4" transform={`translate(${route.arrow.at[0]} ${route.arrow.at[1]}) rotate(${route.arrow.angle})`} /> : null}
      {plus && editable && !data.fallback ? <Plus edge={id} route={route} tagged={(tag ? (data.back ? data.back.length * 6 + 28 : 16 + tag.text.length * 7) : 0) + (point === undefined ? 0 : 18)} /> : null}
      {tag || point !== undefined ? <Tag edge={id} of={`${port}>${target}`} at={route.tag} text={tag?.text ?? ''} tone={tag?.tone ?? ''} icon={tag?.icon ?? false} point={point} /> : null}
    </g>
  );
});

/** Adds a step in the middle of the wire. Where a tag stands it is shown with the pointer only, beside the tag. */
function Plus({ edge, route, tagged }: { edge: string; route: Route; tagged: number }) {
  const [x, y] = plusPlace(route, tagged);
  return (
    <g className={`cv-plus ${tagged > 0 ? 'beside' : ''}`} data-plus={edge} transform={`translate(${String(x)} ${String(y)})`} aria-hidden="true">
      <title>{t('canvas.plus.wire')}</title>
      <circle className="cv-plus-hit" r="12" /><circle r="7" /><path d="M-3.5 0H3.5M0 -3.5V3.5" />
    </g>
  );
}

/** The wire while it is being dragged. */
export function DraggedWire({ toX, toY }: ConnectionLineComponentProps) {
  const connect = useUi((s) => s.connect);
  if (!connect) return null;
  const red = connect.down;
  return <path className={`cv-w dragging ${red ? 'err' : ''}`} d={looseRoute(connect.start, [toX, toY], connect.from !== null && red, connect.into !== null)} />;
}
