// Where the list is in what a step answered, so that the next step can take its entries one by one.

import { isCut, isObject } from '../../json/json.ts';
import type { WorkflowNode } from '../../api/types.ts';

/** Lists in an HTTP answer that are about the exchange, not its content. */
const OF_EXCHANGE: ReadonlySet<string> = new Set(['headers', 'cookies', 'setCookie']);
/** Levels of objects that are looked into. */
const DEPTH = 3;

const KEY = /^[^.[\]'"$]+$/;
const joined = (path: readonly string[]): string =>
  path.length === 1 ? path.join('') : path.map((key, at) => (KEY.test(key) ? `${at === 0 ? '' : '.'}${key}` : `['${key}']`)).join('');

const isList = (value: unknown): boolean => Array.isArray(value) || (isCut(value) && value.preview.startsWith('['));

/** The one list on the level nearest to the top that has any; null where there is none, or more than one. */
function onlyList(value: unknown, path: readonly string[], ignored: ReadonlySet<string>): readonly string[] | null {
  let level: { value: unknown; path: readonly string[] }[] = [{ value, path }];
  for (let depth = 0; depth <= DEPTH && level.length > 0; depth += 1) {
    const lists = level.filter((one) => isList(one.value));
    if (lists.length > 0) return lists.length === 1 ? (lists[0]?.path ?? null) : null;
    level = level.flatMap((one) => (isObject(one.value) && !isCut(one.value)
      ? Object.entries(one.value).filter(([name]) => depth > 0 || !ignored.has(name)).map(([name, inner]) => ({ value: inner, path: [...one.path, name] }))
      : []));
  }
  return null;
}

/** The field that `Split a list` would take, `''` for the item itself; null when the answer has no list, or several. */
export function listFieldOf(node: WorkflowNode, data: unknown): string | null {
  const config = isObject(node.config) ? node.config : {};
  const ignored = node.type === 'http.request' ? OF_EXCHANGE : new Set<string>();
  // What the item had before is no part of the answer.
  const name = typeof config['resultField'] === 'string' && config['resultField'] !== '' ? config['resultField'] : 'result';
  const kept = config['keepInput'] === true && isObject(data) && Object.hasOwn(data, name);
  const found = kept ? onlyList(data[name], [name], ignored) : onlyList(data, [], ignored);
  return found === null ? null : joined(found);
}
