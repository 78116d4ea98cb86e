import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import { t } from '../../i18n/index.ts';
import { renderOnce } from '../../test/render.tsx';
import { ConnectionBanner } from '../workbench/connection-banner.tsx';

it('a broken connection comes back by itself, a refused token does not: there the way in is said', () => {
  const shown = renderOnce(<ConnectionBanner error={new ApiError({ code: 'CONNECTION', message: 'Signalbox does not answer.', hint: '' })} />);
  expect(screen.getByRole('status').textContent).toBe('The live connection brokeSignalbox does not answer. Signalbox tries again by itself. What happened in the meantime is shown then.');
  shown.unmount();
  renderOnce(<ConnectionBanner error={new ApiError({ code: 'AUTH', message: t('auth.why'), hint: t('auth.now') })} />);
  const banner = screen.getByRole('status').textContent;
  expect(banner).toContain('This address does not open Signalbox');
  expect(banner).toContain('#token=');
  expect(banner).not.toMatch(/by itself|connection broke|each start/);
});
