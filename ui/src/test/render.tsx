import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { runWaiting } from '../code/after-paint.ts';
import { EditorView } from '@codemirror/view';
import type { ReactElement } from 'react';
import { setTransport } from '../api/client.ts';
import { makeQueryClient, queryClient } from '../api/queries.ts';
import { Toaster } from '../kit/index.ts';
import { fakeTransport, type FakeTransport, type Handlers } from '../api/transport/fake.ts';

// jsdom has no layout: code editors and virtual lists get the answer of a box of one size.
const NO_RECT = { x: 0, y: 0, top: 0, left: 0, right: 0, bottom: 0, width: 0, height: 0, toJSON: () => ({}) };
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect ??= () => NO_RECT;

export function pretendLayout(width = 900, height = 600): void {
  const box = { offsetWidth: width, offsetHeight: height, clientWidth: width, clientHeight: height };
  for (const [name, value] of Object.entries(box)) Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  HTMLElement.prototype.getBoundingClientRect = () => ({ ...NO_RECT, width, height, right: width, bottom: height });
}

/** Shows an element over a host in memory. */
export function renderWith(element: ReactElement, handlers: Handlers = {}): ReturnType<typeof render> & { fake: FakeTransport } {
  const fake = fakeTransport(handlers);
  setTransport(fake);
  const client = makeQueryClient();
  const wrap = (child: ReactElement) => <QueryClientProvider client={client}>{child}</QueryClientProvider>;
  const shown = render(wrap(element));
  return { ...shown, rerender: (next) => shown.rerender(wrap(next as ReactElement)), fake };
}

/** Shows an element whose buttons change something: what goes stale is that of the program, and what it says is seen. */
export function renderOnce(element: ReactElement, handlers: Handlers = {}): ReturnType<typeof render> & { fake: FakeTransport } {
  const fake = fakeTransport(handlers);
  setTransport(fake);
  return { ...render(<QueryClientProvider client={queryClient}>{element}<Toaster label="Messages" closeLabel="Discard" more={String} none="" at={String} /></QueryClientProvider>), fake };
}

/** The code editor with this accessible name. */
export function editorOf(box: HTMLElement): EditorView {
  const view = EditorView.findFromDOM(box);
  if (!view) throw new Error('This is no code editor.');
  return view;
}

/** Types a text at the end of a code editor. */
export function typeCode(box: HTMLElement, text: string): void {
  const view = editorOf(box);
  view.dispatch({ changes: { from: view.state.doc.length, insert: text }, userEvent: 'input.type' });
  runWaiting();
}

export function replaceCode(box: HTMLElement, text: string): void {
  const view = editorOf(box);
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: 'input.type' });
  runWaiting();
}
