import type { ApiError } from '../api/error.ts';
import { Banner } from '../kit/index.ts';

/** What went wrong and what to do, inside a form that keeps what was typed. */
export function Fault({ error }: { error: Pick<ApiError, 'message' | 'hint'> }) {
  return <Banner signal="err" title={error.message}>{error.hint ? <span className="s t2">{error.hint}</span> : null}</Banner>;
}
