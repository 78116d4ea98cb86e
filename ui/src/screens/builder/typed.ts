/** Names in the step panel are taken when one leaves their field. A key that saves or starts is pressed inside of it: what is seen
 * is what is meant. */
export function takeTyped(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement) || !field.closest('[data-scope=panel]')) return;
  field.blur();
  // Where the field is still there the keys stay in it.
  if (field.isConnected) field.focus();
}
