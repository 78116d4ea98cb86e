/** All words in Simplified Chinese, loaded when somebody reads it. Terms: docs/translation.md. */
import type { AllKindWords } from './kind-words.ts';
import type { Translation } from './t.ts';
import { data } from './zh.kinds-data.ts';
import { steps } from './zh.kinds-steps.ts';
import { triggers } from './zh.kinds-triggers.ts';
import { audit } from './zh.audit.ts';
import { automations } from './zh.automations.ts';
import { canvas } from './zh.canvas.ts';
import { compare } from './zh.compare.ts';
import { conditions } from './zh.conditions.ts';
import { errors } from './zh.errors.ts';
import { folders } from './zh.folders.ts';
import { forms } from './zh.forms.ts';
import { inbox } from './zh.inbox.ts';
import { log } from './zh.log.ts';
import { models } from './zh.models.ts';
import { panel } from './zh.panel.ts';
import { debug } from './zh.debug.ts';
import { rerun } from './zh.rerun.ts';
import { said } from './zh.said.ts';
import { secrets } from './zh.secrets.ts';
import { time } from './zh.time.ts';
import { hooks } from './zh.hooks.ts';
import { plan } from './zh.plan.ts';
import { poll } from './zh.poll.ts';
import { imports } from './zh.import.ts';
import { pins } from './zh.pins.ts';
import { tools } from './zh.tools.ts';
import { telemetry } from './zh.telemetry.ts';
import { webhooks } from './zh.webhooks.ts';
import { common } from './zh.common.ts';

export const zh: Translation = { ...audit, ...automations, ...canvas, ...compare, ...conditions, ...errors, ...folders, ...forms, ...inbox, ...log, ...models, ...panel, ...debug, ...rerun, ...said, ...secrets, ...time, ...hooks, ...plan, ...poll, ...imports, ...pins, ...tools, ...webhooks, ...telemetry, ...common };

export const kinds: AllKindWords = { ...data, ...steps, ...triggers };
