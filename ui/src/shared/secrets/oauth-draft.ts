// What a person enters for a client of OAuth 2, and what is sent of it. Pure.

import type { ConnectorEntry, OAuthClient } from '../../api/types.ts';

export interface OAuthDraft {
  /** The connector whose service it is; empty for another service. */
  service: string;
  grant: OAuthClient['grant'];
  clientId: string;
  authorizationUrl: string;
  tokenUrl: string;
  deviceUrl: string;
  revocationUrl: string;
  scopes: string;
  redirect: string;
  user: string;
  authentication: 'basic' | 'body';
  /** What is taken over from a connector, or from what was there, as it is. */
  rest: Pick<OAuthClient['service'], 'issuer' | 'scopeSeparator' | 'parameters'>;
}

export const EMPTY: OAuthDraft = {
  service: '', grant: 'authorizationCode', clientId: '', authorizationUrl: '', tokenUrl: '', deviceUrl: '', revocationUrl: '', scopes: '', redirect: '', user: '', authentication: 'basic', rest: {},
};

function withService(draft: OAuthDraft, service: OAuthClient['service']): OAuthDraft {
  const { issuer, scopeSeparator, parameters } = service;
  return {
    ...draft,
    authorizationUrl: service.authorizationUrl ?? '',
    tokenUrl: service.tokenUrl,
    deviceUrl: service.deviceUrl ?? '',
    revocationUrl: service.revocationUrl ?? '',
    scopes: (service.scopes ?? []).join(' '),
    authentication: service.clientAuthentication ?? 'basic',
    rest: { ...(issuer ? { issuer } : {}), ...(scopeSeparator ? { scopeSeparator } : {}), ...(parameters ? { parameters } : {}) },
  };
}

/** What was kept, to be changed. */
export function draftOf(client: OAuthClient | undefined): OAuthDraft {
  if (!client) return EMPTY;
  return withService({ ...EMPTY, grant: client.grant, clientId: client.clientId, redirect: client.redirect ?? '', user: client.user ?? '' }, client.service);
}

/** The addresses and rights of a connector's service. */
export function withConnector(draft: OAuthDraft, connector: ConnectorEntry | undefined): OAuthDraft {
  if (!connector?.signIn) return { ...EMPTY, clientId: draft.clientId, grant: draft.grant };
  const grant = connector.signIn.oauth.authorizationUrl ? 'authorizationCode' : 'deviceCode';
  return withService({ ...EMPTY, service: connector.name, grant, clientId: draft.clientId, redirect: connector.signIn.redirect ?? '' }, connector.signIn.oauth);
}

/** The hosts that a secret needs: those of the connector, and where tokens are given. */
export function hostsOf(draft: OAuthDraft, connector: ConnectorEntry | undefined): string[] {
  const own = connector?.signIn?.hosts ?? [];
  const given = [draft.tokenUrl, draft.grant === 'deviceCode' ? draft.deviceUrl : '', draft.revocationUrl];
  const hosts = given.filter((text) => URL.canParse(text)).map((text) => new URL(text).host);
  return [...new Set([...own, ...hosts])];
}

/** Whether enough was entered. */
export function isComplete(draft: OAuthDraft, secret: string): boolean {
  const needed = { authorizationCode: draft.authorizationUrl, deviceCode: draft.deviceUrl, clientCredentials: secret, serviceAccount: secret }[draft.grant];
  return draft.clientId.trim() !== '' && draft.tokenUrl.trim() !== '' && needed.trim() !== '';
}

/** What is sent. */
export function clientOf(draft: OAuthDraft): OAuthClient {
  const text = (key: string, value: string) => (value.trim() ? { [key]: value.trim() } : {});
  const scopes = draft.scopes.split(/[\s,]+/).filter(Boolean);
  return {
    grant: draft.grant,
    clientId: draft.clientId.trim(),
    service: {
      tokenUrl: draft.tokenUrl.trim(),
      ...text('authorizationUrl', draft.authorizationUrl),
      ...text('deviceUrl', draft.deviceUrl),
      ...text('revocationUrl', draft.revocationUrl),
      ...(scopes.length ? { scopes } : {}),
      clientAuthentication: draft.authentication,
      ...draft.rest,
    },
    ...text('redirect', draft.redirect),
    ...text('user', draft.user),
  };
}
