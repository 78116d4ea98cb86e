import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { ExpressionName } from '../api/types';

export type LoadNames = () => Promise<readonly ExpressionName[]>;

/** Whether the position stands between `{{` and `}}`. */
export function insideTemplate(before: string): boolean {
  return before.lastIndexOf('{{') > before.lastIndexOf('}}');
}

const WORD = /(?:\bpaired\('[A-Za-z0-9_-]*(?:'\)?)?|[A-Za-z_$])[A-Za-z0-9_.$]*(?:\[(?:\d+|'[^']*'?|"[^"]*"?)?\]?[A-Za-z0-9_.$]*)*$/;

/** A text that is compared with the type of an error: `error.type == 'Net`, `err.type in ['ToolError', 'T`. */
const ERROR_TYPE = /\b(?:error|err)\.type\s*(?:[=!]=\s*|in\s*\[(?:\s*(?:'\w*'|"\w*")\s*,)*\s*)['"](\w*)$/;
const ERROR_TYPES = ['ToolError', 'LLMError', 'NetworkError', 'ValidationError', 'Timeout', 'UnknownError'] as const;

/** Completion from the names that the engine knows at this node. */
export function expressionCompletion(load: LoadNames, template: boolean): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.state.sliceDoc(0, context.pos);
    // Asked for beside the braces: a field is put in with its own.
    const beside = template && !insideTemplate(before);
    if (beside && !context.explicit) return null;
    const begun = ERROR_TYPE.exec(before)?.[1];
    if (begun !== undefined) return { from: context.pos - begun.length, options: ERROR_TYPES.map((label) => ({ label, type: 'constant' })), validFor: /^\w*$/ };
    const word = WORD.exec(before)?.[0] ?? '';
    if (word === '' && !context.explicit && !(template && before.endsWith('{{'))) return null;
    let names: readonly ExpressionName[];
    try {
      names = await load();
    } catch {
      // No completion is better than an editor that complains while one types.
      return null;
    }
    if (beside) {
      const fields = names.filter(({ type, label }) => type !== 'function' && !label.startsWith('_'));
      // A word that begins the name of a field is taken for it; any other text stays.
      const begun = /\w+$/.exec(before)?.[0].toLowerCase() ?? '';
      const known = begun !== '' && fields.some(({ label }) => label.toLowerCase().split(/\W+/).some((part) => part.startsWith(begun)));
      const apply = (label: string) => `{{${label}}}`;
      return { from: context.pos - (known ? begun.length : 0), options: fields.map((name) => ({ ...option(name), apply: apply(name.label), boost: name.label.startsWith('item') ? 1 : 0 })), validFor: /^[\w.]*$/ };
    }
    return { from: context.pos - word.length, options: names.map(option), validFor: /^[\w.$[\]'"()-]*$/ };
  };
}

function option(name: ExpressionName): Completion {
  const sample = name.sample === undefined ? undefined : short(name.sample);
  const detail = [name.type, sample].filter(Boolean).join('  ');
  return {
    label: name.label,
    detail,
    type: name.type === 'function' ? 'function' : 'variable',
    ...(name.detail ? { info: name.detail } : {}),
  };
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 32 ? `${text.slice(0, 31)}…` : text;
}
