// Where a secret is tried: what a person enters, and the address that is sent, such as postgres://db.example.com/shop. Pure.

import type { SecretEntry } from '../../api/types.ts';

export const SYSTEMS = ['web', 'postgres', 'mysql', 'mqtt', 'redis', 'nats', 'amqp', 'kafka', 'smtp', 'imap', 's3', 'gcs', 'azure', 'webdav', 'sftp'] as const;
export type System = (typeof SYSTEMS)[number];
export const ENCRYPTIONS = ['tls', 'starttls', 'none'] as const;
export type Encryption = (typeof ENCRYPTIONS)[number];
export const SIGN_INS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export type SignInWay = (typeof SIGN_INS)[number];

export interface ServerDraft {
  system: System;
  /** Of a service of the web, a store or an SFTP server. */
  address: string;
  bucket: string;
  host: string;
  port: string;
  encryption: Encryption;
  /** The database, or the virtual host. */
  part: string;
  user: string;
  signIn: SignInWay;
  /** The authority of the server, PEM. */
  certificate: string;
}

export const EMPTY: ServerDraft = { system: 'web', address: '', bucket: '', host: '', port: '', encryption: 'tls', part: '', user: '', signIn: 'plain', certificate: '' };

/** The address of a system with and without encryption, and its usual ports. */
type Server = Exclude<System, 'web' | 's3' | 'gcs' | 'azure' | 'webdav' | 'sftp'>;
const SERVERS: { [system in Server]: { [encryption in Encryption]?: { scheme: string; query?: string; port: number } } } = {
  postgres: { tls: { scheme: 'postgres', port: 5432 }, none: { scheme: 'postgres', query: 'tls=off', port: 5432 } },
  mysql: { tls: { scheme: 'mysql', port: 3306 }, none: { scheme: 'mysql', query: 'tls=off', port: 3306 } },
  mqtt: { tls: { scheme: 'mqtts', port: 8883 }, none: { scheme: 'mqtt', port: 1883 } },
  redis: { tls: { scheme: 'rediss', port: 6379 }, none: { scheme: 'redis', port: 6379 } },
  nats: { tls: { scheme: 'nats+tls', port: 4222 }, none: { scheme: 'nats', port: 4222 } },
  amqp: { tls: { scheme: 'amqps', port: 5671 }, none: { scheme: 'amqp', port: 5672 } },
  kafka: { tls: { scheme: 'kafka+tls', port: 9093 }, none: { scheme: 'kafka', port: 9092 } },
  smtp: { tls: { scheme: 'smtps', port: 465 }, starttls: { scheme: 'smtp', port: 587 }, none: { scheme: 'smtp', query: 'tls=off', port: 25 } },
  imap: { tls: { scheme: 'imaps', port: 993 }, starttls: { scheme: 'imap', port: 143 }, none: { scheme: 'imap', query: 'tls=off', port: 143 } },
};

export const isServer = (system: System): system is Server => system in SERVERS;
export const isStore = (system: System) => system === 's3' || system === 'gcs' || system === 'azure';
const isDatabase = (system: System) => system === 'postgres' || system === 'mysql';
/** The label of the part that is named behind the host. */
export const partOf = (system: System) => (isDatabase(system) ? 'database' : system === 'amqp' ? 'vhost' : undefined);

function server({ system, encryption }: ServerDraft) {
  return isServer(system) ? SERVERS[system][encryption] ?? SERVERS[system].tls : undefined;
}

export const encryptionsOf = (system: System): Encryption[] => (isServer(system) ? ENCRYPTIONS.filter((one) => one in SERVERS[system]) : []);
export const portOf = (draft: ServerDraft) => String(server(draft)?.port ?? '');

/** The address that a secret is tried at; empty for a service without one. */
export function addressOf(draft: ServerDraft): string {
  const { system, host, port, part, user, signIn } = draft;
  const address = draft.address.trim();
  const bucket = draft.bucket.trim();
  const found = server(draft);
  if (found) {
    const named = host.trim();
    const query = [found.query, system === 'kafka' && signIn !== 'plain' ? `sasl=${signIn}` : undefined].filter(Boolean).join('&');
    return `${found.scheme}://${user.trim() ? `${encodeURIComponent(user.trim())}@` : ''}${named.includes(':') && !named.startsWith('[') ? `[${named}]` : named}${port.trim() ? `:${port.trim()}` : ''}${part.trim() ? `/${encodeURIComponent(part.trim())}` : ''}${query ? `?${query}` : ''}`;
  }
  if (system === 'web' || system === 'sftp') return address;
  const at = address || (system === 'gcs' ? 'https://storage.googleapis.com' : '');
  return `${system}+${at.replace(/\/+$/u, '')}${isStore(system) && bucket ? `/${encodeURIComponent(bucket)}` : ''}`;
}

/** Whether there is enough to try it. */
export function isComplete(draft: ServerDraft): boolean {
  const { system, host, part, address, bucket } = draft;
  if (isServer(system)) return host.trim() !== '' && (!isDatabase(system) || part.trim() !== '');
  if (system === 'gcs' || system === 'azure') return bucket.trim() !== '' && (system === 'gcs' || address.trim() !== '');
  return system === 'web' || address.trim() !== '';
}

/** A host that a secret names, and nothing around it. */
function hostOf(entry: SecretEntry) {
  const found = entry.hosts.map((one) => /^(?<plain>http:\/\/)?(?<host>\[[^\]]+\]|[^:*/]+)(?::(?<port>\d+))?$/u.exec(one)?.groups).find((one) => one !== undefined);
  return { plain: found?.['plain'] !== undefined, host: found?.['host'] ?? '', port: found?.['port'] ?? '' };
}

/** What a secret says about where it belongs. */
export function draftOfSecret(entry: SecretEntry): ServerDraft {
  const { plain, host, port } = hostOf(entry);
  if (entry.kind === 'ssh') return { ...EMPTY, system: 'sftp', address: host ? `sftp://${host}${port ? `:${port}` : ''}` : '' };
  const web = host ? `${plain ? 'http' : 'https'}://${host}${port ? `:${port}` : ''}` : '';
  if (entry.kind === 'aws' && entry.service === 's3') return { ...EMPTY, system: 's3', address: web };
  // It says whose key it is, and needs no right.
  if (entry.kind === 'aws') return { ...EMPTY, address: entry.service === 'sts' && web ? `${web}/?Action=GetCallerIdentity&Version=2011-06-15` : web };
  if (entry.kind === 'azure' || entry.kind === 'sas') return { ...EMPTY, system: 'azure', address: web };
  if (entry.kind === 'google') return { ...EMPTY, system: 'gcs' };
  const system = entry.kind !== 'basic' ? undefined : SYSTEMS.filter(isServer).find((one) => Object.values(SERVERS[one]).some((known) => String(known.port) === port));
  return { ...EMPTY, host, port, encryption: plain ? 'none' : 'tls', ...(system ? { system } : {}) };
}

/** A setting that is written out; an expression says nothing before a run. */
function fixed(config: Record<string, unknown>, name: string): string {
  const value = config[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && !value.startsWith('=') && !value.includes('{{') ? value.trim() : '';
}

/** The server of a step's settings. `undefined` for steps that name none. */
export function draftOfStep(kind: string, settings: unknown): ServerDraft | undefined {
  const config = typeof settings === 'object' && settings !== null ? settings as Record<string, unknown> : {};
  const text = (name: string) => fixed(config, name);
  const systemOf = (otherwise: System) => SYSTEMS.find((one) => one === text('system')) ?? otherwise;
  const base: ServerDraft = { ...EMPTY, host: text('host'), port: text('port'), user: text('user'), certificate: text('ca') };
  if (kind === 'http.request') return { ...EMPTY, address: text('url') };
  if (kind.startsWith('object.')) return { ...EMPTY, system: systemOf('s3'), address: text('address'), bucket: text('bucket') };
  if (kind === 'mail.send' || kind === 'mail.read' || kind === 'trigger.mail') {
    return { ...base, system: kind === 'mail.send' ? 'smtp' : 'imap', encryption: ENCRYPTIONS.find((one) => one === text('security')) ?? 'tls' };
  }
  if (kind === 'message.publish' || kind === 'trigger.message') {
    return { ...base, system: systemOf('mqtt'), encryption: config['tls'] === false ? 'none' : 'tls', part: text('vhost'), signIn: SIGN_INS.find((one) => one === text('sasl')) ?? 'plain' };
  }
  if (!kind.startsWith('db.') || text('system') === 'sqlite') return undefined;
  return { ...base, system: systemOf('postgres'), encryption: text('tls') === 'off' ? 'none' : 'tls', part: text('database'), certificate: text('rootCertificate') };
}

/** Allowed hosts that a new secret of a step begins with: the one that the step names. */
export function hostsOfStep(draft: ServerDraft | undefined): string[] {
  if (!draft) return [];
  if (!isServer(draft.system)) {
    const found = /^(?<scheme>https?|sftp):\/\/(?<host>[^/?#{}@\s]+)(?=[/?#]|$)/u.exec(draft.address)?.groups;
    return found?.['host'] ? [found['host']] : [];
  }
  if (!draft.host) return [];
  const host = draft.host.includes(':') && !draft.host.startsWith('[') ? `[${draft.host}]` : draft.host;
  const here = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(host);
  return [`${draft.encryption === 'none' && !here ? 'http://' : ''}${host}:${draft.port || portOf(draft)}`];
}
