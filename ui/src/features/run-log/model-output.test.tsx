import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Cut } from '../../json/json.ts';
import { foldRun, type CallCard, type Saying } from '../../run/run-state.ts';
import { FIRST, FIRST_EVENTS } from '../../test/walkthrough.ts';
import { renderWith } from '../../test/render.tsx';
import { CardSections, type SectionId } from './card.tsx';

const base = foldRun(FIRST_EVENTS, FIRST).cards[2] as CallCard;

function card(said: Saying[], open: SectionId[] = ['response'], more: Partial<CallCard> = {}) {
  return renderWith(<CardSections card={{ ...base, said, ...more }} where={{ runId: 'R', words: (path) => path }} sections={{ isOpen: (_, section) => open.includes(section), toggle: () => undefined }} />);
}

const turn = { what: 'turn', model: 'tiny-1', finish: 'stop', latencyMs: 1200, inputTokens: 1100, outputTokens: 34 } as const;

afterEach(() => { vi.unstubAllGlobals(); });

describe('U-21: what a model said', () => {
  it('the answer stands open, thoughts, tools and tokens are named with their size', () => {
    card([{ what: 'thinking', text: 'Hm.' }, { what: 'tool', id: '', name: 'calc', input: {}, startedMs: 0, endedMs: 5, output: '42', failed: false, notices: [] }, { what: 'text', text: 'Forty-two.' }, turn]);
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toBe('Forty-two.');
    expect(screen.queryByText('Hm.')).toBeNull();
    expect(screen.getByRole('button', { name: /^Thinking/ }).getAttribute('aria-expanded')).toBe('false');
    expect(screen.getByRole('button', { name: /^1 tool call/ }).getAttribute('aria-expanded')).toBe('false');
    expect(screen.getByRole('button', { name: /^Token usage/ }).textContent).toContain('tiny-1, 1,134 tokens');
  });

  it('thoughts are said to come in as long as nothing else has come', () => {
    const coming = (said: Saying[]) => { const shown = card(said, [], { endSeq: undefined } as never); const text = screen.getByRole('button', { name: /^Thinking/ }).textContent; shown.unmount(); return text; };
    expect(coming([{ what: 'thinking', text: 'Hm.' }])).toContain('streaming');
    expect(coming([{ what: 'thinking', text: 'Hm.' }, { what: 'text', text: 'Well' }])).toContain('3B');
  });

  it('with tools it is a conversation in turns; what stands last is the answer, and what failed is red', async () => {
    const tool = { what: 'tool' as const, startedMs: 0, endedMs: 5, notices: [] };
    card([
      { what: 'text', text: 'I look it up.' }, { ...tool, id: 't1', name: 'find', input: { q: 'lamp' }, output: 'no such aisle', failed: true },
      { ...tool, id: 't2', name: 'find', input: { q: 'lamps' }, output: 'aisle 7', failed: false }, { what: 'text', text: 'In aisle 7.' }, turn,
    ], ['response', 'conversation']);
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toBe('In aisle 7.');
    expect(screen.getByRole('button', { name: /^Conversation/ }).textContent).toContain('2 tool calls, 1 failed');
    const talk = screen.getByRole('list', { name: 'Conversation' });
    expect([...talk.children].map((one) => one.textContent)).toEqual([expect.stringContaining('I look it up.'), expect.stringContaining('find'), expect.stringContaining('find'), expect.stringContaining('In aisle 7.')]);
    expect(screen.getByRole('img', { name: 'Failed' })).toBeTruthy();
    await userEvent.click(screen.getAllByRole('button', { name: /find/ })[0] as HTMLElement);
    expect(screen.getByLabelText('find Result').textContent).toContain('no such aisle');
  });

  it('a turn that the wire has cut says so and leads to the rest; an empty one is none', () => {
    const tool = { what: 'tool' as const, startedMs: 0, endedMs: 5, notices: [], name: 'find', input: {}, output: 'x', failed: false };
    const cut = new Cut({ _truncated: true, type: 'string', preview: 'First I look', ref: 'R/3/payload/delta', length: 20_000 });
    card([{ what: 'text', text: '\n\n' }, { ...tool, id: 't1' }, { what: 'text', text: 'First I look', cut }, { ...tool, id: 't2' }, { what: 'text', text: 'Done.' }, turn], ['response', 'conversation']);
    const talk = within(screen.getByRole('list', { name: 'Conversation' }));
    expect(talk.getByText(/^A long part is truncated above/)).toBeTruthy();
    // Turns are no landmarks, and only what scrolls is a stop of the keyboard.
    expect(talk.queryByRole('region')).toBeNull();
    const turns = talk.getAllByRole('group', { name: /^Model \d/ }).filter((one) => one.className === 'said-text');
    expect(turns.map((one) => one.textContent)).toEqual(['First I look', 'Done.']);
    expect(turns.map((one) => one.tabIndex)).toEqual([-1, -1]);
  });

  it('a turn that begins to scroll when the log is made smaller becomes a stop of the keyboard', () => {
    const looks: (() => void)[] = [];
    vi.stubGlobal('ResizeObserver', class { constructor(look: () => void) { looks.push(look); } observe() {} unobserve() {} disconnect() {} });
    const tool = { what: 'tool' as const, startedMs: 0, endedMs: 5, notices: [], name: 'find', input: {}, output: 'x', failed: false };
    card([{ what: 'text', text: 'First I look' }, { ...tool, id: 't1' }, { what: 'text', text: 'Done.' }, turn], ['conversation']);
    const first = () => within(screen.getByRole('list', { name: 'Conversation' })).getAllByRole('group', { name: /^Model \d/ }).filter((one) => one.className === 'said-text')[0] as HTMLElement;
    expect(first().tabIndex).toBe(-1);
    Object.defineProperty(first(), 'scrollHeight', { configurable: true, value: 300 });
    Object.defineProperty(first(), 'clientHeight', { configurable: true, value: 100 });
    act(() => { for (const look of looks) look(); });
    expect(first().tabIndex).toBe(0);
  });

  it('is text, whatever it holds: no pictures, no links, no code', () => {
    const { container } = card([{ what: 'text', text: '![x](https://evil.example/?q=1) <img src=x onerror=alert(1)> [a](javascript:alert(1))' }]);
    expect(container.querySelector('img, a, script')).toBeNull();
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toContain('<img src=x');
  });

  it('what is not seen is marked: in what a model says, and in the name and the words of a tool', () => {
    card([{ what: 'tool', id: 't', name: 're\u202ead', input: {}, startedMs: 0, endedMs: 5, output: 'x', failed: false, notices: [{ level: 'warn', words: 'slow\u200b' }] }, { what: 'text', text: 'Done\u2066.' }, turn], ['response', 'conversation']);
    expect(screen.getByRole('region', { name: 'Response' }).querySelector('.ctl')?.textContent).toBe('U+2066');
    expect(screen.getAllByText('U+202E').length).toBe(1);
    expect(screen.getByText('U+200B')).toBeTruthy();
  });

  it('ts_052 an answer behind masks is one mask', () => {
    card([{ what: 'text', text: '••••••••••••' }]);
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toBe('•••');
  });

  it('a long answer shows its beginning, and all of it when asked', async () => {
    card([{ what: 'text', text: 'a'.repeat(30_000) }]);
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toHaveLength(20_002);
    await userEvent.click(screen.getByRole('button', { name: /^Show all/ }));
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toHaveLength(30_000);
  });

  it('a part that was cut on its way has the way to all of it', () => {
    const cut = new Cut({ _truncated: true, type: 'string', length: 12_000, preview: 'It was', ref: 'R/3/payload/delta' });
    card([{ what: 'text', text: 'It was', cut }]);
    expect(screen.getByRole('region', { name: 'Response' }).textContent).toBe('It was');
    expect(screen.getByText(/Full text:/)).toBeTruthy();
  });

  it('what is only space is no answer', () => {
    card([{ what: 'text', text: '\n\n' }, turn]);
    expect(screen.queryByRole('button', { name: /^Response/ })).toBeNull();
  });

  it('while it comes the end of a long one is seen', () => {
    card([{ what: 'text', text: `${'a'.repeat(30_000)}END` }], ['response'], { endSeq: undefined });
    expect(screen.getByRole('region', { name: 'Response' }).textContent?.endsWith('END')).toBe(true);
    expect(screen.getByText('streaming')).toBeTruthy();
  });

  it('a tool opens to its arguments and its answer; one that failed says so before', async () => {
    card([{ what: 'tool', id: 't', name: 'files__read', input: { path: 'a.txt' }, startedMs: 0, endedMs: 1500, output: 'no such file', failed: true, notices: [{ level: 'warn', words: 'slow disk' }] }], ['conversation']);
    expect(screen.getByRole('button', { name: /^Conversation 1 tool call, 1 failed/ })).toBeTruthy();
    expect(screen.getByText('slow disk')).toBeTruthy();
    expect(screen.queryByText('"no such file"')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: /files__read/ }));
    expect(screen.getByText('"a.txt"')).toBeTruthy();
    expect(screen.getByText('"no such file"')).toBeTruthy();
  });

  it('tokens are summed over the answers of a call', () => {
    card([turn, { ...turn, inputTokens: 2000, outputTokens: 6, thinkingTokens: 3, model: 'tiny-2' }], ['usage']);
    const facts = screen.getAllByRole('definition').map((one) => one.textContent);
    expect(facts).toEqual(['tiny-1, tiny-2', '2', '3,100', '40', '3', 'no price known', '2.40 s', 'completed']);
  });

  it('tokens that the provider did not tell are marked as an estimate, with their cost', () => {
    card([{ ...turn, costMicros: 700 }, { ...turn, costMicros: 300, estimated: true }], ['usage']);
    const facts = screen.getAllByRole('definition').map((one) => one.textContent);
    expect(facts.filter((fact) => fact?.startsWith('about '))).toHaveLength(3);
    expect(facts.some((fact) => fact?.startsWith('estimated high'))).toBe(true);
    expect(screen.getByRole('button', { name: /about .* tokens, about / })).toBeTruthy();
  });

  it('one answer without a price hides the money of no other', () => {
    card([{ ...turn, costMicros: 100_000 }, { ...turn, costMicros: 100_000 }, turn], ['usage']);
    expect(screen.getByRole('button', { name: /^Token usage/ }).textContent).toMatch(/, 0\.20 \+$/);
    expect(screen.getAllByRole('definition').map((one) => one.textContent)).toContainEqual(expect.stringMatching(/^0\.20 \+\. .*1 call has no price/));
  });

  it('answers that failed before the last try are told; the last one is the error of the call', () => {
    const trouble = { what: 'trouble', code: 'RATE_LIMIT', latencyMs: 3 } as const;
    card([{ ...trouble, words: 'first' }, { ...trouble, words: 'second' }], [], { error: { type: 'LLMError', message: 'second' } });
    expect(screen.getByText('Before that: first')).toBeTruthy();
    expect(screen.queryByText('Before that: second')).toBeNull();
  });
});

describe('a call that waits for the yes of a person (ADR 51)', () => {
  const held: Saying = { what: 'tool', id: 't1', name: 'send', input: {}, startedMs: 0, notices: [] };
  const error = { type: 'ToolError', message: "The model wants to call 'send' of 'post'.", details: { code: 'TOOL_APPROVAL' } };

  it('is a question: it was not asked and left without an answer, and nothing has failed', () => {
    card([{ what: 'text', text: 'I write.' }, held], ['conversation', 'outputs'], { status: 'asks', error, question: true, items: {} });
    expect(screen.getByRole('img', { name: 'Waiting for approval' })).toBeTruthy();
    expect(screen.queryByRole('img', { name: 'No response' })).toBeNull();
    expect(screen.getByRole('button', { name: /^Question/ })).toBeTruthy();
    expect(screen.getByText('after a person answers, in the next call')).toBeTruthy();
    expect(screen.queryByText(/the call failed/)).toBeNull();
  });

  it('the same call that failed otherwise says so', () => {
    card([{ what: 'text', text: 'I write.' }, held], ['conversation'], { status: 'failed', error, items: {} });
    expect(screen.getByRole('img', { name: 'No response' })).toBeTruthy();
    expect(screen.getByText(/none, the call failed/)).toBeTruthy();
  });

  it('a tool that was given nothing says so, and has no empty heading', async () => {
    card([{ ...held, id: '', endedMs: 5, output: 'sent', failed: false }], ['tools']);
    await userEvent.click(screen.getByRole('button', { name: /send/ }));
    expect(screen.getByText('No arguments')).toBeTruthy();
    expect(screen.queryByLabelText('send Arguments')).toBeNull();
  });
});
