/** A track that waits at a signal: one task on its way to a person. */
export function InboxArt() {
  return (
    <svg className="art" viewBox="0 0 336 72" aria-hidden="true" fill="none">
      <path d="M0 36h120l16 16h64" stroke="var(--line-strong)" strokeWidth="2" />
      <path d="M216 52h40l16-16h64" stroke="var(--line-strong)" strokeWidth="2" strokeDasharray="3 3" />
      <rect x="24.5" y="24.500" width="72" height="23" rx="4" fill="var(--bg-sunken)" stroke="var(--line-control)" />
      <path d="M60 47l5 5-5 5-5-5z" fill="var(--err)" />
      <circle cx="208" cy="46" r="5" stroke="var(--person)" strokeWidth="2" /><path d="M199 60c1-6 5-8 9-8s8 2 9 8" stroke="var(--person)" strokeWidth="2" />
      <rect x="272.5" y="24.500" width="48" height="23" rx="4" fill="var(--bg-surface)" stroke="var(--line-control)" strokeDasharray="3 2" />
    </svg>
  );
}
