/** A name that nothing else has. `crypto.randomUUID` is missing on pages that come over plain HTTP from another machine. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
