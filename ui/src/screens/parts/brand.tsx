export function Brand() {
  return (
    <svg width="28" height="28" viewBox="0 0 28 28" role="img" aria-label="Signalbox" fill="none" stroke="currentColor" strokeWidth="2">
      <path d="M2 10h8l8 8h8M2 18h8M18 10h8" strokeLinejoin="round" />
      <circle cx="21.5" cy="10" r="3" fill="var(--ok)" stroke="none" />
      <path d="M6.5 14.5l3.500 3.500-3.500 3.500L3 18z" fill="var(--err)" stroke="none" />
    </svg>
  );
}
