/** Where the person is, in the part of the address after `#`. */
import { useSyncExternalStore } from 'react';

export type Route =
  | { screen: 'workflows' }
  | { screen: 'workflow'; ref: string }
  | { screen: 'runs'; workflow?: string; queued?: boolean }
  /** `at`: the number of an event, or the time of one. */
  /** How workflows do; of one of them when it is named. */
  | { screen: 'health'; workflow?: string }
  | { screen: 'run'; runId: string; step?: string; at?: number | string }
  /** Two runs beside each other. */
  | { screen: 'compare'; runId: string; with: string }
  /** `ask`: with the question whether all workflows are to be deactivated. */
  | { screen: 'automations'; ask?: 'deactivate' }
  | { screen: 'failures'; group?: string }
  | { screen: 'inbox'; taskId?: string }
  | { screen: 'audit'; query?: string; seq?: number }
  | { screen: 'catalog'; kind?: string }
  /** A page of the manual, and a heading in it. */
  | { screen: 'help'; page?: string; part?: string }
  | { screen: 'settings'; part?: string };

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [screen = '', rest = ''] = split(path);
  const value = decode(rest);
  switch (screen) {
    case 'workflow': return value ? { screen, ref: value } : { screen: 'workflows' };
    case 'run': {
      const step = new URLSearchParams(query).get('step');
      const at = momentOf(new URLSearchParams(query).get('at') ?? '');
      return value ? { screen, runId: value, ...(step ? { step } : {}), ...(at === undefined ? {} : { at }) } : { screen: 'runs' };
    }
    case 'runs': {
      const asked = new URLSearchParams(query);
      const workflow = asked.get('workflow');
      return { screen, ...(workflow ? { workflow } : {}), ...(asked.get('status') === 'queued' ? { queued: true } : {}) };
    }
    case 'health': return value ? { screen, workflow: value } : { screen };
    case 'compare': {
      const other = new URLSearchParams(query).get('with');
      return value && other ? { screen, runId: value, with: other } : { screen: 'runs' };
    }
    case 'failures': return value ? { screen, group: value } : { screen };
    case 'inbox': return value ? { screen, taskId: value } : { screen };
    case 'audit': {
      const asked = new URLSearchParams(query).get('query');
      return { screen, ...(asked ? { query: asked } : {}), ...(/^\d{1,15}$/.test(value) ? { seq: Number(value) } : {}) };
    }
    case 'catalog': return value ? { screen, kind: value } : { screen };
    case 'help': {
      const part = new URLSearchParams(query).get('part');
      return value ? { screen, page: value, ...(part ? { part } : {}) } : { screen };
    }
    case 'automations': return new URLSearchParams(query).get('ask') === 'deactivate' ? { screen, ask: 'deactivate' } : { screen };
    case 'settings': return value ? { screen, part: value } : { screen };
    default: return { screen: 'workflows' };
  }
}

export function hashOf(route: Route): string {
  switch (route.screen) {
    case 'workflow': return `#/workflow/${encodeURIComponent(route.ref)}`;
    case 'run': {
      const asked = [...(route.step ? [`step=${encodeURIComponent(route.step)}`] : []), ...(route.at === undefined ? [] : [`at=${encodeURIComponent(route.at)}`])];
      return `#/run/${encodeURIComponent(route.runId)}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
    }
    case 'runs': {
      const asked = [...(route.workflow ? [`workflow=${encodeURIComponent(route.workflow)}`] : []), ...(route.queued ? ['status=queued'] : [])];
      return asked.length > 0 ? `#/runs?${asked.join('&')}` : '#/runs';
    }
    case 'health': return route.workflow ? `#/health/${encodeURIComponent(route.workflow)}` : '#/health';
    case 'compare': return `#/compare/${encodeURIComponent(route.runId)}?with=${encodeURIComponent(route.with)}`;
    case 'failures': return route.group ? `#/failures/${encodeURIComponent(route.group)}` : '#/failures';
    case 'inbox': return route.taskId ? `#/inbox/${encodeURIComponent(route.taskId)}` : '#/inbox';
    case 'audit': return `#/audit${route.seq === undefined ? '' : `/${String(route.seq)}`}${route.query ? `?query=${encodeURIComponent(route.query)}` : ''}`;
    case 'catalog': return route.kind ? `#/catalog/${encodeURIComponent(route.kind)}` : '#/catalog';
    case 'help': return route.page ? `#/help/${encodeURIComponent(route.page)}${route.part ? `?part=${encodeURIComponent(route.part)}` : ''}` : '#/help';
    case 'automations': return route.ask ? `#/automations?ask=${route.ask}` : '#/automations';
    case 'settings': return route.part ? `#/settings/${encodeURIComponent(route.part)}` : '#/settings';
    case 'workflows': return '#/workflows';
  }
}

function momentOf(text: string): number | string | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

function split(path: string): [string, string] {
  const at = path.indexOf('/');
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)];
}
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function navigate(route: Route, replace = false): void {
  const hash = hashOf(route);
  if (hash === window.location.hash) return;
  if (replace) {
    window.history.replaceState(null, '', hash);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    window.location.hash = hash;
  }
}

export function useRoute(): Route {
  const hash = useSyncExternalStore((listener) => {
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  }, () => window.location.hash);
  return parseRoute(hash);
}
