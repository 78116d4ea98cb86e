/** An error as the wire brings it: of a message that is too long for it there is the beginning, and the way to the whole. */

import { isCut, isObject } from '../json/json';
import type { RunError } from './run-types';

export function readError(value: unknown): RunError | undefined {
  if (!isObject(value)) return undefined;
  const { message } = value;
  if (typeof message === 'string') return value as unknown as RunError;
  return { ...(value as unknown as RunError), ...(isCut(message) ? { message: message.preview, cut: message } : { message: '' }) };
}

/** The error as it came, where all of it can be loaded. */
export function cameAs({ cut, ...error }: RunError): unknown {
  return cut ? { ...error, message: cut } : error;
}
