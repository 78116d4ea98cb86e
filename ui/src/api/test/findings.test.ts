import { describe, expect, it } from 'vitest';
import { isFault, isTodo, markTodos, tally } from '../diagnostics.ts';
import type { Diagnostic } from '../types.ts';

const one = (code: Diagnostic['code'], path: string, severity: Diagnostic['severity'] = 'error'): Diagnostic => ({ code, severity, path, message: 'm', hint: 'h' });
const FOUND = [one('MISSING_CONFIG', '/nodes/a/config/url'), one('MISSING_CONFIG', '/nodes/b/config/ms'), one('BAD_CONFIG', '/nodes/a/config/n'), one('CONTEXT_RACE', '/nodes/a', 'warning')];

describe('findings', () => {
  it('what is only missing is to be filled in, not wrong', () => {
    const shown = markTodos(FOUND, new Set());
    expect(shown.map(isTodo)).toEqual([true, true, false, false]);
    expect(shown.map(isFault)).toEqual([false, false, true, false]);
    expect(tally(shown)).toEqual({ faults: 1, warnings: 1, todos: 2, empty: false });
  });
  it('is told as wrong where a refused run has named it, and nowhere else', () => {
    const shown = markTodos(FOUND, new Set(['/nodes/a/config/url']));
    expect(tally(shown)).toEqual({ faults: 2, warnings: 1, todos: 1, empty: false });
  });
  it('an empty workflow is not counted', () => {
    expect(tally(markTodos([one('EMPTY_WORKFLOW', '/nodes')], new Set()))).toEqual({ faults: 0, warnings: 0, todos: 0, empty: true });
  });
});
