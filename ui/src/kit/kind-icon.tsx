/** Icons that data names (a lucide name in kebab case). The list is closed so that the bundle stays small; an unknown
 * name gets a plain box. */
import {
  ArrowDownUp, Ban, Bot, Box, Braces, Calculator, Calendar, CalendarClock, CircleDot, CirclePause, CircleStop, ClipboardList, Clock, CloudDownload, Cog, Combine, CopyX, Database, FileInput, FileJson,
  FileOutput, FilePen, FileText, FileUp, Files, Filter, FolderOpen, Funnel, GitBranch, GitCompare, GitFork, GitMerge, Globe, Group, Hourglass, Inbox, Layers,
  List, ListChecks, ListEnd, ListFilter, LogOut, MailOpen, Merge, MessageSquareWarning, MousePointerClick, Octagon, OctagonAlert, OctagonX, Pause, PenLine, Pencil, Play, Plug, Repeat, Replace, Reply, Rows3, Save, Send, Sheet, Shield,
  Shuffle, Sigma, Signpost, SlidersHorizontal, SortAsc, Split, Square, SquarePen, Stamp, Table, TextCursorInput, Timer, Trash, TriangleAlert, Type, UserRound, Variable, Wand, Webhook, Workflow,
  Wrench, Zap, type LucideIcon,
} from 'lucide-react';

const BY_NAME: { [name: string]: LucideIcon } = {
  'arrow-down-up': ArrowDownUp, 'arrow-up-down': ArrowDownUp, ban: Ban, bot: Bot, box: Box, braces: Braces, calculator: Calculator, calendar: Calendar, 'calendar-clock': CalendarClock,
  'circle-dot': CircleDot, 'circle-pause': CirclePause, 'circle-stop': CircleStop, 'clipboard-list': ClipboardList, clock: Clock, 'cloud-download': CloudDownload, cog: Cog, combine: Combine, 'copy-x': CopyX, database: Database,
  'file-input': FileInput, 'file-json': FileJson, 'file-output': FileOutput, 'file-pen': FilePen, 'file-text': FileText,
  'file-up': FileUp, files: Files, filter: Filter, 'folder-open': FolderOpen, folder: FolderOpen, funnel: Funnel, 'git-branch': GitBranch,
  'git-compare': GitCompare, 'git-fork': GitFork, 'git-merge': GitMerge, globe: Globe, group: Group, hourglass: Hourglass, inbox: Inbox, layers: Layers, list: List, 'list-checks': ListChecks, 'list-end': ListEnd, 'list-filter': ListFilter, 'log-out': LogOut, 'mail-open': MailOpen,
  merge: Merge, 'message-square-warning': MessageSquareWarning, shield: Shield, stamp: Stamp, 'user-round': UserRound,
  'mouse-pointer-click': MousePointerClick, octagon: Octagon, 'octagon-alert': OctagonAlert, 'octagon-x': OctagonX, pause: Pause, 'pen-line': PenLine, pencil: Pencil,
  play: Play, plug: Plug, repeat: Repeat, replace: Replace, reply: Reply, 'rows-3': Rows3, save: Save, send: Send, sheet: Sheet, shuffle: Shuffle, sigma: Sigma, signpost: Signpost,
  'sliders-horizontal': SlidersHorizontal, 'sort-asc': SortAsc, 'arrow-up-narrow-wide': SortAsc, split: Split, square: Square,
  'square-pen': SquarePen, table: Table, 'text-cursor-input': TextCursorInput, timer: Timer, trash: Trash, 'triangle-alert': TriangleAlert, type: Type, variable: Variable, wand: Wand, 'wand-sparkles': Wand,
  webhook: Webhook, workflow: Workflow, wrench: Wrench, zap: Zap,
};

export function hasNamedIcon(name: string): boolean {
  return Object.hasOwn(BY_NAME, name);
}

export function NamedIcon({ name, size = 16, className }: { name: string; size?: number; className?: string }) {
  const Shape = (Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined) ?? Box;
  return <Shape size={size} strokeWidth={1.5} absoluteStrokeWidth className={className} aria-hidden="true" />;
}

/** A coloured tile with an icon. `tone`: start, data, logic, ai, error, person, audit. */
export function Tile({ icon, tone, size = 32 }: { icon: string; tone: string; size?: 24 | 28 | 32 }) {
  return (
    <span className={`tile t${size} k-${tone}`} aria-hidden="true">
      <NamedIcon name={icon} size={16} />
    </span>
  );
}
