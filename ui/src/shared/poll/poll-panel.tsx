/** The test of a step that asks a source: it is asked once, and its items can start a run of the draft. */
import '../webhook/webhook.css';
import { useState } from 'react';
import { act, usePermission } from '../../api/queries.ts';
import type { Commands, JsonMap, Workflow } from '../../api/types.ts';
import { isObject } from '../../json/json.ts';
import { t, tn } from '../../i18n/index.ts';
import { Button, SignalIcon } from '../../kit/index.ts';
import { useRunWithEvent } from '../trigger-run-context.ts';

type Tested = Commands['poll_test']['response'];

export function PollPanel({ workflowId, nodeId, config, draft }: { workflowId: string; nodeId: string; config: JsonMap; draft?: () => Workflow }) {
  const may = usePermission();
  const runWith = useRunWithEvent();
  const [asking, setAsking] = useState(false);
  const [tested, setTested] = useState<Tested | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (!may('poll_test')) return null;
  const test = async () => {
    setAsking(true);
    try {
      setTested(await act('poll_test', { workflowId, nodeId, config, ...(draft ? { document: draft() } : {}) }));
      setProblem(null);
    } catch (error) {
      setTested(null);
      setProblem(error instanceof Error && error.message !== '' ? error.message : t('poll.failed'));
    } finally {
      setAsking(false);
    }
  };
  const items = tested?.items ?? [];
  const event = (): JsonMap => ({ items: items.map((one) => one.item), polledAt: new Date().toISOString(), triggerId: `${workflowId}.${nodeId}`, manual: true }) as JsonMap;
  return (
    <div className="webhook" role="group" aria-label={t('poll.title')}>
      <span className="s t3">{t(asksWorkflow(config) ? 'poll.hintRun' : 'poll.hint')}</span>
      <div className="webhook-buttons">
        <Button small icon="retry" disabled={asking} onClick={() => void test()}>{asking ? t('poll.testing') : t('poll.test')}</Button>
        {runWith && items.length > 0 ? <Button small icon="play" onClick={() => runWith(nodeId, event())}>{t('poll.run')}</Button> : null}
      </div>
      <div className="row gap1" aria-live="polite">
        {problem === null ? null : <span className="s c-err row gap1"><SignalIcon signal="err" />{problem}</span>}
        {tested ? <span className="s">{summaryOf(tested)}</span> : null}
        {tested?.runId === undefined ? null : <a className="s" href={`#/run/${encodeURIComponent(tested.runId)}`}>{t('poll.openRun')}</a>}
      </div>
      {items.length > 0 ? <pre className="well mono s" tabIndex={0} aria-label={t('poll.list')}>{JSON.stringify(items.map((one) => one.item), null, 2)}</pre> : null}
    </div>
  );
}

const asksWorkflow = ({ source }: JsonMap): boolean => isObject(source) && source['kind'] === 'workflow';

function summaryOf({ items, total, cursor }: Tested): string {
  if (total === 0) return t('poll.none');
  const count = items.length < total ? t('poll.first', { shown: items.length, n: total }) : tn('poll.items', total);
  const seen = items.filter((one) => one.seen).length;
  return [
    count,
    ...(seen > 0 ? [t('poll.seen', { n: seen })] : []),
    ...(cursor === undefined ? [] : [t('poll.cursor', { cursor: typeof cursor === 'string' ? cursor : JSON.stringify(cursor) })]),
  ].join(', ');
}
