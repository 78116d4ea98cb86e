import { expect, it } from 'vitest';
import { setTransport } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { formatTime } from '../../i18n/index.ts';
import { peopleHost, task } from '../../test/people.ts';
import { change } from './refresh.ts';

it('a claim that somebody else was faster with is refused by name and in the time of this place', async () => {
  const host = peopleHost([task(1)]);
  setTransport(host.fake);
  const until = '2026-11-23T10:17:57.189Z';
  host.on({ task_claim: () => { throw new ApiError({ code: 'CLAIMED', message: `omar is working on this task until ${until}.`, hint: 'Ask them.', details: { who: 'user:omar', until } }); } });
  await expect(change('task_claim', { taskId: 'task-1' })).rejects.toMatchObject({
    code: 'CLAIMED', message: `omar is working on this task until ${formatTime(until).slice(0, 5)}.`, hint: 'Ask them.',
  });
});
