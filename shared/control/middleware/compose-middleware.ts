import type { AgentHook } from '../../contract/agents/middleware-names.ts';

/** What passes through a chain; each hook answers with the next one. `D` is what the run itself is about. */
export interface MiddlewareContext {
  readonly turn: number;
}

export interface ModelCallResult {
  readonly text: string;
  readonly error: string | null;
}

export interface ToolCall {
  readonly name: string;
  /** What it is given, as text: of a shell its command line. */
  readonly input: string;
  /** True: it waits for a word. False: it was seen, and may have been done. */
  readonly isBlockable: boolean;
}

export interface ToolCallResult {
  readonly output: string;
  /** Set exactly where it failed. */
  readonly error: string | null;
}

type HookFunction<C> = (context: C) => Promise<C>;

/** Hooks around one run of an agent. What is not there lets everything pass. */
export interface AgentMiddleware<C extends MiddlewareContext> {
  readonly name: string;
  readonly before_agent?: HookFunction<C>;
  readonly before_model?: HookFunction<C>;
  readonly wrap_model_call?: (
    context: C,
    next: (context: C) => Promise<ModelCallResult>,
  ) => Promise<ModelCallResult>;
  readonly wrap_tool_call?: (
    context: C,
    call: ToolCall,
    next: (context: C) => Promise<ToolCallResult>,
  ) => Promise<ToolCallResult>;
  readonly after_model?: HookFunction<C>;
  readonly after_agent?: HookFunction<C>;
}

/** A chain that cannot be. */
export class MiddlewareConfigError extends Error {
  override readonly name = 'MiddlewareConfigError';
}

export type ContextHook = Exclude<AgentHook, 'wrap_model_call' | 'wrap_tool_call'>;

export interface ComposedChain<C> {
  readonly runHook: (hook: ContextHook, context: C) => Promise<C>;
  readonly wrapModelCall: (
    context: C,
    call: (context: C) => Promise<ModelCallResult>,
  ) => Promise<ModelCallResult>;
  readonly wrapToolCall: (
    context: C,
    tool: ToolCall,
    call: (context: C) => Promise<ToolCallResult>,
  ) => Promise<ToolCallResult>;
}

/**
 * Composes a chain: `before_*` from the first to the last, `after_*` from the last to the first, `wrap_*` as an onion of which the first is
 * the outermost. What a hook throws is told to `log` with its name and thrown on unchanged; the later ones do not run.
 * @throws MiddlewareConfigError where two have one name, or one has none.
 */
export function composeMiddleware<C extends MiddlewareContext>(
  chain: readonly AgentMiddleware<C>[],
  log: (middleware: string, hook: AgentHook, error: unknown) => void,
): ComposedChain<C> {
  const names = chain.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new MiddlewareConfigError(`the chain has ${twice} twice`);
  if (names.some((name) => name.trim() === '')) throw new MiddlewareConfigError('a middleware has no name');
  const told = async <T>(name: string, hook: AgentHook, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      // Said once, where it was thrown: on its way out it passes those that stand around it.
      if (!(error instanceof Object) || !seen.has(error)) log(name, hook, error);
      if (error instanceof Object) seen.add(error);
      throw error;
    }
  };
  const seen = new WeakSet<object>();
  const around = <R>(
    hook: 'wrap_model_call' | 'wrap_tool_call',
    call: (context: C) => Promise<R>,
    wrapOf: (
      each: AgentMiddleware<C>,
    ) => ((context: C, next: (context: C) => Promise<R>) => Promise<R>) | undefined,
  ): ((context: C) => Promise<R>) =>
    chain.reduceRight<(context: C) => Promise<R>>((next, each) => {
      const wrap = wrapOf(each);
      return wrap ? (given) => told(each.name, hook, () => wrap(given, next)) : next;
    }, call);
  return {
    runHook: async (hook, given) => {
      let context = given;
      for (const each of hook.startsWith('after') ? chain.toReversed() : chain) {
        const act = each[hook];
        const present = context;
        if (act) context = await told(each.name, hook, () => act(present));
      }
      return context;
    },
    wrapModelCall: (context, call) =>
      around('wrap_model_call', call, ({ wrap_model_call }) => wrap_model_call)(context),
    wrapToolCall: (context, tool, call) =>
      around(
        'wrap_tool_call',
        call,
        ({ wrap_tool_call: wrap }) => wrap && ((given, next) => wrap(given, tool, next)),
      )(context),
  };
}
