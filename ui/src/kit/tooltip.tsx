import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { Kbd } from './kbd.tsx';

/** A short text at a control, after a pause or on keyboard focus. `children` must be one element that takes props. */
export function Tooltip({ text, keys, side = 'bottom', children }: {
  text: string; keys?: string; side?: 'top' | 'bottom' | 'left' | 'right'; children: ReactElement<Record<string, unknown>>;
}) {
  if (!text) return children;
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={500} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="layer">
          <Base.Popup className="pop tip">
            {text}
            {keys ? <Kbd keys={keys} /> : null}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
