/** The shapes of files, events and commands: all made from the Rust types (`cargo xtask gen`), some under the name that the UI uses. */
import type * as gen from './bindings.gen.ts';

export type * from './bindings.gen.ts';
export type { CutValue } from '../json/json.ts';
export type { JsonMap, JsonSchema } from '../json/json-schema.ts';
export type Command = gen.CommandName;
export type WorkflowNode = gen.Node;
export type ThemeChoice = gen.Theme;
export type Closing = gen.Closing;
export type EventType = gen.RunEventType;
export type EventPayloads = { [K in EventType]: Extract<gen.RunEventBody, { type: K }>['payload'] };
