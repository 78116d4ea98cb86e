/** What is wrong with a JSON text that a person writes. */
import { MAX_DEPTH, placeOf, type JsonProblem } from '../json/read-json.ts';
import { t } from './t.ts';

const LONG = 40;
/** What was pasted may be a number of ten thousand digits. */
const short = (what: string): string => (what.length > LONG ? `${what.slice(0, LONG)}…` : what);

/** "Line 3, column 5: …", what it is and what to do. */
export function jsonWords(problem: JsonProblem, text: string): string {
  const place = { ...placeOf(text, problem.at) };
  if (problem.kind === 'syntax') return t('json.syntax', place);
  return t('json.at', { ...place, why: 'what' in problem ? whatWords(problem.kind, problem.what) : t(`json.${problem.kind}`, { n: MAX_DEPTH }) });
}

/** A number that cannot be kept, or a key that stands twice. */
export const whatWords = (kind: 'huge' | 'tiny' | 'inexact' | 'twice', what: string): string => t(`json.${kind}`, { what: short(what) });
