export interface Transition<Status extends string> {
  readonly from: readonly Status[];
  /** Null: the event keeps the status. */
  readonly to: Status | null;
  /** When the event happens, as the documentation says it. */
  readonly reason: string;
}

/** A state machine of stored items. Write conditions, refusals, documentation and property tests read this table. */
export interface Lifecycle<Status extends string, Event extends string> {
  /** What has this life cycle, for messages. */
  readonly noun: string;
  readonly statuses: readonly Status[];
  /** Statuses of a new item. */
  readonly initial: readonly Status[];
  /** Statuses in which nothing follows by itself. */
  readonly terminal: readonly Status[];
  readonly events: readonly Event[];
  readonly transitions: Readonly<Record<Event, Transition<Status>>>;
  /** Returns the statuses in which `event` is allowed: the condition of its write. */
  readonly from: (event: Event) => readonly Status[];
  /** Returns the status after `event`, or null if the event is not allowed in `status`. */
  readonly next: (status: Status, event: Event) => Status | null;
  readonly isTerminal: (status: Status) => boolean;
  /** Returns the message of the refusal of `event`; `id` names the item. */
  readonly conflictMessage: (id: string, status: Status, event: Event, until?: string) => string;
}

/** Defines a life cycle by its one table of transitions. */
export function defineLifecycle<Status extends string, Event extends string>(
  noun: string,
  {
    statuses,
    initial,
    terminal,
  }: {
    readonly statuses: readonly Status[];
    readonly initial: readonly NoInfer<Status>[];
    readonly terminal: readonly NoInfer<Status>[];
  },
  transitions: Readonly<Record<Event, Transition<NoInfer<Status>>>>,
): Lifecycle<Status, Event> {
  const from = (event: Event): readonly Status[] => transitions[event].from;
  return {
    noun,
    statuses,
    initial,
    terminal,
    events: Object.keys(transitions) as Event[],
    transitions,
    from,
    next: (status, event) => (from(event).includes(status) ? (transitions[event].to ?? status) : null),
    isTerminal: (status) => terminal.includes(status),
    conflictMessage: (id, status, event, until) =>
      `${noun} ${id} is ${status}${until === undefined ? '' : ` until ${until}`}; ${event} needs it to be ${from(event).join(' or ')}`,
  };
}
