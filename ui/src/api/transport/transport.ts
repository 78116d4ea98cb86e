/** How the UI reaches its host. Three hosts: the desktop shell, the HTTP server, and memory in tests. */
import type { Closing, Command, Commands, RunEvent } from '../types.ts';

export interface Transport {
  readonly host: 'desktop' | 'http' | 'fake';
  /** `leaving`: the page is closed, and what is sent goes on without it. */
  call<K extends Command>(command: K, payload: Commands[K]['request'], signal?: AbortSignal, leaving?: boolean): Promise<Commands[K]['response']>;
  /** Live events after `after`, in batches, always replayed from there. `onError` says that nothing more comes, `onOpen`
   * that the host is there, also where no event comes. The desktop, whose host is the same program, does not say that. */
  subscribe(runId: string, after: number, onEvents: (batch: RunEvent[]) => void, onError: (cause: unknown) => void, onOpen?: () => void): () => void;
  /** Says that tasks have changed, by whatever process, once at the start and then each time. `onError`: nothing more comes. */
  onTaskChange?(onChange: () => void, onError: (cause: unknown) => void): () => void;
  /** The system's dialogs, where there are some. `null` = the person chose nothing. */
  pickFile?(): Promise<Picked | null>;
  pickFolder?(): Promise<Picked | null>;
  /** Asks where a file goes and writes it there; its path, or `null` when the person chose nothing. */
  saveFile?(name: string, base64: string): Promise<string | null>;
  /** Keeps a copy of a file that a run wrote: where the person says, or among the browser's downloads (then without a path). `null`: the person chose nothing. */
  saveRunFile?(runId: string, seq: number, name: string, acceptChanged: boolean): Promise<{ path?: string } | null>;
  /** Puts a workflow as a program among the browser's downloads, and says its size and its SHA-256. The window writes it itself: `workflow_export`. */
  saveProgram?(workflowId: string, choices: { [name: string]: string }, name: string): Promise<{ size: number; sha256: string | undefined }>;
  /** Items of the native menu, by the id of their action. */
  onMenu?(listener: (action: string) => void): () => void;
  /** Messages of the system, where the page itself has none. */
  notify?(notice: { title: string; body: string; taskId?: string }): Promise<void>;
  /** How many tasks wait, for the tray of the desktop. */
  waiting?(open: number): Promise<void>;
  /** The window is to be closed while workflows are active, and the person has not chosen yet what that does. */
  onClosing?(listener: (asked: ClosingAsked) => void): () => void;
  /** `shown`: the person sees the question; else the answer. */
  closing?(said: 'shown' | 'stay' | Closing): Promise<void>;
  /** Links to a task that the system opened (`signalbox://task/<id>`), also the one that the program was started with. */
  onTask?(listener: (taskId: string) => void): () => void;
  /** Workflow files that the system opens with the program, also the one that the program was started with. */
  onFile?(listener: (file: Outside) => void): () => void;
}

export interface ClosingAsked {
  /** How many workflows are active. */
  active: number;
  /** The window can be opened from the tray. */
  tray: boolean;
}

/** A file that the system opens; without a handle it is at an address of another machine. */
export type Outside = Omit<Picked, 'handle'> & { handle?: string };

/** What a dialog of the system gave: the handle goes back to commands, the path is only shown. */
export interface Picked {
  handle: string;
  shown: string;
}
