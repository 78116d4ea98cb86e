import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderWith } from '../../test/render.tsx';
import { OutsideBanner } from '../builder/outside-banner.tsx';
import type { Session } from '../builder/session.ts';

const buttons = (outside: Session['outside'], readOnly: boolean) => {
  const { unmount } = renderWith(<OutsideBanner session={{ outside, readOnly } as Session} dirty={false} />);
  const names = screen.queryAllByRole('button').map((one) => one.textContent);
  unmount();
  return names;
};

it('a change outside leaves nothing to decide to who may not build, but to take it', () => {
  const changed = { kind: 'changed', revision: 'r2' } as const;
  const broken = { kind: 'broken', revision: 'r2', why: 'It is no JSON.' } as const;
  expect([changed, { kind: 'gone' } as const, broken].map((one) => buttons(one, true))).toEqual([['Reload'], [], []]);
  expect([changed, { kind: 'gone' } as const, broken].map((one) => buttons(one, false))).toEqual([['Reload', 'Keep mine'], ['Save'], ['Overwrite with mine']]);
});
