/** The dialog that allows a folder begins with the access that the step needs. */
import { expect, it } from 'vitest';
import type { NodeDescriptor } from '../../api/types.ts';
import { writesFile } from '../workbench/allow-folder.tsx';

it.each<[string, NodeDescriptor['effects'], Record<string, unknown>, string, boolean]>([
  ['a file that is read', 'read', {}, 'path', false],
  ['a file that is written', 'write', {}, 'path', true],
  ['a PDF that becomes a file', { field: 'to', values: { bytes: 'read' }, otherwise: 'write' }, {}, 'path', true],
  ['a template, of which a file is made', { field: 'to', values: { bytes: 'read' }, otherwise: 'write' }, {}, 'template', false],
  ['a database that is only read', { field: 'access', values: { write: 'write' }, otherwise: 'read', given: { saveTo: 'write' } }, { saveTo: 'a.csv' }, 'file', false],
  ['a database that is changed', { field: 'access', values: { write: 'write' }, otherwise: 'read' }, { access: 'write' }, 'file', true],
  ['rows that are saved', { field: 'access', values: { write: 'write' }, otherwise: 'read', given: { saveTo: 'write' } }, { saveTo: 'a.csv' }, 'saveTo', true],
])('%s', (_name, effects, config, setting, writes) => {
  expect(writesFile(effects, config, setting)).toBe(writes);
});
