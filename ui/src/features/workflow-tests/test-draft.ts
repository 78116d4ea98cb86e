/** A test while it is edited: fields as texts, and the test that they make. What the form does not show stays as it was. */
import type { CallReply, Commands } from '../../api/types.ts';

export type TestFile = Commands['test_get']['response']['test'];
type Expectations = NonNullable<TestFile['expect']>;
export type Ending = 'output' | 'error' | 'delay' | 'never' | 'crash' | 'pass';
type ErrorType = NonNullable<NonNullable<CallReply['error']>['type']>;

export const ENDINGS: readonly Ending[] = ['output', 'error', 'delay', 'never', 'crash', 'pass'];
export const ERROR_TYPES: readonly ErrorType[] = ['ValidationError', 'LLMError', 'ToolError', 'NetworkError', 'Timeout', 'UnknownError'];
const MOST_DELAY_MS = 400 * 24 * 3_600_000;

export interface MockDraft {
  id: number;
  /** As the file has it. */
  base: CallReply;
  step: string;
  ending: Ending;
  /** The n-th call only; empty for every call. */
  call: string;
  port: string;
  items: string;
  code: string;
  /** Empty: as the kind declares. */
  errorType: ErrorType | '';
  delay: string;
}

export interface ExpectDraft {
  status: string;
  failedStep: string;
  errorCode: string;
  output: string;
  /** Step → state, or `notCalled`. */
  steps: Record<string, string>;
  ports: string;
  context: string;
  assertions: string;
}

export interface TestDraft { name: string; mocks: MockDraft[]; expect: ExpectDraft }

/** What is wrong with a draft: by mock and field, or by field of the expectations. */
export type Wrong = 'delay' | 'delayNeeded' | 'call' | 'items' | 'code' | 'step' | 'list' | 'object';
export interface Problems { name: boolean; mocks: ReadonlyMap<number, Partial<Record<'delay' | 'call' | 'items' | 'code' | 'step', Wrong>>>; expect: Partial<Record<'output' | 'ports' | 'context', Wrong>> }

export const NOT_CALLED = 'notCalled';
let lastId = 0;

const pretty = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

function endingOf(mock: CallReply): Ending {
  if (mock.crash === true) return 'crash';
  if (mock.never === true) return 'never';
  if (mock.error !== undefined) return 'error';
  if (mock.pass !== undefined) return 'pass';
  return mock.output === undefined ? 'delay' : 'output';
}

export function mockDraft(base: CallReply): MockDraft {
  const [port, items] = Object.entries(base.output ?? {})[0] ?? [base.pass ?? 'success', [{}]];
  lastId += 1;
  return {
    id: lastId, base, step: base.step, ending: endingOf(base), call: base.call === undefined ? '' : String(base.call), port, items: pretty(items),
    code: base.error?.code ?? '', errorType: base.error?.type ?? '', delay: base.afterMs ? String(base.afterMs) : '',
  };
}

export function draftOf(test: TestFile): TestDraft {
  const expect: Expectations = test.expect ?? {};
  return {
    name: test.name,
    mocks: (test.mocks ?? []).map(mockDraft),
    expect: {
      status: expect.status ?? '', failedStep: expect.failedStep ?? '', errorCode: expect.errorCode ?? '', output: pretty(expect.output),
      steps: { ...expect.steps, ...Object.fromEntries((expect.notCalled ?? []).map((step) => [step, NOT_CALLED])) },
      ports: pretty(expect.ports), context: pretty(expect.context), assertions: (expect.assertions ?? []).join('\n'),
    },
  };
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const whole = (text: string, least: number, most: number): number | null => {
  const trimmed = text.trim();
  const number = Number(trimmed);
  return /^\d+$/.test(trimmed) && number >= least && number <= most ? number : null;
};
const isPorts = (value: unknown): value is Record<string, Record<string, number>> => isObject(value) && Object.values(value).every((ports) => isObject(ports) && Object.values(ports).every((count) => Number.isInteger(count) && Number(count) >= 0));

export function problemsOf(draft: TestDraft): Problems {
  const mocks = new Map<number, Partial<Record<'delay' | 'call' | 'items' | 'code' | 'step', Wrong>>>();
  for (const mock of draft.mocks) {
    const wrong: Partial<Record<'delay' | 'call' | 'items' | 'code' | 'step', Wrong>> = {};
    const delay = mock.delay.trim() === '' ? 0 : whole(mock.delay, 0, MOST_DELAY_MS);
    if (delay === null) wrong.delay = 'delay';
    else if (mock.ending === 'delay' && delay === 0) wrong.delay = 'delayNeeded';
    if (mock.call !== '' && whole(mock.call, 1, 1_000_000) === null) wrong.call = 'call';
    if (mock.ending === 'output' && !Array.isArray(parsed(mock.items))) wrong.items = 'items';
    if (mock.ending === 'error' && mock.code.trim() === '') wrong.code = 'code';
    if (mock.step === '') wrong.step = 'step';
    if (Object.keys(wrong).length > 0) mocks.set(mock.id, wrong);
  }
  const { output, ports, context } = draft.expect;
  return {
    name: draft.name.trim() === '', mocks,
    expect: {
      ...(output.trim() !== '' && !Array.isArray(parsed(output)) ? { output: 'list' as const } : {}),
      ...(ports.trim() !== '' && !isPorts(parsed(ports)) ? { ports: 'object' as const } : {}),
      ...(context.trim() !== '' && !isObject(parsed(context)) ? { context: 'object' as const } : {}),
    },
  };
}

export const isReady = (problems: Problems): boolean => !problems.name && problems.mocks.size === 0 && Object.keys(problems.expect).length === 0;

function replyOf(draft: MockDraft): CallReply {
  const { output, pass: _pass, error, crash: _crash, never: _never, call: _call, afterMs: _afterMs, paired, ...rest } = draft.base;
  const reply: CallReply = { ...rest, step: draft.step };
  if (draft.call !== '') reply.call = Number(draft.call);
  const delay = Number(draft.delay.trim() || 0);
  if (delay > 0) reply.afterMs = delay;
  if (draft.ending === 'output') {
    const items = parsed(draft.items) as unknown[];
    // Other ports of a recorded result stay; the lineage holds as long as the items do.
    const others = Object.entries(output ?? {}).slice(1).filter(([port]) => port !== draft.port);
    reply.output = { [draft.port]: items, ...Object.fromEntries(others) };
    if (paired !== undefined && pretty(output?.['success']) === pretty(items) && draft.port === 'success') reply.paired = paired;
  } else if (draft.ending === 'error') {
    const { type: _type, ...kept } = error !== undefined && error.code === draft.code ? error : { code: draft.code.trim() };
    reply.error = { ...kept, ...(draft.errorType === '' ? {} : { type: draft.errorType }) };
  } else if (draft.ending === 'pass') reply.pass = draft.port;
  else if (draft.ending === 'crash') reply.crash = true;
  else if (draft.ending === 'never') reply.never = true;
  return reply;
}

/** The test that a draft without problems makes. */
export function testOf(draft: TestDraft, test: TestFile): TestFile {
  const { expect } = draft;
  const before: Expectations = test.expect ?? {};
  const steps = Object.entries(expect.steps);
  const known = steps.filter(([, state]) => state !== NOT_CALLED);
  const notCalled = steps.filter(([, state]) => state === NOT_CALLED).map(([step]) => step);
  const assertions = expect.assertions.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  const value = (text: string): unknown => (text.trim() === '' ? undefined : parsed(text));
  // What the file knows and this form does not stays.
  const { status: _s, failedStep: _f, errorCode: _e, output: _o, context: _c, steps: _st, ports: _p, notCalled: _n, assertions: _a, ...rest } = before;
  const output = value(expect.output);
  const ports = value(expect.ports);
  const context = value(expect.context);
  return {
    ...test, name: draft.name.trim(), mocks: draft.mocks.map(replyOf),
    expect: {
      ...rest,
      ...(expect.status === '' ? {} : { status: expect.status }), ...(expect.failedStep === '' ? {} : { failedStep: expect.failedStep }), ...(expect.errorCode.trim() === '' ? {} : { errorCode: expect.errorCode.trim() }),
      ...(output === undefined ? {} : { output: output as unknown[] }), ...(context === undefined ? {} : { context: context as Record<string, unknown> }),
      ...(known.length === 0 ? {} : { steps: Object.fromEntries(known) }), ...(ports === undefined ? {} : { ports: ports as Record<string, Record<string, number>> }),
      ...(notCalled.length === 0 ? {} : { notCalled }), ...(assertions.length === 0 ? {} : { assertions }),
    },
  };
}
