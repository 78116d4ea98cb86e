// What a model says in a call and what tools do for it, as it comes.

import { isCut, isObject } from '../json/json';
import { readError } from './run-error';
import { cardOf, node, text, type Fields, type FoldState } from './run-fold-state';
import type { CallCard, ModelTurn, NodeRun, RunEventLike, Saying, ToolRun } from './run-types';

/** A node shows the end of what is said: so many characters are enough for its widest line. */
const TAIL = 120;

/** True when the event is one of these. */
export function applySaid(s: FoldState, event: RunEventLike, ms: number, payload: Fields): boolean {
  switch (event.type) {
    case 'llm_token':
      return spoken(s, event, 'text', payload);
    case 'llm_thinking':
      return spoken(s, event, 'thinking', payload);
    case 'llm_tool_use':
      return begins(s, event, { what: 'tool', id: text(payload['tool_use_id']) ?? '', name: text(payload['name']) ?? '', input: payload['input'], startedMs: ms, notices: [] });
    case 'llm_tool_result':
      return heard(s, event, ms, payload);
    case 'tool_start':
      if (called(s, event, ms, payload)) return true;
      return begins(s, event, { what: 'tool', id: '', name: text(payload['name']) ?? '', input: payload['input'], startedMs: ms, notices: [] });
    case 'tool_message':
      return noticed(s, event, payload);
    case 'tool_done':
      return ends(s, event, own, { output: payload['output'], failed: false, endedMs: ms });
    case 'tool_error':
      return ends(s, event, own, { output: payload['error'] ?? payload['output'], failed: true, allowed: payload['allowError'] === true, endedMs: ms });
    case 'llm_done':
      return turned(s, event, payload);
    case 'llm_error':
      return failed(s, event, payload);
    default:
      return false;
  }
}

/** What is said in a call so far, to write to. */
function said(s: FoldState, card: CallCard): Saying[] {
  const known = card.said;
  if (known && s.fresh.has(known)) return known as Saying[];
  const copy = [...(known ?? [])];
  s.fresh.add(copy);
  card.said = copy;
  return copy;
}

/** The words of a text, or of its beginning where it is too long for the wire. */
const wordsOf = (value: unknown): string => text(value) ?? (isCut(value) ? value.preview : '');

function spoken(s: FoldState, event: RunEventLike, what: 'text' | 'thinking', payload: Fields): boolean {
  const card = cardOf(s, event);
  const delta = payload['delta'];
  // Another answer does not go on where the last one ended.
  const goesOn = payload['anew'] !== true;
  const words = wordsOf(delta);
  if (!card || words === '') return true;
  const list = said(s, card);
  const last = list.at(-1);
  if (isCut(delta)) list.push({ what, text: words, cut: delta });
  else if (goesOn && last?.what === what && !last.cut) list[list.length - 1] = { what, text: last.text + words };
  else list.push({ what, text: words });
  const before = node(s, card.nodeId, card.path).says;
  // Only the end is put together again for each piece, never the whole.
  const shown = goesOn && before?.card === card.index && before.what === what ? before.words + words : (list.at(-1) as { text: string }).text;
  live(s, card, { what, words: shown.slice(-TAIL) });
  return true;
}

function begins(s: FoldState, event: RunEventLike, tool: ToolRun): boolean {
  const card = cardOf(s, event);
  if (!card) return true;
  said(s, card).push(tool);
  live(s, card, { what: 'tool', words: tool.name });
  return true;
}

/** Its own events tell of it: the step's tool, or the one that a model asked for and that is called. */
const own = (tool: ToolRun): boolean => tool.id === '' || tool.called === true;

/** The tool that is called is the first one that the model waits for. */
function called(s: FoldState, event: RunEventLike, ms: number, payload: Fields): boolean {
  const card = cardOf(s, event);
  const list = card ? said(s, card) : [];
  const at = list.findIndex((one) => one.what === 'tool' && one.id !== '' && one.endedMs === undefined);
  if (!card || at < 0) return false;
  list[at] = { ...(list[at] as ToolRun), name: text(payload['name']) ?? '', startedMs: ms, called: true };
  live(s, card, { what: 'tool', words: text(payload['name']) ?? '' });
  return true;
}

/** What goes back to the model. What the tool itself told says more. */
function heard(s: FoldState, event: RunEventLike, ms: number, payload: Fields): boolean {
  const card = cardOf(s, event);
  if (!card) return true;
  const list = said(s, card);
  const at = list.findLastIndex((one) => one.what === 'tool' && one.id === payload['tool_use_id']);
  const tool = list[at];
  if (tool?.what === 'tool') {
    const failed = payload['is_error'] === true;
    list[at] = tool.endedMs === undefined ? { ...tool, output: payload['content'], failed, endedMs: ms } : { ...tool, failed };
  }
  live(s, card, undefined);
  return true;
}

/** The latest tool of these that has not ended. */
function openTool(list: readonly Saying[], is: (tool: ToolRun) => boolean): number {
  return list.findLastIndex((one) => one.what === 'tool' && one.endedMs === undefined && is(one));
}

function ends(s: FoldState, event: RunEventLike, is: (tool: ToolRun) => boolean, how: Partial<ToolRun>): boolean {
  const card = cardOf(s, event);
  if (!card) return true;
  const list = said(s, card);
  const at = openTool(list, is);
  if (at >= 0) list[at] = { ...(list[at] as ToolRun), ...how };
  live(s, card, undefined);
  return true;
}

function noticed(s: FoldState, event: RunEventLike, payload: Fields): boolean {
  const card = cardOf(s, event);
  if (!card) return true;
  const list = said(s, card);
  const at = openTool(list, (tool) => tool.name === payload['name']);
  const words = wordsOf(payload['message']);
  if (at >= 0) {
    const tool = list[at] as ToolRun;
    list[at] = { ...tool, notices: [...tool.notices, { level: text(payload['level']) ?? 'info', words, data: payload['data'] ?? undefined }] };
  }
  live(s, card, { what: 'tool', words: text(payload['name']) ?? '', ...(words === '' ? {} : { tells: words }) });
  return true;
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** What a model answered, with its cost. */
function answered(s: FoldState, payload: Fields): ModelTurn {
  const usage = isObject(payload['usage']) ? payload['usage'] : {};
  const thinking = payload['thinking_tokens'];
  const cost = payload['costMicros'];
  const turn: ModelTurn = {
    what: 'turn',
    model: text(payload['model']) ?? '',
    finish: text(payload['finish_reason']) ?? '',
    latencyMs: number(payload['latency_ms']),
    inputTokens: number(usage['input_tokens']),
    outputTokens: number(usage['output_tokens']),
    ...(typeof thinking === 'number' ? { thinkingTokens: thinking } : {}),
    ...(usage['estimated'] === true ? { estimated: true } : {}),
    ...(typeof cost === 'number' ? { costMicros: cost } : {}),
  };
  s.spent = {
    calls: s.spent.calls + 1,
    inputTokens: s.spent.inputTokens + turn.inputTokens,
    outputTokens: s.spent.outputTokens + turn.outputTokens,
    costMicros: s.spent.costMicros + (turn.costMicros ?? 0),
    unpriced: s.spent.unpriced + (turn.costMicros === undefined ? 1 : 0),
  };
  return turn;
}

function turned(s: FoldState, event: RunEventLike, payload: Fields): boolean {
  const turn = answered(s, payload);
  const card = cardOf(s, event);
  if (!card) return true;
  said(s, card).push(turn);
  live(s, card, undefined);
  return true;
}

function failed(s: FoldState, event: RunEventLike, payload: Fields): boolean {
  // What was answered before the call failed is paid all the same.
  const turn = isObject(payload['usage']) ? answered(s, payload) : undefined;
  const card = cardOf(s, event);
  if (!card) return true;
  if (turn) said(s, card).push(turn);
  const error = payload['error'];
  const words = isCut(error) ? error.preview : (text(error) ?? readError(error)?.message ?? '');
  said(s, card).push({ what: 'trouble', words, code: text(payload['code']) ?? text(payload['type']) ?? '', latencyMs: number(payload['latency_ms']) });
  live(s, card, undefined);
  return true;
}

/** What stands on the node while the call goes on. Of calls that speak at once, one is heard until it has said what it says. */
function live(s: FoldState, card: CallCard, says: Omit<NonNullable<NodeRun['says']>, 'card'> | undefined): void {
  if (card.endSeq !== undefined) return;
  const run = node(s, card.nodeId, card.path);
  if (run.says === undefined || run.says.card === card.index) run.says = says && { ...says, card: card.index };
}
