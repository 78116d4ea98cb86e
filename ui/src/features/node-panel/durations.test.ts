// @vitest-environment node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonSchema, NodeDescriptor } from '../../api/types.ts';
import { hintsOf } from '../../schema-form/index.ts';

const KINDS = JSON.parse(readFileSync(join(import.meta.dirname, '../../test/catalog.gen.json'), 'utf8')) as NodeDescriptor[];

it('a field that is filled in with seconds says nothing of milliseconds', () => {
  let fields = 0;
  const look = (kind: string, path: string, schema: JsonSchema) => {
    if (hintsOf(schema).widget === 'duration') {
      fields += 1;
      expect(`${schema.title ?? ''} ${schema.description ?? ''}`, `${kind}${path}`).not.toMatch(/millisecond|\bms\b/i);
    }
    for (const [name, inner] of Object.entries(schema.properties ?? {})) look(kind, `${path}/${name}`, inner);
  };
  for (const kind of KINDS) look(kind.type, '', kind.config as JsonSchema);
  expect(fields).toBeGreaterThan(10);
});
