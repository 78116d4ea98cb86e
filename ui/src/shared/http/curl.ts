/** A command line of cURL that sends what an HTTP request step sends. */
import type { JsonMap } from '../../api/types.ts';
import { isObject } from '../../json/json.ts';

/** A word of a shell: as it is, or between single quotes. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Expressions and parts of them stay as they are written: cURL cannot evaluate them. */
const isExpression = (text: string) => text.startsWith('=') || text.includes('{{');

/** cURL takes no spaces in an address and sends other letters as bytes; a step encodes both. */
const sendable = (url: string) => url.split(/(\{\{[\s\S]*?\}\})/).map((part, index) => (index % 2 === 1 || url.startsWith('=') ? part : part.replaceAll(/[\s\u0080-\u{10ffff}]+/gu, encodeURIComponent))).join('');

function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return isExpression(text) ? text : encodeURIComponent(text);
}

function withQuery(url: string, query: unknown): string {
  if (!isObject(query)) return url;
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === null || value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((one) => `${encodeURIComponent(name)}=${encoded(one)}`)));
  if (pairs.length === 0) return url;
  const [address, fragment] = url.split('#', 2) as [string, string?];
  return `${address}${address.includes('?') ? '&' : '?'}${pairs.join('&')}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** Parts of a multipart body. Bytes that came with the item are named as a file. */
function formParts(body: JsonMap): string[] {
  return Object.entries(body).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).filter((one) => one !== null).map((one) => {
    if (isObject(one) && typeof one['binary'] === 'string') return `--form ${shellWord(`${name}=@${one['binary']}`)}`;
    const inner = isObject(one) && 'value' in one ? one['value'] : one;
    return `--form-string ${shellWord(`${name}=${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)}`;
  }));
}

/** The settings of an HTTP request as a command line. A secret is named, never contained. */
export function curlOf(config: JsonMap): string {
  const text = (name: string, other: string) => (typeof config[name] === 'string' && config[name] !== '' ? config[name] : other);
  const method = text('method', 'GET');
  const headers = isObject(config['headers']) ? Object.entries(config['headers']).filter(([, value]) => value !== null) : [];
  const media = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const url = withQuery(sendable(text('url', '')), config['query']);
  // An address that begins with a dash would be an option.
  const parts: string[] = [`curl ${url.startsWith('-') ? '--url ' : ''}${shellWord(url)}`];
  // Brackets and braces would stand for several addresses.
  if (/[[\]{}]/.test(url.replaceAll(/\{\{[\s\S]*?\}\}/g, ''))) parts.push('--globoff');
  const body = config['body'];
  const hasBody = body !== undefined && body !== null && body !== '';
  const hasBytes = typeof config['bodyBinary'] === 'string' && config['bodyBinary'] !== '';
  // cURL takes another method by itself when there is a body, and for HEAD.
  if (method === 'HEAD') parts.push('--head');
  else if (method !== (hasBody || hasBytes ? 'POST' : 'GET')) parts.push(`--request ${shellWord(method)}`);
  const isMultipart = isObject(body) && typeof media === 'string' && media.toLowerCase().startsWith('multipart/form-data');
  for (const [name, value] of headers) {
    // cURL makes the header with its own boundary; one without a value ends with a semicolon.
    if (isMultipart && name.toLowerCase() === 'content-type') continue;
    parts.push(`--header ${shellWord(value === '' ? `${name};` : `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)}`);
  }
  if (hasBody) {
    if (typeof body === 'string') {
      // Without it cURL would call the text a form.
      if (media === undefined && !body.startsWith('=')) parts.push(`--header ${shellWord('Content-Type: text/plain; charset=utf-8')}`);
      parts.push(`--data-raw ${shellWord(body)}`);
    } else if (isMultipart) parts.push(...formParts(body));
    else if (isObject(body) && typeof media === 'string' && media.toLowerCase().startsWith('application/x-www-form-urlencoded')) {
      for (const [name, value] of Object.entries(body)) for (const one of Array.isArray(value) ? value : [value]) if (one !== null) parts.push(`--data-urlencode ${shellWord(`${name}=${typeof one === 'string' ? one : JSON.stringify(one)}`)}`);
    } else {
      if (media === undefined) parts.push(`--header ${shellWord('Content-Type: application/json')}`);
      parts.push(`--data-raw ${shellWord(JSON.stringify(body))}`);
    }
  } else if (hasBytes) parts.push(`--data-binary ${shellWord(`@${String(config['bodyBinary'])}`)}`);
  if (text('redirects', 'follow') !== 'no') parts.push('--location');
  if (typeof config['timeoutMs'] === 'number') parts.push(`--max-time ${config['timeoutMs'] / 1_000}`);
  const command = parts.join(' \\\n  ');
  const secret = text('credential', '');
  return secret === '' ? command : `# ${secret} is not part of this command\n${command}`;
}
