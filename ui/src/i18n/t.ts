/** All words a person sees. Each room has its own table; keys are typed; `{name}` is filled from the arguments. */
import { audit } from './en.audit.ts';
import { automations } from './en.automations.ts';
import { backup } from './en.backup.ts';
import { dataFolder } from './en.data-folder.ts';
import { canvas } from './en.canvas.ts';
import { compare } from './en.compare.ts';
import { conditions } from './en.conditions.ts';
import { errors } from './en.errors.ts';
import { forms } from './en.forms.ts';
import { inbox } from './en.inbox.ts';
import { log } from './en.log.ts';
import { models } from './en.models.ts';
import { formatNumber } from './number.ts';
import { panel } from './en.panel.ts';
import { debug } from './en.debug.ts';
import { rerun } from './en.rerun.ts';
import { said } from './en.said.ts';
import { secrets } from './en.secrets.ts';
import { time } from './en.time.ts';
import { help } from './en.help.ts';
import { hooks } from './en.hooks.ts';
import { plan } from './en.plan.ts';
import { poll } from './en.poll.ts';
import { tables } from './en.tables.ts';
import { connectors } from './en.connectors.ts';
import { imports } from './en.import.ts';
import { failures } from './en.failures.ts';
import { folders } from './en.folders.ts';
import { health } from './en.health.ts';
import { pins } from './en.pins.ts';
import { exporting } from './en.export.ts';
import { proof } from './en.proof.ts';
import { tests } from './en.tests.ts';
import { tools } from './en.tools.ts';
import { network } from './en.network.ts';
import { telemetry } from './en.telemetry.ts';
import { destinations } from './en.destinations.ts';
import { signIn } from './en.signin.ts';
import { updates } from './en.updates.ts';
import { webhooks } from './en.webhooks.ts';
import { en as common } from './en.ts';

export const en = { ...common, ...canvas, ...panel, ...log, ...inbox, ...audit, ...errors, ...secrets, ...rerun, ...debug, ...time, ...webhooks, ...network, ...updates, ...telemetry, ...said, ...models, ...tools, ...imports, ...connectors, ...compare, ...automations, ...forms, ...backup, ...dataFolder, ...help, ...hooks, ...conditions, ...poll, ...tables, ...pins, ...plan, ...folders, ...proof, ...exporting, ...health, ...failures, ...destinations, ...signIn, ...tests };

export type MessageKey = keyof typeof en;
export type MessageArgs = { [name: string]: string | number };

/** A whole number is written as numbers are everywhere. */
const written = (value: string | number | undefined): string => (typeof value === 'number' && Number.isInteger(value) ? formatNumber(value) : String(value));

/** Translation of another language. It needs no word for one where it has the same for many. */
export type Translation = { [key in MessageKey]?: string };
let words: Translation | undefined;

export function setWords(next: Translation | undefined): void {
  words = next;
}

const wordsOf = (key: MessageKey): string => words?.[key] ?? (key.endsWith('.one') ? words?.[key.replace(/one$/, 'other') as MessageKey] : undefined) ?? en[key];

export function t(key: MessageKey, args?: MessageArgs): string {
  const text = wordsOf(key);
  return args ? text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in args ? written(args[name]) : whole)) : text;
}
