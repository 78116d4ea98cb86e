import { STEP_RUN_ICONS, STEP_RUNS } from '../../features/rerun/step-line.tsx';
import type { StepPlace, StepRun } from '../../features/rerun/step-runs.ts';
import type { RerunPlace } from '../../features/rerun/steps.ts';
import { t } from '../../i18n/index.ts';
import { toast, type Action } from '../../kit/index.ts';

export interface BuilderHooks {
  save(): void;
  canSave(): boolean;
  undo(): void;
  canUndo(): boolean;
  redo(): void;
  canRedo(): boolean;
  run(): void;
  canRun(): boolean;
  runWith(): void;
  canRunWith(): boolean;
  cancel(): void;
  canCancel(): boolean;
  toggleLog(): void;
  togglePanel(): void;
  problems(): void;
  rename(): void;
  canEdit(): boolean;
  clearRun(): void;
  canClearRun(): boolean;
}

const never = () => false;
const nothing = () => undefined;
/** For lists of shortcuts: the same actions, none of them possible. */
export const NO_BUILDER: BuilderHooks = {
  save: nothing, canSave: never, undo: nothing, canUndo: never, redo: nothing, canRedo: never, run: nothing, canRun: never, runWith: nothing, canRunWith: never, cancel: nothing,
  canCancel: never, toggleLog: nothing, togglePanel: nothing, problems: nothing, rename: nothing, canEdit: never, clearRun: nothing, canClearRun: never,
};

export function builderActions(hooks: BuilderHooks): Action[] {
  const workflow = t('group.workflow');
  const run = t('group.run');
  const view = t('group.view');
  return [
    { id: 'workflow.save', title: t('action.save'), keys: ['Mod+S'], run: hooks.save, when: hooks.canSave, group: workflow, icon: 'dl', inFields: true },
    { id: 'edit.undo', repeats: true, title: t('action.undo'), keys: ['Mod+Z'], run: hooks.undo, when: hooks.canUndo, group: workflow, icon: 'undo' },
    { id: 'edit.redo', repeats: true, title: t('action.redo'), keys: ['Mod+Shift+Z', 'Mod+Y'], run: hooks.redo, when: hooks.canRedo, group: workflow, icon: 'redo' },
    { id: 'workflow.rename', title: t('action.rename'), keys: [], run: hooks.rename, when: hooks.canEdit, group: workflow, icon: 'pencil' },
    { id: 'run.start', title: t('action.run'), keys: ['F5'], run: hooks.run, when: hooks.canRun, group: run, icon: 'play', inFields: true },
    { id: 'run.with', title: t('action.runWith'), keys: ['Mod+F5'], run: hooks.runWith, when: hooks.canRunWith, group: run, icon: 'pencil', inFields: true },
    { id: 'run.cancel', title: t('action.cancelRun'), keys: ['Shift+F5'], run: hooks.cancel, when: hooks.canCancel, group: run, icon: 'stop', inFields: true },
    { id: 'run.clear', title: t('action.clearRun'), keys: [], run: hooks.clearRun, when: hooks.canClearRun, group: run, icon: 'x' },
    ...viewActions(hooks),
    { id: 'view.problems', title: t('action.problems'), keys: ['Mod+M'], run: hooks.problems, group: view, icon: 'warn', inFields: true },
  ];
}

/** Opens the planner. */
export function planAction(run: () => void, when: () => boolean): Action {
  return { id: 'plan.open', title: t('plan.action'), keys: ['Mod+I'], run, when, group: t('group.workflow'), icon: 'spark', inFields: true };
}

/** Proves the error handling. */
export function proofAction(run: () => void, when: () => boolean): Action {
  return { id: 'proof.open', title: t('proof.action'), keys: [], run, when, group: t('group.run'), icon: 'shield' };
}

/** Exports the workflow as a program. */
export function exportAction(run: () => void, when: () => boolean): Action {
  return { id: 'workflow.export', title: t('export.action'), keys: [], run, when, group: t('group.workflow'), icon: 'dl' };
}

/** Puts a fault into the step chosen on the canvas, for the next run. `step`: the one that may have one. */
export function faultAction(step: () => string | undefined, ask: (step: string) => void): Action {
  return {
    id: 'run.fault', title: t('fault.action'), keys: [], group: t('group.run'), icon: 'bolt', when: () => step() !== undefined,
    run: () => {
      const chosen = step();
      if (chosen !== undefined) ask(chosen);
    },
  };
}

/** The step chosen on the canvas, as an action of the palette and of its menu, with keys to be set. `place`: where it would begin, or why not;
 * null where there is nothing to say. */
export function rerunAction(place: () => RerunPlace | null, ask: (step: string) => void): Action {
  return {
    id: 'run.rerunFrom', title: t('rerun.action'), titleNow: () => t('rerun.open'), keys: ['Shift+R'], group: t('group.run'), icon: 'retry',
    when: () => place() !== null,
    run: () => {
      const at = place();
      if (at === null) return;
      if ('name' in at) ask(at.name);
      else toast({ signal: 'info', text: t(`rerun.why.${at.why}`) });
    },
  };
}

const STEP_KEYS = { only: ['R'], with: ['Alt+R'], to: ['Mod+F10'], from: ['Shift+Alt+R'] } as const;

/** The step chosen on the canvas, run alone, run to, or run from. What is in the way is said when it is pressed; null where nobody may. */
export function stepRunActions(place: (kind: StepRun) => StepPlace | null, ask: (kind: StepRun, step: string) => void): Action[] {
  return (['only', 'with', 'to', 'from'] as const).map((kind) => ({
    id: STEP_RUNS[kind], title: t(`rerun.run.${kind}Action`), titleNow: () => t(`rerun.run.${kind}`), keys: [...STEP_KEYS[kind]], group: t('group.run'), icon: STEP_RUN_ICONS[kind],
    when: () => place(kind) !== null,
    run: () => {
      const at = place(kind);
      if (at === null) return;
      if ('name' in at) ask(kind, at.name);
      else toast({ signal: 'info', text: t(`rerun.runWhy.${at.why}`) });
    },
  }));
}

export function viewActions(hooks: Pick<BuilderHooks, 'toggleLog' | 'togglePanel'>): Action[] {
  const group = t('group.view');
  return [
    { id: 'view.log', title: t('action.toggleLog'), keys: ['Mod+J'], run: hooks.toggleLog, group, icon: 'rows', inFields: true },
    { id: 'view.panel', title: t('action.togglePanel'), keys: ['Mod+Alt+P'], run: hooks.togglePanel, group, icon: 'sliders', inFields: true },
  ];
}
