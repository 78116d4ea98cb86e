import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderOnce } from '../test/render.tsx';
import { SignInEnd } from './sign-in-end.tsx';

afterEach(cleanup);

it('says until when a sign-in holds, and does not promise a time that is over', () => {
  const shown = (expires: string, renews: boolean) => {
    cleanup();
    renderOnce(<SignInEnd expires={expires} renews={renews} />, {});
    return document.body.textContent;
  };
  expect(shown('2999-01-02T03:04:00Z', true)).toMatch(/^Until 2999-01-0\d \d\d:\d\d, renewed automatically\.$/);
  expect(shown('2999-01-02T03:04:00Z', false)).toMatch(/Then somebody must sign in again\.$/);
  expect(shown('2020-01-02T03:04:00Z', true)).toMatch(/^The access ended 2020-01-0\d \d\d:\d\d and is renewed with the next use\.$/);
  expect(shown('2020-01-02T03:04:00Z', false)).toMatch(/^The sign-in ended 2020-01-0\d \d\d:\d\d\. Somebody must sign in again\.$/);
  expect(screen.getByText(/^The sign-in ended/).className).toContain('c-err');
});
