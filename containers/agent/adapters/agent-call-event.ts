/** What an event of a CLI shows of the calls within its run. */
export type AgentCallEvent =
  /** Its model has answered once; null: without words. */
  | { readonly kind: 'model'; readonly text: string | null }
  /** A tool is called; what comes of it comes with `result`, by its id. */
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: string }
  | { readonly kind: 'result'; readonly id: string; readonly output: string; readonly isError: boolean }
  /** Both in one event. */
  | {
      readonly kind: 'done';
      readonly tool: string;
      readonly input: string;
      readonly output: string;
      readonly isError: boolean;
    };

/** Characters of what a tool is given and gives back that are looked at. */
const LOOKED_AT = 20_000;

/** Of a shell its command line, of any other tool all that it is given; cut. */
export function formatToolInput(value: unknown, command?: unknown): string {
  const text =
    typeof command === 'string' ? command : typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').slice(0, LOOKED_AT);
}

/** Looks at one event; an event may show several things, in their order. */
export type AgentCallEventReader = (event: Readonly<Record<string, unknown>>) => readonly AgentCallEvent[];
