// Amounts as people write them.

/** Millionths of an amount as it is typed; undefined for what is none above 0. */
export function microsOf(text: string): number | undefined {
  if (!/^\d+([.,]\d{1,6})?$/.test(text.trim())) return undefined;
  const micros = Math.round(Number(text.trim().replace(',', '.')) * 1_000_000);
  return micros > 0 && micros <= 1e15 ? micros : undefined;
}
