import { useLayoutEffect, useRef, type RefObject } from 'react';

/** The newest value, for handlers and effects that must not run again because of it. */
export function useLatest<T>(value: T): RefObject<T> {
  const box = useRef(value);
  useLayoutEffect(() => {
    box.current = value;
  });
  return box;
}
