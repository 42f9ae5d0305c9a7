import type { MiddlewareName } from '../../../shared/contract/agents/middleware-names.ts';
import type { ApprovalRequest } from '../../../shared/contract/approval/schema.ts';
import type { MiddlewareRecord } from '../../../shared/contract/run-record/middleware-record.ts';
import { BUILTIN_MIDDLEWARE_FACTORIES } from '../../../shared/control/middleware/builtin/registry.ts';
import {
  composeMiddleware,
  type ToolCall,
  type ToolCallResult,
} from '../../../shared/control/middleware/compose-middleware.ts';
import { MiddlewareRecorder } from '../../../shared/control/middleware/middleware-recorder.ts';
import {
  type AgentRunContext,
  type AgentRunFailure,
  EMPTY_RUN_CONTEXT,
  type MiddlewareDependencies,
} from '../../../shared/control/middleware/run-context.ts';
import { fenceUntrustedText } from '../../../shared/lib/fenced-prompt.ts';
import type { AgentCallEvent } from '../adapters/agent-call-event.ts';
import type { AgentRunState } from '../adapters/run-state.ts';
import { TurnUsageTracker } from './usage-per-turn.ts';

export type ToolHookDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

/** Calls of tools of which nothing has come yet; more are taken for done. */
const MOST_OPEN = 200;

/**
 * The chain around the runs of one attempt. What a CLI shows of its calls comes in as events, one after the other; what a hook throws ends
 * the run, and is thrown again where the run is waited for.
 */
export class AgentRunMiddleware {
  readonly #chain: ReturnType<typeof composeMiddleware<AgentRunContext>>;
  readonly #names: readonly MiddlewareName[];
  readonly #notes = new MiddlewareRecorder();
  readonly #turns = new TurnUsageTracker();
  readonly #open = new Map<
    string,
    { readonly call: ToolCall; readonly done?: (result: ToolCallResult) => void }
  >();
  #stop = new AbortController();
  readonly #thrown = new WeakSet<object>();
  #context: AgentRunContext = EMPTY_RUN_CONTEXT;
  #queue: Promise<unknown> = Promise.resolve();
  #words: string[] | null = null;
  #broken: { readonly error: unknown } | null = null;
  /** Calls are held at the door: what is seen of them in the stream is the same once more. */
  holdsToolCalls = false;

  constructor(parts: Omit<MiddlewareDependencies, 'recorder' | 'escalations' | 'listTurnCosts'>) {
    const all: MiddlewareDependencies = {
      ...parts,
      recorder: this.#notes,
      escalations: [],
      listTurnCosts: () => this.#turns.costs,
    };
    this.#names = parts.settings.chain as readonly MiddlewareName[];
    this.#chain = composeMiddleware(
      this.#names.map((name) => BUILTIN_MIDDLEWARE_FACTORIES[name](all)),
      (middleware, hook, error) => {
        console.error(`middleware ${middleware}, ${hook}: ${String(error)}`);
        if (error instanceof Object) this.#thrown.add(error);
      },
    );
  }

  /** A run begins: fires when it is to end for something that was found in it. */
  startRun(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  /** Was it thrown by a hook? */
  isHookError(error: unknown): boolean {
    return error instanceof Object && this.#thrown.has(error);
  }

  /** What the platform asks leave for in the agent's place; null: nothing. */
  takeApprovalRequest(): ApprovalRequest | null {
    const { approvalRequest } = this.#context;
    this.#context = { ...this.#context, approvalRequest: null };
    return approvalRequest;
  }

  /** Before a run, with all that the agent is told: what is said before everything else; null: nothing. */
  async beforeAgent(text: string): Promise<string | null> {
    return (await this.#pass('before_agent', { ...this.#context, agentText: text })).header;
  }

  /** Before a run that would follow one that has failed: what the agent is told; null: it does not go on. */
  async continuationMessage(failed: AgentRunFailure): Promise<string | null> {
    const { resumeMessage, quotedTexts } = await this.#pass('before_agent', {
      ...this.#context,
      agentText: '',
      quotedTexts: [],
      resumeMessage: null,
      runFailure: failed,
    });
    this.#context = { ...this.#context, runFailure: null, resumeMessage: null };
    return resumeMessage === null ? null : this.beforeModel(resumeMessage, quotedTexts);
  }

  /** What the agent is told, with text of others fenced behind it. */
  async beforeModel(message: string, others: readonly string[] = []): Promise<string> {
    const { agentText, quotedTexts } = await this.#pass('before_model', {
      ...this.#context,
      agentText: message,
      quotedTexts: others,
    });
    if (quotedTexts.length === 0) return agentText;
    return `${agentText}\n${fenceUntrustedText(quotedTexts.map((each, index) => ({ label: `text ${index + 1}`, text: each }))).text}`;
  }

  /** An event of the CLI has shown something. */
  observeCall(seen: AgentCallEvent, reading: AgentRunState): void {
    if (seen.kind === 'model') {
      // Words come in pieces; they are one answer until something else is shown.
      this.#words = [...(this.#words ?? []), ...(seen.text === null ? [] : [seen.text])];
      this.#turns.record(reading);
      return;
    }
    this.#answered();
    if (this.holdsToolCalls) return;
    if (seen.kind === 'call') {
      const call = { name: seen.tool, input: seen.input, isBlockable: false };
      if (this.#open.size < MOST_OPEN) this.#open.set(seen.id || `call ${this.#open.size}`, { call });
      return;
    }
    const call =
      seen.kind === 'done'
        ? { name: seen.tool, input: seen.input, isBlockable: false }
        : this.#closed(seen.id);
    if (!call) return;
    const result = { output: seen.output, error: seen.isError ? 'it failed' : null };
    this.#then(() => this.#toolCall(call, async () => result));
  }

  /** A CLI asks before it calls a tool. */
  decideToolCall(id: string, tool: string, input: string): Promise<ToolHookDecision> {
    return new Promise((answer) => {
      const call = { name: tool, input, isBlockable: true };
      const inner = (): Promise<ToolCallResult> =>
        new Promise((done) => {
          this.#open.set(id, { call, done });
          answer({ allowed: true });
        });
      void this.#toolCall(call, inner).then(
        ({ error }) => answer({ allowed: false, reason: error ?? 'this is not allowed' }),
        (error: unknown) => {
          this.#breaks(error);
          answer({ allowed: false, reason: 'the platform could not look at this' });
        },
      );
    });
  }

  /** A call that was let through has ended. */
  completeToolCall(id: string, output: string, failed: boolean): void {
    this.#open.get(id)?.done?.({ output, error: failed ? 'it failed' : null });
    this.#open.delete(id);
  }

  /** A run has ended: what is still on its way is looked at. `last`: the words of a program that shows no events. @throws what a hook has thrown. */
  async finishRun(reading: AgentRunState | null, last: string | null): Promise<void> {
    if (last !== null) this.#words = [last];
    this.#answered();
    for (const [id, { call, done }] of this.#open) {
      if (done) done({ output: '', error: null });
      else this.#then(() => this.#toolCall(call, async () => ({ output: '', error: null })));
      this.#open.delete(id);
    }
    if (reading) this.#turns.record(reading);
    await this.#queue;
    const broken = this.#broken;
    this.#broken = null;
    if (broken) throw broken.error;
  }

  /** All runs have ended. What goes wrong here is said, and hides nothing of what has happened before. */
  async afterAgent(failed: AgentRunFailure | null): Promise<void> {
    await this.#pass('after_agent', { ...this.#context, runFailure: failed }).catch(() => {});
  }

  toRecord(): MiddlewareRecord {
    return this.#notes.toRecord(this.#names);
  }

  async #pass(
    hook: 'before_agent' | 'before_model' | 'after_model' | 'after_agent',
    context: AgentRunContext,
  ): Promise<AgentRunContext> {
    this.#notes.countHook(hook);
    this.#context = await this.#chain.runHook(hook, context);
    return this.#context;
  }

  #toolCall(call: ToolCall, inner: () => Promise<ToolCallResult>): Promise<ToolCallResult> {
    this.#notes.countHook('wrap_tool_call');
    return this.#chain.wrapToolCall(this.#context, call, inner);
  }

  /** The call that a result belongs to: by its id, else the oldest that is open. */
  #closed(id: string): ToolCall | undefined {
    const key = this.#open.has(id) ? id : this.#open.keys().next().value;
    const call = key === undefined ? undefined : this.#open.get(key)?.call;
    if (key !== undefined) this.#open.delete(key);
    return call;
  }

  /** The model has said all of one answer. */
  #answered(): void {
    if (this.#words === null) return;
    const text = this.#words.join('');
    this.#words = null;
    this.#then(async () => {
      this.#context = { ...this.#context, turn: this.#context.turn + 1 };
      this.#notes.countHook('wrap_model_call');
      const { text: said } = await this.#chain.wrapModelCall(this.#context, async () => ({
        text,
        error: null,
      }));
      const { approvalRequest } = await this.#pass('after_model', {
        ...this.#context,
        agentText: said,
        quotedTexts: [],
      });
      if (approvalRequest && !this.#stop.signal.aborted) this.#stop.abort();
    });
  }

  #then(act: () => Promise<unknown>): void {
    this.#queue = this.#queue.then(act).catch((error: unknown) => this.#breaks(error));
  }

  #breaks(error: unknown): void {
    this.#broken ??= { error };
    this.#stop.abort();
  }
}
