/** The card of one node: tile, title, one line, state, ports. Drawn again only when something of this node changes. */

import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useStore } from 'zustand';
import { isStoppedAt, onlyAsks } from '../../../run/run-location.ts';
import { plain } from '../../../text/letters.ts';
import { formatNumber, t, tn } from '../../../i18n/index.ts';
import { NamedIcon } from '../../../kit/kind-icon.tsx';
import { recoveryKind } from '../model/recovery.ts';
import { ERROR, type PortSpot } from '../model/ports.ts';
import { InputBar, Marks, PolicyStub, Port, Title, useNow, usePolicy, useWireMark } from './card-parts.tsx';
import type { CardData, CardNode } from './flow-nodes.ts';
import { IterationPicker, roundsAt } from './iterations.tsx';
import { lookOf } from './run-styles.ts';
import { useCanvas, useUi } from './ui.ts';

const asPorts = (data: CardData): { green: PortSpot[]; red: PortSpot | undefined } => ({
  green: data.shape.ports.filter((p) => p.kind === 'success'),
  red: data.shape.ports.find((p) => p.kind === 'error'),
});

export const NodeCard = memo(function NodeCard({ id, data, selected }: NodeProps<CardNode>) {
  const { node, descriptor, title, shape, summary, wired, arrives } = data;
  const run = useUi((s) => s.runView?.nodes[id]);
  // As one text: a batch of events draws only the cards whose ports it counts.
  const counts = useUi((s) => (s.runView ? shape.ports.map((p) => s.runView?.ports[`${id}.${p.id}`] ?? 0).join() : ''));
  const live = useUi((s) => s.runView !== null);
  const safe = useUi((s) => s.showSafe);
  const policy = usePolicy();
  const { editor } = useCanvas();
  const editable = useStore(editor, (s) => !s.readOnly);
  const mark = useWireMark(id);
  const now = useNow(run?.state === 'retrying' || run?.state === 'waiting');
  const stopped = useUi((s) => isStoppedAt(s.runView, editor.getState().document, id));
  const asks = useUi((s) => onlyAsks(s.runView, id));
  const look = lookOf(run && asks ? { ...run, state: 'asks' } : run, node.disabled === true, now, stopped, useUi((s) => s.runView?.parentRunId), editable);
  const { green, red } = asPorts(data);
  const byPort = counts.split(',');
  const taken = (port: string): number => Number(byPort[shape.ports.findIndex((p) => p.id === port)] ?? 0);
  const count = run && (run.state === 'done' || run.state === 'handled') && run.itemsOut > 0 ? run.itemsOut : null;
  // Where iterations are chosen, theirs is the number on the card.
  const chosen = useUi((s) => s.runView?.nodes[id]?.over !== undefined && roundsAt(s.runView, editor.getState().document.nodes, id, false) !== null);
  const state = look.words || (live ? t('canvas.state.idle') : '');
  const problems = useUi((s) => s.problems.get(id));
  const pinned = useUi((s) => s.pinned.has(id));
  const line = plain(look.line ?? summary.text);
  const whole = look.whole ?? line;
  const described = [
    t('canvas.node.describe', { title, kind: descriptor?.title ?? node.type, state }).replace(/, $/, ''),
    look.line === null ? null : whole, count === null ? null : tn('canvas.items', count), ...(problems ?? []).map((p) => plain(p.message)),
  ].filter(Boolean).join('. ');
  return (
    <div className={`cv-node nokey k-${descriptor?.category ?? 'start'} ${look.className} ${selected ? 'is-sel' : ''} ${mark} ${pinned ? 'is-pinned' : ''}`} data-node={id} data-state={run?.state ?? 'idle'}>
      <span id={`card-${id}`} className="vh">{described}</span>
      <div className="cv-hd">
        <span className="tile cv-tile"><NamedIcon name={descriptor?.icon ?? 'box'} size={16} /></span>
        <div className="cv-tx">
          <div className="cv-r1">
            <Title id={id} title={title} own={node.title} />
            <Marks id={id} look={look} />
            {shape.style === 'text' ? <span className={`cv-port ${taken(green[0]?.id ?? '') > 0 ? 'hit' : ''}`}>{green[0]?.title}</span> : null}
          </div>
          <div className="cv-r2">
            <span className={`cv-sum ${summary.mono && look.line === null ? 'mono' : ''} ${look.tail ? 'cv-tail' : ''}`} title={whole}>{look.tail ? <bdi>{line}</bdi> : line}</span>
            {count === null || shape.style === 'text' || chosen ? null : <span className="t3">{formatNumber(count)}{run?.unloaded ? '+' : ''}</span>}
            {live && node.parent !== undefined ? <IterationPicker id={id} /> : null}
            {shape.style === 'text' ? <span className={`cv-port ${taken(green[1]?.id ?? '') > 0 ? 'hit' : ''}`}>{green[1]?.title}</span> : null}
          </div>
        </div>
      </div>
      {shape.style === 'rows' ? (
        <div className="cv-rows">
          {green.map((port) => <div key={port.id} className={taken(port.id) > 0 ? 'hit' : ''}><span className="ell">{port.title}</span></div>)}
        </div>
      ) : null}
      {shape.input ? <InputBar id={id} title={title} y={shape.inputY} arrives={arrives} /> : null}
      {shape.ports.map((port) => (
        <Port key={port.id} id={id} port={port} title={title} shape={shape} on={wired.includes(port.id) || (port.id === ERROR && run?.state === 'failed')} />
      ))}
      {red && safe && !wired.includes(red.id) && !node.errorHandling?.fallbackNodeId ? <PolicyStub from={`${id}.${red.id}`} x={red.x} y={red.y} policy={recoveryKind(node.type) === 'healer' ? 'ask' : policy} press={editable && recoveryKind(node.type) === undefined} /> : null}
    </div>
  );
});
