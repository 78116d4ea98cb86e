// The hash of a record, computed again on this page: SHA-256 over a prefix and the canonical text (docs/audit-chain.md).

const PREFIX = 'signalbox.audit.v1\n';

export async function hashOf(canonical: string): Promise<string> {
  const bytes = new TextEncoder().encode(PREFIX + canonical);
  // Browsers offer it to pages from this machine or over TLS; elsewhere the same is computed here.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  const digest = subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : sha256(bytes);
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const K = constants(64, 1 / 3);
const H = constants(8, 1 / 2);
/** The first 32 bits of the fractional parts of roots of primes (FIPS 180-4). */
function constants(count: number, power: number): Uint32Array {
  const out = new Uint32Array(count);
  for (let n = 2, found = 0; found < count; n += 1) {
    let prime = true;
    for (let by = 2; by * by <= n; by += 1) if (n % by === 0) prime = false;
    if (!prime) continue;
    const root = n ** power;
    out[found] = Math.floor((root - Math.floor(root)) * 2 ** 32);
    found += 1;
  }
  return out;
}

export function sha256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const state = H.slice();
  const w = new Uint32Array(64);
  const at = (list: Uint32Array, index: number) => list[index] ?? 0;
  const turn = (x: number, by: number) => (x >>> by) | (x << (32 - by));
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 64; i += 1) {
      const [a, b] = [at(w, i - 15), at(w, i - 2)];
      w[i] = at(w, i - 16) + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + at(w, i - 7) + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => { state[index] = (at(state, index) + word) >>> 0; });
  }
  const out = new Uint8Array(32);
  const words = new DataView(out.buffer);
  state.forEach((word, index) => words.setUint32(index * 4, word));
  return out;
}

/** "c8e1 09f3 …": easier to compare by eye. */
export const spaced = (hash: string): string => hash.replace(/(.{4})(?=.)/g, '$1 ');
export const short = (hash: string): string => (hash.length > 16 ? `${hash.slice(0, 4)} ${hash.slice(4, 8)} … ${hash.slice(-4)}` : hash);
