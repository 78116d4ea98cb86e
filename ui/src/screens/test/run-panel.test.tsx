import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Cut } from '../../json/json.ts';
import { foldRun, type RunDefinition, type RunEventLike } from '../../run/run-state.ts';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { renderWith } from '../../test/render.tsx';
import { RunPanel } from '../workbench/run-panel.tsx';

const VIEW = foldRun(FIRST_EVENTS, FIRST);
const CUT = new Cut({ _truncated: true, type: 'string', length: 302_402, preview: 'It was a dark', ref: 'R/9/payload/items' });

describe('ts_100: the panel of a run', () => {
  it('ts_100 an output that the wire has cut says how it begins and how long it is, and can be loaded', async () => {
    renderWith(<RunPanel view={VIEW} output={[CUT]} />, { run_value: ({ ref }) => (ref === CUT.ref ? 'It was a dark and stormy night' : null) });
    const output = screen.getByRole('region', { name: 'Output' });
    expect(output.textContent).toContain('It was a dark');
    expect(output.textContent).toContain('(295.3KB, truncated)');
    expect(output.textContent).not.toContain('_truncated');
    await userEvent.click(screen.getByRole('button', { name: 'Load full value' }));
    expect((await screen.findByText(/stormy night/)).textContent).toBe('It was a dark and stormy night');
  });

  it('ts_101 letters that are not seen are marked, in values and in variables, and a cut variable is no object', async () => {
    renderWith(<RunPanel view={{ ...VIEW, variables: { who: '\u202emoc.live@ada', long: CUT } }} output={['\u202emoc.live']} />);
    expect(screen.getByRole('region', { name: 'Output' }).querySelector('.ctl')?.textContent).toBe('U+202E');
    await userEvent.click(screen.getByRole('tab', { name: /^Variables/ }));
    const shown = screen.getByRole('tabpanel').textContent;
    expect(shown).toContain('U+202Emoc.live@ada');
    expect(shown).toContain('It was a dark');
    expect(shown).not.toContain('_truncated');
  });

  it('C26 says of a past moment which variable of the run changed, never of one that a called file has', async () => {
    const definition: RunDefinition = { nodes: { set: { type: 'data.set' }, sub: { type: 'flow.subworkflow' } }, edges: [] };
    const events: RunEventLike[] = ([['workflow_start', null, null, { context: { rate: 1 } }], ['var_changed', 'set', null, { name: '$rate', newValue: 2 }], ['var_changed', 'set', 'sub', { name: '$rate', newValue: 99 }]] as const)
      .map(([type, stepId, path, payload], i) => ({ runId: 'r', seq: i + 1, ts: new Date(i).toISOString(), type, stepId, path, payload }));
    const shown = (upTo: number) => ({ ...foldRun(events.slice(0, upTo), definition), moment: upTo });
    const { rerender } = renderWith(<RunPanel view={shown(2)} definition={definition} />);
    await userEvent.click(screen.getByRole('tab', { name: /^Variables/ }));
    expect(screen.getByRole('tabpanel').textContent).toContain('$rate set by this event2');
    rerender(<RunPanel view={shown(3)} definition={definition} />);
    expect(screen.getByRole('tabpanel').textContent).toContain('$rate2');
  });
});
