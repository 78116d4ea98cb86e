// Steps that call an operation of a connector. Pure.

import type { Commands, WorkflowNode } from '../api/types.ts';
import { isObject } from '../json/json.ts';
import { plain } from '../text/letters.ts';

export const CONNECTOR_CALL = 'connector.call';

export type Connector = Commands['connector_list']['response'][number];

/** An operation, as boxes and menus offer it. `text`: its service and group; `words`: all that it is found by, in small letters; `credential`: the secret that a new step begins with. */
export interface OperationEntry { connector: string; name: string; title: string; text: string; service: string; words: string; credential?: string | undefined }

/** Longest title that a step gets from a file. */
const TITLE = 80;
const shown = (text: string): string => [...plain(text).replace(/\s+/g, ' ').trim()].slice(0, TITLE).join('');

/** All operations of all connectors; what cannot be used, and what is to be avoided, is not offered. */
export function operationEntries(connectors: readonly Connector[]): OperationEntry[] {
  return connectors.flatMap(({ name: connector, title: service, keywords, operations, usualCredential }) => operations.filter((one) => !one.deprecated).map(({ name, title, group }): OperationEntry => {
    const text = group === undefined ? shown(service) : `${shown(service)}, ${shown(group)}`;
    return { connector, name, title: shown(title) || name, service: shown(service), text, words: [title, name, text, ...keywords].join(' ').toLowerCase(), ...(usualCredential === undefined ? {} : { credential: usualCredential }) };
  }));
}

/** The service of the samples. Its address is an input of the run that the program fills in. */
const DEMO = 'demo';
export const DEMO_INPUT = 'practice';
export const DEMO_ADDRESS = `{{params.${DEMO_INPUT}}}`;

/** What a new step has that calls it. */
export const presetOfOperation = ({ connector, name, title, credential }: OperationEntry): Pick<WorkflowNode, 'title' | 'config'> => ({
  title, config: { connector, operation: name, ...(credential === undefined ? {} : { credential }), ...(connector === DEMO ? { variables: { address: DEMO_ADDRESS } } : {}) },
});

/** Connector and operation of a step; empty where it names none. */
export function operationOf(node: WorkflowNode): { connector: string; operation: string } {
  const { connector, operation } = isObject(node.config) ? node.config : {};
  return { connector: typeof connector === 'string' ? connector : '', operation: typeof operation === 'string' ? operation : '' };
}
