/** Findings as the window shows them: what is only missing is no fault, and stays quiet until a run was asked for. */
import { pointerParts } from '../json/json.ts';
import type { Diagnostic, Workflow } from './types.ts';

export interface Finding extends Diagnostic {
  /** Only to be filled in, and nobody asked for a run yet. */
  todo?: true | undefined;
  /** Of an older text than the one that stands there: its mend would write over what came since. */
  stale?: true | undefined;
}

const MISSING: ReadonlySet<string> = new Set(['MISSING_CONFIG', 'EMPTY_WORKFLOW', 'TOOL_ARGUMENTS']);

/** Nothing wrong was written; something is not written yet. */
export const isMissing = (finding: Diagnostic): boolean => MISSING.has(finding.code);
export const isTodo = (finding: Diagnostic): boolean => (finding as Finding).todo === true;
/** Red: something is wrong, or a run was asked for without it. */
export const isFault = (finding: Diagnostic): boolean => finding.severity === 'error' && !isTodo(finding);

/** Marks what is only missing, but for the places that a refused run has named already. */
export function markTodos(found: readonly Diagnostic[], asked: ReadonlySet<string>): Finding[] {
  return found.map((finding) => (isMissing(finding) && !asked.has(finding.path) ? { ...finding, todo: true } : finding));
}

/** For one line: what is wrong, what is to be looked at, what is to be filled in. */
export function tally(found: readonly Diagnostic[]): { faults: number; warnings: number; todos: number; empty: boolean } {
  const todos = found.filter(isTodo);
  const faults = found.filter(isFault).length;
  return {
    faults,
    warnings: found.length - todos.length - faults,
    todos: todos.filter((one) => one.code !== 'EMPTY_WORKFLOW').length,
    empty: todos.some((one) => one.code === 'EMPTY_WORKFLOW'),
  };
}

/** The number of the wire that a finding is about, where both its ends are there. */
export function edgeOf(finding: Diagnostic, document: Workflow): number | undefined {
  const [root, name] = pointerParts(finding.path);
  const edge = root === 'edges' && name !== undefined ? document.edges[Number(name)] : undefined;
  if (!edge) return undefined;
  return [edge.from.slice(0, edge.from.lastIndexOf('.')), edge.to].every((id) => Object.hasOwn(document.nodes, id)) ? Number(name) : undefined;
}

/** The step that a finding is about; one about a wire is told where the wire begins. */
export function nodeOf(finding: Diagnostic, document: Workflow): string | undefined {
  const [root, name] = pointerParts(finding.path);
  if (name === undefined) return undefined;
  const edge = root === 'edges' ? document.edges[Number(name)] : undefined;
  const steps = root === 'nodes' ? [name] : edge ? [edge.from.slice(0, edge.from.lastIndexOf('.')), edge.to] : [];
  return steps.find((id) => Object.hasOwn(document.nodes, id));
}
