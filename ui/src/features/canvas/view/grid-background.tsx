/** The grid of dots: the opaque ground of the layer that the cards lie on. Panning shifts the layer; nothing is painted or blended again. */

import { useStoreApi, ViewportPortal } from '@xyflow/react';
import { useEffect, useId, useRef } from 'react';

const GAP = 16;
/** On the screen; closer dots would be a grey surface. */
const CLOSEST = 11;
/** How far the ground reaches beyond what is seen when it is laid, on the screen. */
const REACH = 4096;

export function Dots() {
  const store = useStoreApi();
  const id = useId();
  const ground = useRef<SVGSVGElement>(null);
  const pattern = useRef<SVGPatternElement>(null);
  const dot = useRef<SVGCircleElement>(null);
  useEffect(() => {
    let gap = 0;
    let laid = { left: 0, top: 0, right: 0, bottom: 0 };
    const place = (state: { transform: [number, number, number]; width: number; height: number }): void => {
      const [x, y, zoom] = state.transform;
      let next = GAP;
      while (next * zoom < CLOSEST) next *= 2;
      if (next !== gap) {
        gap = next;
        pattern.current?.setAttribute('width', String(gap));
        pattern.current?.setAttribute('height', String(gap));
        for (const name of ['r', 'cx', 'cy']) dot.current?.setAttribute(name, String(gap / GAP / 2));
      }
      const seen = { left: -x / zoom, top: -y / zoom, right: (state.width - x) / zoom, bottom: (state.height - y) / zoom };
      if (!ground.current || (seen.left >= laid.left && seen.top >= laid.top && seen.right <= laid.right && seen.bottom <= laid.bottom)) return;
      const snap = (value: number): number => Math.round(value / gap) * gap;
      const reach = REACH / zoom;
      laid = { left: snap(seen.left - reach), top: snap(seen.top - reach), right: snap(seen.right + reach), bottom: snap(seen.bottom + reach) };
      const { style } = ground.current;
      [style.left, style.top] = [`${String(laid.left)}px`, `${String(laid.top)}px`];
      [style.width, style.height] = [`${String(laid.right - laid.left)}px`, `${String(laid.bottom - laid.top)}px`];
    };
    place(store.getState());
    return store.subscribe(place);
  }, [store]);
  return (
    <ViewportPortal>
      <svg ref={ground} className="cv-dots" aria-hidden="true">
        <pattern ref={pattern} id={id} patternUnits="userSpaceOnUse" width={GAP} height={GAP}><circle ref={dot} /></pattern>
        <rect width="100%" height="100%" fill={`url(#${id})`} />
      </svg>
    </ViewportPortal>
  );
}
