/** A repair as lines of a difference (RFC 6902): what stood there, and what stands there now. */
import { isObject, pointerParts } from '../../json/json.ts';
import type { CallCard } from '../../run/run-types.ts';

/** What was repaired, where it is known: the one item of the call, or what the error of a healer's item says its input was. */
function inputOf(card: CallCard): unknown {
  const items = Array.isArray(card.input) ? card.input : [];
  const [only] = items as readonly unknown[];
  if (items.length !== 1 || !isObject(only)) return undefined;
  const data = only['data'];
  const details = isObject(data) ? data['details'] : undefined;
  return isObject(details) && 'input' in details ? details['input'] : data;
}

function at(value: unknown, pointer: string): unknown {
  return pointerParts(pointer).reduce<unknown>((inner, part) => {
    if (Array.isArray(inner)) return (inner as readonly unknown[])[Number(part)];
    return isObject(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined;
  }, value);
}

const written = (value: unknown): string => JSON.stringify(value) ?? '';

export function patchLines(patch: readonly unknown[], card: CallCard): string[] {
  const input = inputOf(card);
  return patch.flatMap((one) => {
    const { op, path = '', value, from = '' } = (isObject(one) ? one : {}) as { op?: string; path?: string; value?: unknown; from?: string };
    if (op === 'move' || op === 'copy') return [`${op} ${from} → ${path}`];
    const before = op === 'add' ? undefined : at(input, path);
    const gone = `− ${path}${before === undefined ? '' : `: ${written(before)}`}`;
    if (op === 'remove') return [gone];
    return [...(before === undefined ? [] : [gone]), `+ ${path}: ${written(value)}`];
  });
}
