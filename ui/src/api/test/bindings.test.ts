/** The shapes written by hand and those made from the Rust types must fit. Checked by the compiler; the test only names them. */
import { expect, expectTypeOf, it } from 'vitest';
import { commands, type Commands as Generated } from '../bindings.gen.ts';
import type { Command, Commands } from '../types.ts';

it('knows every command of the host', () => {
  expectTypeOf<Command>().toEqualTypeOf<keyof Generated>();
  expectTypeOf<Generated['run_list']['response']>().toExtend<Commands['run_list']['out']>();
  expectTypeOf<Generated['workflow_list']['response']>().toExtend<Commands['workflow_list']['out']>();
  expectTypeOf<Generated['app_info']['response']>().toExtend<Commands['app_info']['out']>();
  expectTypeOf<Generated['settings_get']['response']>().toExtend<Commands['settings_get']['out']>();
  expectTypeOf<Generated['folder_list']['response']>().toExtend<Commands['folder_list']['out']>();
  expectTypeOf<Generated['retry_timeline']['response']>().toExtend<Commands['retry_timeline']['out']>();
  expectTypeOf<Commands['run_start']['in']>().toExtend<Generated['run_start']['request']>();
  expectTypeOf<Commands['run_list']['in']>().toExtend<Generated['run_list']['request']>();
  expectTypeOf<Commands['settings_set']['in']>().toExtend<Generated['settings_set']['request']>();
  expect(Object.keys(commands)).toContain('run_start');
});
