/** Whether the window is dark: by the setting, or as the system is. */
import { useSyncExternalStore } from 'react';
import { useSettings } from '../../api/settings.ts';

const system = () => matchMedia('(prefers-color-scheme: dark)');

function follow(onChange: () => void): () => void {
  const query = system();
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

export function useDark(): boolean {
  const { theme } = useSettings().settings;
  const dark = useSyncExternalStore(follow, () => system().matches);
  return theme === 'system' ? dark : theme === 'dark';
}
