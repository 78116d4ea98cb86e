/** Signing in by the identity provider of a server. The page keeps a random text while the person is at the provider; only with it does it get
 * the session afterwards. No cookie is used. */
import { replaceToken } from './client.ts';
import { ApiError, toApiError } from './error.ts';
import { t } from '../i18n/index.ts';

export interface SignedInPerson { name: string; shownName: string | null; email: string | null; role: 'viewer' | 'operator' | 'builder' }
/** `provider`: who signs people in at this server. */
export interface SignInInfo { provider: string | null; person: SignedInPerson | null }

const KEPT = 'signalbox.signIn';
const ARRIVED = /^#signed-in=([0-9a-f]{64})$/;
const NOBODY: SignInInfo = { provider: null, person: null };

let info: SignInInfo = NOBODY;
let ended = false;
const listeners = new Set<() => void>();
const changed = () => { for (const listener of listeners) listener(); };

export const signInInfo = (): SignInInfo => info;
/** Whether a person who was signed in is not any more. */
export const sessionEnded = (): boolean => ended;
export function onSignInChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

/** A request was refused: the session of a person has ended, if there was one. */
export function noteRefused(): void {
  if (info.person === null || ended) return;
  ended = true;
  changed();
}

async function ask(path: string, token: string, body?: unknown): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`${window.location.origin}/sign-in${path}`, {
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, cache: 'no-store',
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError({ code: 'CONNECTION', message: t('http.silent'), hint: t('http.silentNow') });
  }
  const answer = await response.json().catch(() => ({})) as { error?: unknown };
  if (!response.ok) throw toApiError(answer.error ?? answer);
  return answer;
}

/** Who signs people in here, and who this is. A server without it has tokens in its addresses. */
export async function loadSignIn(token: string): Promise<SignInInfo> {
  try {
    info = await ask('', token) as SignInInfo;
  } catch {
    // What is asked next says why.
    info = NOBODY;
  }
  ended = false;
  changed();
  return info;
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Sends the browser to the provider. It comes back to where the person is now. */
export async function beginSignIn(): Promise<void> {
  const binding = hex(crypto.getRandomValues(new Uint8Array(32)));
  const bindingHash = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(binding))));
  const { address } = await ask('/begin', '', { bindingHash }) as { address: string };
  const route = ARRIVED.test(window.location.hash) ? '' : window.location.hash;
  window.sessionStorage.setItem(KEPT, JSON.stringify({ binding, route }));
  window.location.assign(address);
}

/** Fetches the session when the browser has just come back from the provider. */
export async function finishSignIn(): Promise<void> {
  const handover = ARRIVED.exec(window.location.hash)?.[1];
  if (handover === undefined) return;
  const kept = read(window.sessionStorage.getItem(KEPT));
  window.sessionStorage.removeItem(KEPT);
  window.history.replaceState(null, '', `${window.location.pathname}${kept.route || '#/workflows'}`);
  const { token } = await ask('/finish', '', { binding: kept.binding, handover }) as { token: string };
  replaceToken(token);
}

function read(text: string | null): { binding: string; route: string } {
  try {
    const kept = JSON.parse(text ?? '') as { binding?: unknown; route?: unknown };
    return { binding: typeof kept.binding === 'string' ? kept.binding : '', route: typeof kept.route === 'string' && kept.route.startsWith('#/') ? kept.route : '' };
  } catch {
    return { binding: '', route: '' };
  }
}

/** Ends the session here. Gives the address at which the person signs out of the provider, too. */
export async function signOut(token: string): Promise<string | null> {
  const { providerAddress } = await ask('/end', token, {}) as { providerAddress: string | null };
  replaceToken('');
  info = { ...info, person: null };
  ended = false;
  changed();
  return providerAddress;
}
