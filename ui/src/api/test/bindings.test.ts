/** The UI speaks the host's own shapes. Checked by the compiler; the test only names them. */
import { expect, expectTypeOf, it } from 'vitest';
import { commands, type Commands as Generated, type RunEvent as GeneratedEvent } from '../bindings.gen.ts';
import type { Command, Commands, EventPayloads, RunEvent } from '../types.ts';

it('knows every command and event of the host', () => {
  expectTypeOf<Commands>().toEqualTypeOf<Generated>();
  expectTypeOf<Command>().toEqualTypeOf<keyof Generated>();
  expectTypeOf<RunEvent>().toEqualTypeOf<GeneratedEvent>();
  expectTypeOf<EventPayloads['retry_scheduled']>().toEqualTypeOf<{ attempt: number; delayMs: number }>();
  expect(Object.keys(commands)).toContain('run_start');
});
