import type { NodeDescriptor } from '../../api/types.ts';
import { isObject } from '../../json/json.ts';

/** Whether a step without a mode of its own is called for each item or once for all: some switches of the config ask for all of them. */
export function defaultMode(descriptor: NodeDescriptor, config: unknown): 'each' | 'all' {
  if (descriptor.allWhen !== undefined && isObject(config) && config[descriptor.allWhen] === true) return 'all';
  return descriptor.modes[0] ?? 'each';
}
