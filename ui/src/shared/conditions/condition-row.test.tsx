import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import type { ExpressionName } from '../../api/types.ts';
import { renderWith } from '../../test/render.tsx';
import { ConditionEditor } from './condition-editor.tsx';

const NAMES: ExpressionName[] = [{ label: 'item', type: 'object' }, { label: 'item.customer', type: 'object' }, { label: 'item.customer.city', type: 'string', sample: 'Rome' }];

function Editor({ onText }: { onText(text: string): void }) {
  const [text, setText] = useState('');
  const [source] = useState(() => ({ names: () => Promise.resolve(NAMES), revision: 1 }));
  return <ConditionEditor text={text} onText={(next) => { setText(next); onText(next); }} label="Keep when" source={source} readOnly={false} open><span /></ConditionEditor>;
}

it('a path that is typed through an object ends with the comparisons of its field', async () => {
  let text = '';
  renderWith(<Editor onText={(next) => { text = next; }} />);
  const field = await screen.findByRole('combobox', { name: 'Field of row 1' });
  await userEvent.type(field, 'customer.city');
  await userEvent.type(screen.getByRole('combobox', { name: 'Value of row 1' }), 'Rome');
  expect(text).toContain("item.customer.city == 'Rome'");
});
