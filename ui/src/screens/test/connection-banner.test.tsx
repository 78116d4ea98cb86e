import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { t } from '../../i18n/index.ts';
import { renderOnce } from '../../test/render.tsx';
import { ConnectionBanner } from '../workbench/connection-banner.tsx';

it('a broken connection comes back by itself, a refused token does not: there the way in is said', () => {
  const shown = renderOnce(<ConnectionBanner error={new ApiError({ code: 'CONNECTION', message: 'Signalbox does not respond.', hint: '' })} />);
  expect(screen.getByRole('status').textContent).toBe('The live connection was lostSignalbox does not respond. Signalbox reconnects automatically and then shows what happened in the meantime.');
  shown.unmount();
  renderOnce(<ConnectionBanner error={new ApiError({ code: 'AUTH', message: t('auth.why'), hint: t('auth.now') })} />);
  const banner = screen.getByRole('status').textContent;
  expect(banner).toContain('This address does not sign you in');
  expect(banner).toContain('#token=');
  expect(banner).not.toMatch(/by itself|connection broke|each start/);
});
