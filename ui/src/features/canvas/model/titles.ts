/** Titles as they stand on the cards: equal ones are numbered. */

import type { Workflow, WorkflowNode } from '../../../api/types.ts';
import { numberedTitles as numbered } from '../../../shared/numbered-titles.ts';
import { stepTitle } from '../../../shared/step-title.ts';
import type { Catalog } from './ports.ts';

/** The title of a step of this document. */
export function numberedTitles(document: Workflow, catalog: Catalog): (id: string, node: WorkflowNode) => string {
  const titles = numbered(document.nodes, (type) => catalog.get(type)?.title, catalog);
  return (id, node) => titles.get(id) ?? stepTitle(node.title, catalog.get(node.type)?.title, node.type);
}
