/** Long work in parts: between two of them the browser draws, and answers the person. */

/** What may go on without a break: with a drawing it fits into two frames. */
const PART_MS = 12;

/** A task of its own. A timer would wait 4 ms each time. */
const nextTask = (): Promise<void> => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    done();
  };
  port2.postMessage(null);
});

/** Called after each piece of a work: waits when enough was done without a break. */
export function createYieldToMain(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => (performance.now() - since < PART_MS ? undefined : nextTask().then(() => { since = performance.now(); }));
}
