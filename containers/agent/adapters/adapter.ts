import type { AgentAssignment, AgentModelAccess } from '../../../shared/contract/messages/assignment.ts';
import type { AgentCallEventReader } from './agent-call-event.ts';
import type { JsonFields } from './json-fields.ts';
import type { AgentFailure, AgentRunState } from './run-state.ts';

export interface WorkspaceLayout {
  /** Real path of a folder that holds all that the agent works in, and nothing of ours. */
  readonly root: string;
  readonly checkout: string;
  readonly home: string;
  readonly tmp: string;
  /** Files that make a CLI ask before its calls. Where the agent has a user of its own, it cannot change them. */
  readonly hookFolder: string;
  readonly isHookFolderProtected: boolean;
  readonly promptFile: string;
  readonly instructionsFile: string;
  readonly usageFile: string;
  /** Where the agent writes what it wants leave for. */
  readonly approvalFile: string;
}

/** What an agent is told beside its task, to be passed the way each CLI wants it. */
export interface AgentInstructions {
  /** How its role works. */
  readonly role: string;
  /** What the base commit says to agents, and in which file; null where it says nothing. */
  readonly repository: { readonly file: string; readonly text: string } | null;
  /** Absolute path of a file that holds both, for CLIs that read neither by themselves. */
  readonly file: string;
}

/** What an adapter is given to make a command line of. */
export interface AgentInvocationInput {
  readonly assignment: AgentAssignment;
  readonly layout: WorkspaceLayout;
  /** The task's prompt, whole. */
  readonly fullPrompt: string;
  /** The same, or where to read it when it is too long for an argument. */
  readonly promptArgument: string;
  /** Null: the deployment has no gateway. */
  readonly modelAccess: AgentModelAccess | null;
  readonly instructions: AgentInstructions;
  /** Dollars that the role allows an attempt; null: no limit of its own. */
  readonly maxCostUsd: number | null;
  /** Where it asks before it calls a tool, where it can; null: nobody is asked. */
  readonly toolHookUrl: string | null;
  /** The agent runs as root: only where the embedded stack does. */
  readonly runsAsRoot: boolean;
}

export interface AgentInvocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that must be there before, by absolute path. */
  readonly files: Readonly<Record<string, string>>;
  /** Entries of the home that are removed before each start: an earlier run could have turned hooks off there. */
  readonly removed?: readonly string[];
}

/** The file in which a CLI keeps a session. */
export interface AgentSessionFile {
  /** The folder in its home, and what its files of that session are called. */
  readonly location: (
    places: Pick<WorkspaceLayout, 'home'>,
    session: string,
  ) => { readonly folder: string; readonly end: string };
  /** Where it looks for it: `cwd` is the real path that it runs in. */
  readonly restorePath: (places: Pick<WorkspaceLayout, 'home'>, session: string, cwd: string) => string;
}

/** How a CLI that keeps sessions among other things prints one, and takes up what it has printed from a file. */
export interface SessionTransferCommands {
  readonly exportCommand: (session: string) => readonly string[];
  readonly importCommand: (file: string) => readonly string[];
}

/**
 * How the agent container runs one CLI: command line, events, tool hook, sessions and failures. Facts that other rooms need are in
 * its manifest, `shared/contract/agents/<kind>-manifest.ts`.
 */
export interface AgentAdapter {
  readonly invoke: (job: AgentInvocationInput) => AgentInvocation;
  /** Signals that ask it to end, in this order, before it is killed. */
  readonly stopSignals: readonly ('SIGINT' | 'SIGTERM')[];
  /** Takes one event of its output into the reading. Null: its output is no events, and only its exit code tells. */
  readonly readEvent: ((event: JsonFields, reading: AgentRunState) => void) | null;
  /** What one event shows of calls of models and tools. Null: its output is no events. */
  readonly observeCalls: AgentCallEventReader | null;
  /** It can be made to ask before it calls a tool. */
  readonly supportsToolHook?: true;
  /** The command line that goes on with a session and tells it something; absent: it cannot be told anything. */
  readonly resumeCommand?: (argv: readonly string[], session: string, message: string) => readonly string[];
  /** A resumed session is reported with sums of the whole session, the runs before included. */
  readonly reportsSessionTotals?: true;
  /** What it writes down of a session, which it goes on with in another home when it finds it there. With `resume`; absent: nothing that would do. */
  readonly sessionRecord?: AgentSessionFile | SessionTransferCommands;
  /** What an exit code adds to what was read; absent: nothing. */
  readonly failureAtExit?: (exitCode: number, reading: AgentRunState) => AgentFailure | null;
}
