import { useId, type KeyboardEvent, type ReactNode } from 'react';

export interface Tab<T extends string = string> { id: T; label: string; count?: number | string; warn?: boolean }

/** Tab bar and the panel of the chosen tab. Arrow keys, Home and End move. */
export function Tabs<T extends string>({ tabs, value, onChange, label, children }: {
  tabs: Tab<NoInfer<T>>[]; value: T; onChange(id: NoInfer<T>): void; label: string; children: ReactNode;
}) {
  const base = useId();
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const at = tabs.findIndex((tab) => tab.id === value);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    document.getElementById(`${base}-${next.id}`)?.focus();
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button key={tab.id} id={`${base}-${tab.id}`} type="button" role="tab" aria-selected={tab.id === value} aria-controls={`${base}-panel`}
            tabIndex={tab.id === value ? 0 : -1} className={tab.id === value ? 'on' : ''} onClick={() => onChange(tab.id)}>
            {tab.label}
            {tab.count !== undefined ? <span className="s t3">{tab.count}</span> : null}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${value}`} className="tabpanel">{children}</div>
    </>
  );
}
