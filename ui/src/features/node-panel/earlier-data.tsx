// Below the input of a step: what earlier steps put out, to be dragged into its settings. A step that runs once for each item gets the item of the
// earlier step that its own comes from, never the first one of a list.

import { useEffect, useMemo, useState } from 'react';
import { celString } from '../../code/field-drag.ts';
import { Pieces } from '../../code/pieces.tsx';
import { ValueView } from '../../code/ValueView.tsx';
import { t } from '../../i18n/index.ts';
import { Skeleton } from '../../kit/index.ts';
import { plain } from '../../text/letters.ts';
import type { ExpressionHost } from '../../schema-form/index.ts';

export interface EarlierStep { id: string; title: string }

export function EarlierData({ steps, each, host, draggable }: { steps: readonly EarlierStep[]; each: boolean; host: ExpressionHost; draggable: boolean }) {
  // What is known of a step is known until the workflow (its list of steps), the run or the shown item is another one.
  const answers = useMemo(() => remembered(each, host), [steps, each, host]); // eslint-disable-line react/exhaustive-deps
  // Whoever looks at the data of a step is about to open these: the nearest ones are asked about while nothing else is to be done.
  useEffect(() => whenIdle(steps.slice(0, AHEAD), answers), [steps, answers]);
  if (steps.length === 0) return null;
  return (
    <section className="panel-earlier" aria-label={t('data.earlier')}>
      <h4 className="cap">{t('data.earlier')}</h4>
      {steps.map((step) => <One key={step.id} step={step} answers={answers} draggable={draggable} />)}
    </section>
  );
}

/** So many steps are asked about ahead. */
const AHEAD = 3;

/** One after the other, so that a preview of what somebody types finds the host free. Gives what ends it. */
function whenIdle(steps: readonly EarlierStep[], answers: Answers): () => void {
  // Safari has no idle callback.
  const [later, forget] = 'requestIdleCallback' in window ? [(work: () => void) => window.requestIdleCallback(work), (id: number) => window.cancelIdleCallback(id)] : [(work: () => void) => window.setTimeout(work, 0), (id: number) => window.clearTimeout(id)];
  let id = 0;
  let here = true;
  const next = (at: number) => {
    const step = steps[at];
    if (!step) return;
    id = later(() => void answers(step, true).then(() => { if (here) next(at + 1); }));
  };
  next(0);
  return () => {
    here = false;
    forget(id);
  };
}

type Answers = (step: EarlierStep, ahead?: boolean) => Promise<Found>;

/** Asks once about each step. */
function remembered(each: boolean, host: ExpressionHost): Answers {
  const asked = new Map<string, Promise<Found>>();
  return (step, ahead = false) => {
    const known = asked.get(step.id);
    if (known) return known;
    const answer = look(step, each, host, ahead).catch((): Found => {
      asked.delete(step.id);
      return { kind: 'none' };
    });
    asked.set(step.id, answer);
    return answer;
  };
}

function One({ step, answers, draggable }: { step: EarlierStep; answers: Answers; draggable: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      {/* Who comes near with the mouse or the keys is about to open it. */}
      <summary onPointerEnter={() => void answers(step)} onFocus={() => void answers(step)}><Pieces text={plain(step.title)} /></summary>
      {open ? <Values step={step} answers={answers} draggable={draggable} /> : null}
    </details>
  );
}

type Found = { kind: 'loading' } | { kind: 'none' } | { kind: 'value'; root: string; value: unknown; words: string; why?: string };

/** `nodes.ID`, also where the id is no plain name. */
const nodeOf = (id: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? `nodes.${id}` : `nodes[${celString(id)}]`);

/** What is offered of a step, and how it is written: its item that this one comes from, its only output, or all of its items. */
async function look({ id, title }: EarlierStep, each: boolean, host: ExpressionHost, ahead: boolean): Promise<Found> {
  const ask = (text: string) => host.preview(text, 'cel', host.item, true);
  const node = nodeOf(id);
  // Both at once when somebody waits: the list opens after one answer. Ahead one after the other, so that a preview of what is typed finds the
  // host free. What is refused because something else was just asked is asked again.
  const questions = [() => ask(`size(${node}.items)`), () => ask(`${node}.output`)] as const;
  const [first, output] = ahead ? [await questions[0](), await questions[1]()] : await Promise.all([questions[0](), questions[1]()]);
  const count = first?.state === 'error' ? await ask(`size(${node}.items)`) : first;
  if (count?.state !== 'value') return { kind: 'none' };
  const step = plain(title);
  if (Number(count.value) > 1 && each) {
    const root = `paired(${celString(id)})`;
    const paired = await ask(root);
    if (paired?.state === 'value') return { kind: 'value', root, value: paired.value, words: t('data.earlierPaired', { step }) };
    const all = await ask(`${node}.items`);
    if (all?.state !== 'value') return { kind: 'none' };
    return { kind: 'value', root: `${node}.items`, value: all.value, words: t('data.earlierAll', { step }), ...(paired?.state === 'error' ? { why: paired.message } : {}) };
  }
  const [root, words] = Number(count.value) > 1 ? [`${node}.items`, t('data.earlierAll', { step })] : [`${node}.output`, t('data.earlierOutput', { step })];
  // The output of several items is the list of them.
  const found = output?.state === 'error' ? await ask(root) : output;
  return found?.state === 'value' ? { kind: 'value', root, value: found.value, words } : { kind: 'none' };
}

function Values({ step, answers, draggable }: { step: EarlierStep; answers: Answers; draggable: boolean }) {
  const [found, setFound] = useState<Found>({ kind: 'loading' });
  useEffect(() => {
    let here = true;
    void answers(step).then((next) => { if (here) setFound(next); });
    return () => { here = false; };
  }, [step, answers]);
  if (found.kind === 'loading') return <Skeleton rows={3} height={20} />;
  if (found.kind === 'none') return <p className="s t3">{t('data.earlierNone')}</p>;
  return (
    <div className="col gap1">
      <p className="s t2"><Pieces text={found.words} /></p>
      {found.why === undefined ? null : <p className="s c-wait"><Pieces text={plain(found.why)} /></p>}
      <ValueView value={found.value} root={draggable ? found.root : undefined} label={found.words} />
    </div>
  );
}
