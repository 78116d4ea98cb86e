import { describe, expect, it } from 'vitest';
import type { SecretEntry } from '../../api/types.ts';
import { EMPTY, addressOf, draftOfSecret, draftOfStep, encryptionsOf, hostsOfStep, isComplete, portOf } from './server-address.ts';

const secret = (more: Partial<SecretEntry>): SecretEntry => ({ name: 's', kind: 'basic', hosts: [], createdAt: '', updatedAt: '', ...more });

describe('The address of a server', () => {
  it('says what was entered', () => {
    const of = (more: Partial<typeof EMPTY>) => addressOf({ ...EMPTY, ...more });
    expect(of({ system: 'postgres', host: 'db.example.com', part: 'my shop', user: 'ada@x' })).toBe('postgres://ada%40x@db.example.com/my%20shop');
    expect(of({ system: 'mysql', host: '::1', port: '3307', part: 'shop', encryption: 'none' })).toBe('mysql://[::1]:3307/shop?tls=off');
    expect(of({ system: 'mqtt', host: 'b' })).toBe('mqtts://b');
    expect(of({ system: 'redis', host: 'b', encryption: 'none' })).toBe('redis://b');
    expect(of({ system: 'amqp', host: 'b', part: '/shop' })).toBe('amqps://b/%2Fshop');
    expect(of({ system: 'kafka', host: 'b', signIn: 'scram-sha-256', encryption: 'none' })).toBe('kafka://b?sasl=scram-sha-256');
    expect(of({ system: 'smtp', host: 'm', encryption: 'starttls' })).toBe('smtp://m');
    expect(of({ system: 'imap', host: 'm', encryption: 'none' })).toBe('imap://m?tls=off');
    expect(of({ system: 's3', address: 'https://s3.example.com/', bucket: 'b' })).toBe('s3+https://s3.example.com/b');
    expect(of({ system: 'gcs', bucket: 'b' })).toBe('gcs+https://storage.googleapis.com/b');
    expect(of({ system: 'webdav', address: 'https://cloud.example.com/dav' })).toBe('webdav+https://cloud.example.com/dav');
    expect(of({ address: ' https://api.example.com/me ' })).toBe('https://api.example.com/me');
    expect(of({ system: 'sftp', address: 'sftp://files' })).toBe('sftp://files');
  });

  it('offers what a system has', () => {
    expect(encryptionsOf('imap')).toEqual(['tls', 'starttls', 'none']);
    expect(encryptionsOf('nats')).toEqual(['tls', 'none']);
    expect(encryptionsOf('web')).toEqual([]);
    expect(portOf({ ...EMPTY, system: 'amqp' })).toBe('5671');
    // A choice of another system that this one does not have.
    expect(portOf({ ...EMPTY, system: 'redis', encryption: 'starttls' })).toBe('6379');
  });

  it('is complete with a host, and a database or a bucket where one is needed', () => {
    expect(isComplete(EMPTY)).toBe(true);
    expect(isComplete({ ...EMPTY, system: 'postgres', host: 'db' })).toBe(false);
    expect(isComplete({ ...EMPTY, system: 'postgres', host: 'db', part: 'shop' })).toBe(true);
    expect(isComplete({ ...EMPTY, system: 'mqtt' })).toBe(false);
    expect(isComplete({ ...EMPTY, system: 'azure', address: 'https://a' })).toBe(false);
    expect(isComplete({ ...EMPTY, system: 'webdav' })).toBe(false);
  });
});

describe('Where a secret belongs', () => {
  it('is read from its hosts and its kind', () => {
    expect(draftOfSecret(secret({ hosts: ['*.example.com', 'http://db.lan:5432'] }))).toMatchObject({ system: 'postgres', host: 'db.lan', port: '5432', encryption: 'none' });
    expect(draftOfSecret(secret({ kind: 'bearer', hosts: ['api.example.com'] }))).toMatchObject({ system: 'web', address: '', host: 'api.example.com' });
    expect(draftOfSecret(secret({ kind: 'azure', hosts: ['mystorageaccount.blob.core.windows.net'] }))).toMatchObject({ system: 'azure', address: 'https://mystorageaccount.blob.core.windows.net' });
    expect(draftOfSecret(secret({ kind: 'sas', hosts: ['http://127.0.0.1:10000'] }))).toMatchObject({ system: 'azure', address: 'http://127.0.0.1:10000' });
    expect(draftOfSecret(secret({ kind: 'google', hosts: ['storage.googleapis.com', 'oauth2.googleapis.com'] }))).toMatchObject({ system: 'gcs', address: '' });
    expect(draftOfSecret(secret({ kind: 'ssh', hosts: ['files.example.com:2222'] }))).toMatchObject({ system: 'sftp', address: 'sftp://files.example.com:2222' });
    expect(draftOfSecret(secret({ kind: 'aws', service: 's3', hosts: ['s3.example.com'] }))).toMatchObject({ system: 's3', address: 'https://s3.example.com' });
    expect(draftOfSecret(secret({ kind: 'aws', service: 's3', hosts: ['http://nas.lan:9000'] }))).toMatchObject({ system: 's3', address: 'http://nas.lan:9000' });
    expect(draftOfSecret(secret({ kind: 'aws', service: 'sts', hosts: ['sts.eu-central-1.amazonaws.com'] })).address).toBe('https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15');
  });

  it('is read from the settings of a step, as far as they are written out', () => {
    expect(draftOfStep('message.publish', { host: 'b', tls: false, port: 1884, user: '{{item.user}}' })).toEqual({ ...EMPTY, system: 'mqtt', host: 'b', port: '1884', encryption: 'none' });
    expect(draftOfStep('trigger.mail', { host: 'm', security: 'starttls', ca: 'PEM' })).toMatchObject({ system: 'imap', encryption: 'starttls', certificate: 'PEM' });
    expect(draftOfStep('db.write', { system: 'mysql', host: 'db', database: 'shop', tls: 'off' })).toMatchObject({ system: 'mysql', part: 'shop', encryption: 'none' });
    expect(draftOfStep('object.read', { address: 'https://s3', bucket: 'b' })).toMatchObject({ system: 's3', address: 'https://s3', bucket: 'b' });
    expect(draftOfStep('http.request', { url: 'https://api.example.com/{{item.id}}' })).toEqual(EMPTY);
    expect(draftOfStep('db.query', { system: 'sqlite' })).toBeUndefined();
    expect(draftOfStep('connector.call', {})).toBeUndefined();
  });

  it('is the host that a new secret of a step may be sent to', () => {
    const of = (kind: string, config: object) => hostsOfStep(draftOfStep(kind, config));
    expect(of('db.query', { system: 'postgres', host: 'db.lan' })).toEqual(['db.lan:5432']);
    expect(of('message.publish', { host: 'b.lan', tls: false })).toEqual(['http://b.lan:1883']);
    expect(of('message.publish', { host: '127.0.0.1', tls: false })).toEqual(['127.0.0.1:1883']);
    expect(of('object.list', { system: 'sftp', address: 'sftp://files:2222/in' })).toEqual(['files:2222']);
    expect(of('http.request', { url: 'https://api.example.com/me' })).toEqual(['api.example.com']);
    expect(of('mail.send', {})).toEqual([]);
  });
});
