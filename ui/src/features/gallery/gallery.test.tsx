import { render, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Sample } from '../../api/types.ts';
import { sample } from '../../test/fixtures.ts';
import { Gallery, type GalleryProps } from './gallery.tsx';

const nothing = () => undefined;
const loaded = <T,>(data: T) => ({ data, error: null, retry: nothing });

function show(samples: Sample[]) {
  const props: GalleryProps = {
    samples: loaded(samples), workflows: loaded([]), runs: loaded([]), busy: null, newKeys: undefined, may: () => true, runHref: () => '#',
    onRunSample: nothing, onOpenSample: nothing, onTemplates: nothing, onNew: nothing, onOpen: nothing, onDuplicate: nothing, onDelete: nothing, onShowRuns: nothing,
  };
  render(<Gallery {...props} />);
}

describe('samples that need something', () => {
  it('say what is missing and where it is set up; what is there is said, too', () => {
    show([
      sample('first', 'First'), sample('plain', 'Needs nothing'),
      { ...sample('triage', 'Triage'), needs: [{ kind: 'model', ready: false }] },
      { ...sample('files', 'Files'), needs: [{ kind: 'toolServer', name: 'files', ready: true }] },
    ]);
    const cell = (name: string) => screen.getByText(name).closest('.g-cell') as HTMLElement;
    expect(cell('Triage').textContent).toContain('Requires a default model.');
    expect(within(cell('Triage')).getByRole('link', { name: 'Set up' }).getAttribute('href')).toBe('#/settings');
    expect(cell('Files').textContent).toContain('Ready: the tool server “files”, approved.');
    expect(within(cell('Files')).queryByRole('link')).toBeNull();
    expect(cell('Needs nothing').querySelector('.g-need')).toBeNull();
  });
});
