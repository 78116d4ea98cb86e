/** Links of a chain; the last one is open. */
export function AuditArt() {
  return (
    <svg className="art" viewBox="0 0 336 72" aria-hidden="true" fill="none">
      <path d="M0 36h272" stroke="var(--sel)" /><path d="M272 36h64" stroke="var(--line-strong)" strokeDasharray="3 3" />
      {[32, 88, 144, 256].map((x) => <circle key={x} cx={x} cy="36" r="6" fill="var(--bg-canvas)" stroke="var(--sel)" strokeWidth="2" />)}
      <rect x="190" y="26" width="20" height="20" rx="3" fill="var(--bg-canvas)" stroke="var(--sel)" strokeWidth="2" /><path d="M195 36l4 4 7-8" stroke="var(--sel)" strokeWidth="2" />
    </svg>
  );
}
