// Tasks that somebody else changed, in another window or another process: told by the host, not looked for.

import { useEffect } from 'react';
import { create } from 'zustand';
import { transport, whenTokenChanges } from '../../api/client.ts';
import { tasksChanged } from './refresh.ts';

const AGAIN_MS = [250, 1_000, 5_000];
/** What the clock changes (a deadline, a claim that runs out) is told by nobody. */
const SELDOM_MS = 15_000;

const useLive = create<{ live: boolean }>(() => ({ live: false }));
/** How often to look: seldom while changes are told. */
export const usePoll = (often: number): number => (useLive((state) => state.live) ? Math.max(often, SELDOM_MS) : often);

/** Follows the tasks while the page is seen; a page in the back keeps no connection, of which a browser has few. */
export function followTasks(): () => void {
  const host = transport();
  if (!host.onTaskChange) return () => undefined;
  const { onTaskChange } = host;
  let stop: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  // What the page has read before the first connection is as fresh as that.
  let missed = false;

  function disconnect(): void {
    clearTimeout(timer);
    stop?.();
    stop = undefined;
    missed = true;
    useLive.setState({ live: false });
  }
  function connect(): void {
    if (stop || document.hidden) return;
    let first = true;
    stop = onTaskChange(() => {
      failures = 0;
      useLive.setState({ live: true });
      if (!first || missed) void tasksChanged();
      first = false;
    }, () => {
      disconnect();
      timer = setTimeout(connect, AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)]);
      failures += 1;
    });
  }
  const onSeen = () => { if (document.hidden) disconnect(); else connect(); };
  document.addEventListener('visibilitychange', onSeen);
  // Refused with the old one: there is nothing to wait for.
  const unlisten = whenTokenChanges(() => {
    clearTimeout(timer);
    connect();
  });
  connect();
  return () => {
    unlisten();
    document.removeEventListener('visibilitychange', onSeen);
    disconnect();
  };
}

export function useTaskChanges(): void {
  useEffect(() => followTasks(), []);
}
