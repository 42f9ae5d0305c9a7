import type { ApprovalRequest } from '../../contract/approval/schema.ts';
import type { FailureActionOverrides } from '../../contract/failure/error-action-overrides.ts';
import type { FailureCode } from '../../contract/failure/failure-class.ts';
import type { TokenUsage } from '../../contract/models/usage.ts';
import type { CountPatternMatches } from './authority-cues.ts';
import type { AgentMiddleware, MiddlewareContext } from './compose-middleware.ts';
import type { AgentMiddlewareSettings } from './config-section.ts';
import type { MiddlewareRecorder } from './middleware-recorder.ts';
import type { ToolPolicyEngine } from './policy-engine.ts';

/** How a run has ended that is no work. */
export interface AgentRunFailure {
  readonly class: FailureCode;
  readonly reason: string;
}

/** What passes through a chain around an agent's run. */
export interface AgentRunContext extends MiddlewareContext {
  readonly turn: number;
  /** Before a run or a message: what the agent is about to be told. After a call of its model: what it has said. */
  readonly agentText: string;
  /** Text of others that goes with a message; it is fenced when it is told. */
  readonly quotedTexts: readonly string[];
  /** Said to the agent before everything else; null: nothing. */
  readonly header: string | null;
  /** How the run before this hook has ended; null: there was none, or it has brought work. */
  readonly runFailure: AgentRunFailure | null;
  /** Set where an agent that has failed is to go on in its box: what it is told. */
  readonly resumeMessage: string | null;
  /** What the platform asks leave for in the agent's place. */
  readonly approvalRequest: ApprovalRequest | null;
}

export const EMPTY_RUN_CONTEXT: AgentRunContext = {
  turn: 0,
  agentText: '',
  quotedTexts: [],
  header: null,
  runFailure: null,
  resumeMessage: null,
  approvalRequest: null,
};

/** What one piece of middleware is made with: what is known of the run, and where it says what it has found. */
export interface MiddlewareDependencies {
  readonly run: { readonly task_id: string; readonly attempt: number; readonly agent: string };
  readonly task: {
    readonly title: string;
    readonly description: string;
    readonly criteria: readonly string[];
    /** Of the task that it was made from; null: of none. */
    readonly parent: string | null;
    readonly root_content_sha256: string | null;
  };
  readonly settings: AgentMiddlewareSettings;
  readonly errorActionOverrides: FailureActionOverrides;
  /** Actions that a person has allowed this attempt. */
  readonly approvedActions: readonly string[];
  readonly policy: ToolPolicyEngine | null;
  /** For patterns of the base; absent: the usual patterns, which are ours. */
  readonly countMatches?: CountPatternMatches;
  /** What its turns have used, as its CLI says it, turn by turn where it says so. */
  readonly listTurnCosts: () => readonly { readonly usage: TokenUsage; readonly usd: number | null }[];
  readonly recorder: MiddlewareRecorder;
  /** What a held call wants leave for; the first of a turn is asked about. */
  readonly escalations: { readonly action: string; readonly title: string }[];
}

export type AgentMiddlewareForRun = AgentMiddleware<AgentRunContext>;
export type MiddlewareFactory = (parts: MiddlewareDependencies) => AgentMiddlewareForRun;
