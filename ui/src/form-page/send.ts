/** What the page of a form asks of the server: its definition, and to take the answers. Nothing else is asked of anybody. */
import type { JsonSchema } from '../api/types.ts';
import type { FormFiles } from '../shared/form/form-fields.tsx';
import { randomId } from '../text/random-id.ts';

export interface Definition {
  title: string;
  description: string;
  schema: JsonSchema;
  submitLabel: string;
  /** The page shows what the run gives. */
  waits: boolean;
  maxBytes: number;
}

export type Outcome =
  | { status: 'accepted'; thanks: string }
  | { status: 'completed'; output: unknown[] }
  | { status: 'waiting' | 'running' | 'failed' };

export interface Violation { path: string; message: string }

export type Sent = { ok: Outcome } | { violations: readonly Violation[] } | { problem: { message: string; hint: string } };

interface Failure { error?: { code?: string; message?: string; hint?: string; details?: { violations?: Violation[] } } }

/** `null`: there is no open form. */
export async function loadDefinition(address: string): Promise<Definition | null> {
  const response = await fetch(`${address}/definition`, { headers: { accept: 'application/json' } });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(String(response.status));
  return await response.json() as Definition;
}

/** Of a file, as it travels in JSON. */
function base64(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => fail(reader.error ?? new Error('unreadable'));
    reader.readAsDataURL(file);
  });
}

export async function send(address: string, key: string, answers: unknown, files: FormFiles): Promise<Sent> {
  const uploads = await Promise.all(Object.entries(files).filter(([, list]) => list.length > 0).map(async ([field, list]) =>
    [field, await Promise.all(list.map(async (file) => ({ name: file.name, mime: file.type, data: await base64(file) })))] as const));
  const response = await fetch(address, {
    method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ key, answers, files: Object.fromEntries(uploads) }),
  });
  if (response.ok) return { ok: await response.json() as Outcome };
  const { error } = await response.json().catch(() => ({})) as Failure;
  const violations = error?.details?.violations;
  if (response.status === 422 && violations) return { violations };
  return { problem: { message: error?.message ?? '', hint: error?.hint ?? '' } };
}

const slot = (address: string) => `signalbox.form ${address}`;

/** The key of this filling-in: the same one after a reload, until the answers have been taken. */
export function keyOf(address: string): string {
  try {
    const known = window.sessionStorage.getItem(slot(address));
    if (known) return known;
    const made = randomId();
    window.sessionStorage.setItem(slot(address), made);
    return made;
  } catch {
    // Storage may be forbidden; then only a reload makes another key.
    return randomId();
  }
}

export function forgetKey(address: string): void {
  try {
    window.sessionStorage.removeItem(slot(address));
  } catch {
    // Nothing was kept.
  }
}
