/** What the wire has cut of the data of a step is loaded, up to a size: a person sees fields and lists, not the beginning of a text. */
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { isCut, isObject } from '../../json/json.ts';
import type { CutValue, Item } from '../../api/types.ts';
import type { StepDataState, StepValues } from './step-data.ts';

/** Letters that are loaded without being asked for; the rest waits for a press on "Load full value". */
export const LOADED = 2_000_000;

/** What was cut, from the first item on, as far as the size allows. */
export function cutsOf({ input, output }: StepValues): CutValue[] {
  const found: CutValue[] = [];
  let left = LOADED;
  const walk = (value: unknown): void => {
    if (isCut(value)) {
      // Without a reference there is no way to the whole.
      if (value.ref === '' || value.length > left) return;
      left -= value.length;
      found.push(value);
    } else if (Array.isArray(value)) value.forEach(walk);
    else if (isObject(value)) Object.values(value).forEach(walk);
  };
  for (const { data } of Object.values(output).flat()) walk(data);
  for (const { data } of input) walk(data);
  return found;
}

type Loaded = ReadonlyMap<string, unknown>;

function filled(value: unknown, loaded: Loaded): unknown {
  if (isCut(value)) return loaded.has(value.ref) ? loaded.get(value.ref) : value;
  if (Array.isArray(value)) return value.map((one) => filled(one, loaded));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, loaded)])) : value;
}

export function withLoaded(values: StepValues, loaded: Loaded): StepValues {
  const output = Object.entries(values.output).map(([port, items]): [string, Item[]] => [port, items.map((one) => ({ ...one, data: filled(one.data, loaded) }))]);
  return { ...values, input: values.input.map((one) => ({ ...one, data: filled(one.data, loaded) })), output: Object.fromEntries(output) };
}

/** The same state, with the whole values as soon as they are there. */
export function useFullValues(state: StepDataState): StepDataState {
  const refs = useMemo(() => (state.kind === 'data' ? cutsOf(state.values).map((cut) => cut.ref) : []), [state]);
  const { data } = useQuery({
    queryKey: ['run_value', 'of a step', refs],
    queryFn: async ({ signal }) => {
      const loaded = new Map<string, unknown>();
      for (const ref of refs) loaded.set(ref, await call('run_value', { ref }, signal));
      return loaded;
    },
    enabled: refs.length > 0,
    // What a run told does not change; that it is kept for long would cost memory.
    staleTime: Infinity,
    gcTime: 60_000,
    structuralSharing: false,
  });
  return useMemo(() => (state.kind === 'data' && data && refs.length > 0 ? { kind: 'data', values: withLoaded(state.values, data) } : state), [state, data, refs.length]);
}
