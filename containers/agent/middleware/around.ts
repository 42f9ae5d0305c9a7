import type { MiddlewareName } from '../../../shared/contract/agents/names.ts';
import type { Ask } from '../../../shared/contract/approval/schema.ts';
import type { MiddlewareRecord } from '../../../shared/contract/run-record/middleware-record.ts';
import { BUILTIN } from '../../../shared/control/middleware/builtin/registry.ts';
import { compose, type ToolCall, type ToolCallResult } from '../../../shared/control/middleware/compose.ts';
import { Notes } from '../../../shared/control/middleware/notes.ts';
import {
  EMPTY_CONTEXT,
  type RunContext,
  type RunFailure,
  type RunParts,
} from '../../../shared/control/middleware/run-context.ts';
import { material } from '../../../shared/lib/material.ts';
import type { Reading } from '../adapters/reading.ts';
import type { Seen } from '../adapters/seen.ts';
import { Turns } from './turns.ts';

export type Word = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Calls of tools of which nothing has come yet; more are taken for done. */
const MOST_OPEN = 200;

/**
 * The chain around the runs of one attempt. What a CLI shows of its calls comes in as events, one after the other; what a hook throws ends
 * the run, and is thrown again where the run is waited for.
 */
export class Around {
  readonly #chain: ReturnType<typeof compose<RunContext>>;
  readonly #names: readonly MiddlewareName[];
  readonly #notes = new Notes();
  readonly #turns = new Turns();
  readonly #open = new Map<
    string,
    { readonly call: ToolCall; readonly done?: (result: ToolCallResult) => void }
  >();
  #stop = new AbortController();
  readonly #thrown = new WeakSet<object>();
  #context: RunContext = EMPTY_CONTEXT;
  #queue: Promise<unknown> = Promise.resolve();
  #words: string[] | null = null;
  #broken: { readonly error: unknown } | null = null;
  /** Calls are held at the door: what is seen of them in the stream is the same once more. */
  holds = false;

  constructor(parts: Omit<RunParts, 'notes' | 'escalations' | 'costs'>) {
    const all: RunParts = {
      ...parts,
      notes: this.#notes,
      escalations: [],
      costs: () => this.#turns.costs,
    };
    this.#names = parts.settings.chain as readonly MiddlewareName[];
    this.#chain = compose(
      this.#names.map((name) => BUILTIN[name](all)),
      (middleware, hook, error) => {
        console.error(`middleware ${middleware}, ${hook}: ${String(error)}`);
        if (error instanceof Object) this.#thrown.add(error);
      },
    );
  }

  /** A run begins: fires when it is to end for something that was found in it. */
  runBegins(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  /** Was it thrown by a hook? */
  threw(error: unknown): boolean {
    return error instanceof Object && this.#thrown.has(error);
  }

  /** What the platform asks leave for in the agent's place; null: nothing. */
  takeAsk(): Ask | null {
    const { ask } = this.#context;
    this.#context = { ...this.#context, ask: null };
    return ask;
  }

  /** Before a run, with all that the agent is told: what is said before everything else; null: nothing. */
  async begins(text: string): Promise<string | null> {
    return (await this.#pass('before_agent', { ...this.#context, text })).header;
  }

  /** Before a run that would follow one that has failed: what the agent is told; null: it does not go on. */
  async goesOn(failed: RunFailure): Promise<string | null> {
    const { goOn, quoted } = await this.#pass('before_agent', {
      ...this.#context,
      text: '',
      quoted: [],
      goOn: null,
      failed,
    });
    this.#context = { ...this.#context, failed: null, goOn: null };
    return goOn === null ? null : this.tell(goOn, quoted);
  }

  /** What the agent is told, with text of others fenced behind it. */
  async tell(message: string, others: readonly string[] = []): Promise<string> {
    const { text, quoted } = await this.#pass('before_model', {
      ...this.#context,
      text: message,
      quoted: others,
    });
    if (quoted.length === 0) return text;
    return `${text}\n${material(quoted.map((each, index) => ({ label: `text ${index + 1}`, text: each }))).text}`;
  }

  /** An event of the CLI has shown something. */
  see(seen: Seen, reading: Reading): void {
    if (seen.kind === 'model') {
      // Words come in pieces; they are one answer until something else is shown.
      this.#words = [...(this.#words ?? []), ...(seen.text === null ? [] : [seen.text])];
      this.#turns.used(reading);
      return;
    }
    this.#answered();
    if (this.holds) return;
    if (seen.kind === 'call') {
      const call = { name: seen.tool, input: seen.input, held: false };
      if (this.#open.size < MOST_OPEN) this.#open.set(seen.id || `call ${this.#open.size}`, { call });
      return;
    }
    const call =
      seen.kind === 'done' ? { name: seen.tool, input: seen.input, held: false } : this.#closed(seen.id);
    if (!call) return;
    const result = { output: seen.output, error: seen.failed ? 'it failed' : null };
    this.#then(() => this.#toolCall(call, async () => result));
  }

  /** A CLI asks before it calls a tool. */
  hold(id: string, tool: string, input: string): Promise<Word> {
    return new Promise((answer) => {
      const call = { name: tool, input, held: true };
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
  returned(id: string, output: string, failed: boolean): void {
    this.#open.get(id)?.done?.({ output, error: failed ? 'it failed' : null });
    this.#open.delete(id);
  }

  /** A run has ended: what is still on its way is looked at. `last`: the words of a program that shows no events. @throws what a hook has thrown. */
  async runEnded(reading: Reading | null, last: string | null): Promise<void> {
    if (last !== null) this.#words = [last];
    this.#answered();
    for (const [id, { call, done }] of this.#open) {
      if (done) done({ output: '', error: null });
      else this.#then(() => this.#toolCall(call, async () => ({ output: '', error: null })));
      this.#open.delete(id);
    }
    if (reading) this.#turns.used(reading);
    await this.#queue;
    const broken = this.#broken;
    this.#broken = null;
    if (broken) throw broken.error;
  }

  /** All runs have ended. What goes wrong here is said, and hides nothing of what has happened before. */
  async ends(failed: RunFailure | null): Promise<void> {
    await this.#pass('after_agent', { ...this.#context, failed }).catch(() => {});
  }

  record(): MiddlewareRecord {
    return this.#notes.record(this.#names);
  }

  async #pass(
    hook: 'before_agent' | 'before_model' | 'after_model' | 'after_agent',
    context: RunContext,
  ): Promise<RunContext> {
    this.#notes.fired(hook);
    this.#context = await this.#chain.pass(hook, context);
    return this.#context;
  }

  #toolCall(call: ToolCall, inner: () => Promise<ToolCallResult>): Promise<ToolCallResult> {
    this.#notes.fired('wrap_tool_call');
    return this.#chain.toolCall(this.#context, call, inner);
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
      this.#notes.fired('wrap_model_call');
      const { text: said } = await this.#chain.modelCall(this.#context, async () => ({ text, error: null }));
      const { ask } = await this.#pass('after_model', { ...this.#context, text: said, quoted: [] });
      if (ask && !this.#stop.signal.aborted) this.#stop.abort();
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
