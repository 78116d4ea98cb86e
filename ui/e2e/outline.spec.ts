/** Without a mouse: a workflow is built in the outline, by keys alone, and read there as a screen reader reads it. */
import { openDocument, saved, shot, wires } from './document.ts';
import { expect, test } from './host.ts';

interface Doc {
  nodes: { [id: string]: { type: string; title?: string } };
  edges: { from: string; to: string }[];
  layout: { [id: string]: [number, number] };
}

test('a workflow is built in the outline by keyboard alone', async ({ open, host }) => {
  const { page, made } = await openDocument<Doc>(open, host, 'Built by keys', { nodes: {}, edges: [] });
  const keys = page.keyboard;
  const box = page.getByRole('dialog', { name: 'Add a step' });
  const outline = page.getByRole('complementary', { name: 'Outline' });
  const line = (name: string | RegExp) => outline.getByRole('treeitem', { name, exact: true });
  const add = async (words: string, step: string): Promise<void> => {
    await expect(box).toBeVisible();
    await keys.type(words);
    await expect(box.getByRole('option').first()).toContainText(step);
    await keys.press('Enter');
    await expect(line(step)).toBeFocused();
  };

  await keys.press('Control+Alt+l');
  await expect(outline.getByRole('button', { name: 'Add', exact: true })).toBeFocused();
  await keys.press('Enter');
  await add('manual', 'Manual start');
  await keys.press('a');
  await add('set fields', 'Set fields');
  await keys.press('a');
  await add('filter', 'Filter');

  await keys.press('F2');
  await keys.type('Keep the large ones');
  await keys.press('Enter');
  await expect(line('Keep the large ones Filter')).toBeFocused();

  // One place back: it stands before what stood before it.
  await keys.press('Alt+ArrowUp');
  await expect(line('Kept to Set fields')).toBeVisible();
  await expect(line('Keep the large ones Filter')).toBeFocused();

  // The other port leads to the same step; then that wire is taken away again.
  await keys.press('ArrowDown');
  await keys.press('ArrowDown');
  await expect(line('Rest, not connected')).toBeFocused();
  await keys.press('c');
  await expect(page.getByRole('dialog')).toBeVisible();
  await keys.type('set fields');
  await keys.press('Enter');
  await expect(line('Rest to Set fields')).toBeVisible();
  await line('Rest to Set fields').press('Delete');
  await expect(line('Rest, not connected')).toBeVisible();
  await expect(line('Keep the large ones Filter')).toBeFocused();

  await expect(outline.getByRole('tree')).toMatchAriaSnapshot(`
    - tree "Steps and wires":
      - treeitem "Manual start" [expanded] [level=1]
      - treeitem "Started to Keep the large ones" [level=2]
      - treeitem "Keep the large ones Filter" [expanded] [level=1] [selected]
      - treeitem "Kept to Set fields" [level=2]
      - treeitem "Rest, not connected" [level=2]
      - treeitem "Error, not connected" [level=2]
      - treeitem "Set fields" [expanded] [level=1]
      - treeitem "Done, not connected" [level=2]
      - treeitem "Error, not connected" [level=2]
  `);
  await shot(page, 'outline');

  // A step that is taken out leaves its neighbours joined; undo puts it back.
  await keys.press('Control+Delete');
  await expect(outline.getByRole('treeitem', { level: 1 })).toHaveCount(2);
  await keys.press('Control+z');
  await expect(outline.getByRole('treeitem', { level: 1 })).toHaveCount(3);
  await line('Set fields').press('Enter');
  await expect(page.locator('[data-scope=panel]')).toContainText('Set fields');

  const doc = await saved(page, made);
  expect(Object.values(doc.nodes).map((node) => node.type)).toEqual(['trigger.manual', 'data.set', 'data.filter']);
  expect(wires(doc).toSorted()).toEqual(['filter.success>set_fields', 'manual_start.success>filter']);
});
