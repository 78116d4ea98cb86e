/** Words of steps that ask a source: the test. */
export const poll = {
  'poll.title': 'Test',
  'poll.hint': 'Asks the address once and shows the items. It starts no run.',
  'poll.hintRun': 'Runs the workflow once and shows its items. The run is listed in Runs; nothing is remembered.',
  'poll.openRun': 'Open the run',
  'poll.test': 'Test',
  'poll.testing': 'Asking',
  'poll.failed': 'The source was not read',
  'poll.none': 'The source lists no items now.',
  'poll.items.one': 'One item',
  'poll.items.other': '{n} items',
  'poll.first': 'The first {shown} of {n} items',
  'poll.seen': 'already taken: {n}',
  'poll.cursor': 'Cursor: {cursor}',
  'poll.run': 'Run with these items',
  'poll.list': 'Items of the source',
};
