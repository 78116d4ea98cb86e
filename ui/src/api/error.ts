/** Every failure of a command: what, why (message), what now (hint). */
import type { JsonMap } from '../json/json-schema.ts';

/** What a failed command answers. */
export interface ApiErrorBody { code: string; message: string; hint: string; details?: unknown }

/** The message of what is not there is fixed; which thing it is stands in the hint, with a command for a terminal. */
const MISSING = 'not found';
const COMMAND = /[.;]\s*`signalbox [^`]*`(?:, or [^`]*,)? shows all\.$/;

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly details: unknown;
  constructor(body: ApiErrorBody) {
    const missing = body.message === MISSING && body.hint !== '';
    super(missing ? body.hint.replace(COMMAND, '.') : body.message);
    this.name = 'ApiError';
    this.code = body.code;
    this.hint = missing ? '' : body.hint;
    this.details = body.details;
  }
}

const PASSES: ReadonlySet<string> = new Set(['CONNECTION', 'HTTP_STATUS', 'STORE_BUSY', 'BUSY', 'STORE_FAILED', 'STORE_CLOSED', 'DISK_FULL', 'CLOSING', 'NO_THREAD']);

/** Says nothing about what was asked, and may be over by itself: the host is away or busy, or cannot write now. */
export const isTransient = (error: ApiError): boolean => PASSES.has(error.code);

/** Makes an ApiError of whatever was thrown or answered. */
export function toApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  if (typeof cause === 'object' && cause !== null && 'code' in cause && 'message' in cause) {
    const body = cause as Partial<ApiErrorBody>;
    return new ApiError({ code: String(body.code), message: String(body.message), hint: String(body.hint ?? ''), details: body.details });
  }
  return new ApiError({ code: 'INTERNAL', message: cause instanceof Error ? cause.message : String(cause), hint: '' });
}

/** Several texts as sentences that follow each other: a message ends with or without its full stop. */
export function sentences(...texts: readonly (string | undefined)[]): string {
  const said = texts.filter((text): text is string => Boolean(text));
  return said.map((text, index) => (index < said.length - 1 && !/[.!?:;…]\s*$/.test(text) ? `${text}.` : text)).join(' ');
}

/** What an error says, and what to do next. */
export const errorText = (error: { message: string; hint?: string | undefined }): string => sentences(error.message, error.hint);

/** The short name of a step's error: its code, else its type. */
export function codeOf(error: { type: string; details?: JsonMap } | undefined): string | undefined {
  const code = error?.details?.['code'];
  return typeof code === 'string' ? code : error?.type;
}
