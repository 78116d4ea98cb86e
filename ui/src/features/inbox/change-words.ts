// What a suggestion changes, in words, where some of the values are secret.

import { pointerParts } from '../../json/json.ts';
import type { JsonSchema } from '../../api/types.ts';
import { changedPaths, diffLines } from '../../shared/diff.ts';
import { at } from '../../shared/evidence/patch.ts';
import { holdsSecret, secretAt } from '../../shared/secret-paths.ts';
import { titleAt } from './schema.ts';
import type { Task } from './types.ts';
import { pathText } from './words.ts';

/** A line for each change. The words of the host. Where a secret changes too they may name it: then each place is told by itself, with its values where they may be seen. */
export function changesText(schema: JsonSchema, before: unknown, one: Task['suggestions'][number]): string {
  const paths = holdsSecret(schema) ? changedPaths(diffLines(before, one.correctedInput)) : [];
  const isOpen = (path: string) => !secretAt(schema, path) && [before, one.correctedInput].every((value) => isPlain(at(value, path)));
  return paths.every(isOpen) ? one.changes.join('\n') : paths.map((path) => {
    const name = pointerParts(path).length === 1 ? titleAt(schema, path) : pathText(path);
    return isOpen(path) ? `${name}: ${JSON.stringify(at(before, path))} → ${JSON.stringify(at(one.correctedInput, path))}` : name;
  }).join('\n');
}

/** A value without others in it, that is there: one that only comes or only goes may be a secret under another name. */
const isPlain = (value: unknown): boolean => value !== undefined && (typeof value !== 'object' || value === null);
