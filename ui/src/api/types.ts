/** The shapes of files, events and commands: all made from the Rust types (`cargo xtask gen`), some under the name that the UI uses. */
import type * as gen from './bindings.gen.ts';

export type * from './bindings.gen.ts';
export type { JsonMap, JsonSchema } from './json-schema.ts';
export type Command = gen.CommandName;
export type WorkflowNode = gen.Node;
export type ThemeChoice = gen.Theme;
export type EventType = gen.RunEventType;
export type EventPayloads = { [K in EventType]: Extract<gen.RunEventBody, { type: K }>['payload'] };

/** What stands in place of a value that is too long for the wire. */
export interface CutValue { _truncated: true; type: string; length: number; preview: string; ref: string }
