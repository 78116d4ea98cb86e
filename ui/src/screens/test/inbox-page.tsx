// The inbox over a host in memory, as the tests of its screen open it.
import { act, render, screen } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { setTransport } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { useDrafts } from '../../features/inbox/drafts.ts';
import { SendsStrip } from '../../features/inbox/sends-strip.tsx';
import { useSends } from '../../features/inbox/sending.ts';
import type { Task } from '../../features/inbox/types.ts';
import { handleKey } from '../../kit/index.ts';
import { peopleHost, someTasks, type PeopleHost } from '../../test/people.ts';
import { pretendLayout } from '../../test/render.tsx';
import { InboxScreen } from '../inbox-screen.tsx';
import { useRoute } from '../router.ts';

function Page() {
  const route = useRoute();
  return <>{route.screen === 'inbox' ? <InboxScreen taskId={route.taskId} /> : <p>elsewhere</p>}<SendsStrip onOpen={(id) => { window.location.hash = `#/inbox/${id}`; }} /></>;
}

export async function showInbox(hash: string, tasks: Task[] = someTasks()): Promise<PeopleHost> {
  const host = peopleHost(tasks);
  setTransport(host.fake);
  window.location.hash = hash;
  render(<QueryClientProvider client={queryClient}><Page /></QueryClientProvider>);
  await screen.findByRole('heading', { name: 'Inbox' });
  return host;
}

/** Nothing of an earlier test is left. */
export function freshInbox(): void {
  pretendLayout();
  localStorage.clear();
  sessionStorage.clear();
  useSends.setState({ sends: [] });
  useDrafts.setState({ drafts: {}, revealed: {} });
  queryClient.clear();
}

export const key = (name: string, more: Partial<KeyboardEventInit> = {}) => act(() => { handleKey(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more })); });
export const detail = () => screen.findByRole('region', { name: 'Task' });
