// What the panel needs from the screen that shows it. The edits are a part of the canvas' own list.

import type { ReactNode } from 'react';
import type { RunView } from '../../run/run-state.ts';
import type { Diagnostic, NodeDescriptor, Workflow } from '../../api/types.ts';

export type PanelEdit =
  | { type: 'setNode'; id: string; path: readonly (string | number)[]; value: unknown }
  | { type: 'set'; path: readonly (string | number)[]; value: unknown }
  | { type: 'renameNode'; id: string; to: string }
  | { type: 'removeNodes'; ids: readonly string[] };

export interface PanelEditOptions {
  label: string;
  /** Steps with the same key in quick succession are undone together. */
  merge?: string;
  select?: readonly string[];
}

export type PanelTab = 'settings' | 'input' | 'output' | 'error';

export interface NodePanelProps {
  document: Workflow;
  /** The document before what is being typed: titles, wires and earlier steps are read in it, not once for each key. */
  settled?: Workflow;
  /** Chosen steps; none shows the settings of the workflow. */
  selected: readonly string[];
  catalog: readonly NodeDescriptor[];
  diagnostics: readonly Diagnostic[];
  onEdit: (edits: PanelEdit | readonly PanelEdit[], options: PanelEditOptions) => void;
  onSelect?: (nodeId: string) => void;
  /** The run on the screen, live or old. */
  run?: RunView | null;
  /** The call that is chosen in the log: of a step in a loop its iteration is shown. */
  at?: { nodeId: string; path: string | undefined } | undefined;
  readOnly?: boolean;
  /** Puts a step behind this one that takes the entries of its list one by one; `field`: where the list is. */
  onEachEntry?: (nodeId: string, field: string) => void;
  /** Runs what leads to a request that only reads, and the request. */
  onTry?: (nodeId: string) => void;
  tab?: PanelTab;
  onTab?: (tab: PanelTab) => void;
  /** The tab that is seen, null where there are none: what has rules and pauses wants more room. */
  onShown?: (tab: PanelTab | null) => void;
  /** An empty workflow asks this instead of its settings, which stay within reach below. */
  empty?: ReactNode;
  /** The step is shown over the whole workbench. */
  full?: boolean;
  onFull?: (full: boolean) => void;
  /** A new number begins renaming (F2). */
  renameToken?: number;
}
