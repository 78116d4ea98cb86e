// Addresses that a person's browser may be sent to.

/** The address when it is one of the web, encrypted or on this machine. */
export function webAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const here = url !== undefined && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return url && (url.protocol === 'https:' || (url.protocol === 'http:' && here)) ? url.href : undefined;
}

/** Where an address leads, for people. */
export const hostOf = (text: string): string => (URL.canParse(text) ? new URL(text).host : '');
