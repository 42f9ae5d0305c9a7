/** What can go wrong with one outside call. */
export const CALL_FAULTS = [
  /** Refused before it took effect: throttled, no room, no connection. */
  'refused',
  /** It took effect, and the caller sees an error. */
  'answer_lost',
  /** The caller dies before it is made. */
  'dies_before',
  /** It took effect, and the caller dies before it hears of it. */
  'dies_after',
  /** It takes effect late: others overtake it, and the caller may run out of time. */
  'late',
  /** The request arrives twice (HTTP, messages, events). */
  'twice',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

export const SIMULATED_SERVICES = [
  'dynamodb',
  's3',
  'sqs',
  'states',
  'ecs',
  'lambda',
  'http',
  'git',
  'events',
] as const;
export type SimulatedService = (typeof SIMULATED_SERVICES)[number];

/** The n-th outside call of a run goes wrong. */
export interface ScheduledFault {
  readonly call: number;
  readonly fault: CallFault;
}

/** A service refuses everything for a while: throttling, a full disk, no capacity. Times in seconds of the run. */
export interface ServiceOutage {
  readonly service: SimulatedService;
  readonly from: number;
  readonly seconds: number;
}
