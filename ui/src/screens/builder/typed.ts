import { flushSync } from 'react-dom';

/** Names in the step panel are taken when one leaves their field. A key that saves or starts is pressed inside of it: what is seen
 * is what is meant. */
export function takeTyped(): void {
  const field = document.activeElement;
  const panel = field instanceof HTMLInputElement ? field.closest('[data-scope=panel]') : null;
  if (!panel || !(field instanceof HTMLInputElement)) return;
  // Drawn at once: only then it is known whether the field is still there.
  flushSync(() => field.blur());
  // The keys stay where they were, else with the panel: not with nothing.
  const next = field.isConnected ? field : panel.querySelector<HTMLElement>(':is(button, input, [tabindex="0"]):not(:disabled)');
  next?.focus();
}
