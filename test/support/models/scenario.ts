/** What the server can play. Each is one word of the path or of `server.play`. */
export const SCENARIOS = {
  ok: 'does what its script says: tools of the client by their names, then a text',
  loop: 'asks for a command again and again and never ends',
  hold: 'as ok, but not before `release` is called',
  slow: 'as ok, with a pause before each event',
  refuse: 'the model refuses, as the protocol says it',
  wrongmodel: 'as ok, but the answer names another model',
  minus: 'as ok, with -1 for every count of tokens',
  nousage: 'as ok, without any count of tokens',
  401: 'the key is wrong',
  402: 'payment required',
  403: 'the key may not do that',
  404: 'there is no such model',
  429: 'too many requests, with a Retry-After',
  quota: '429 because nothing is left of the quota',
  500: 'internal error',
  503: 'unavailable',
  529: 'overloaded',
  context: 'the prompt is too long',
  blind: 'the model reads no pictures',
  redirect: '307 to another host',
  garbage: '200 with bytes that mean nothing',
  hang: 'takes the request and never answers',
  reset: 'takes the request and cuts the connection',
  cut: 'cuts the connection in the middle of the answer',
  half: 'ends the answer in the middle, as if it were whole',
} as const;
export type ScenarioName = keyof typeof SCENARIOS;

export interface Scenario {
  readonly name: `${ScenarioName}`;
  /** Only the first so many calls go this way, the others go well. Null: all. */
  readonly affectedCalls: number | null;
  /** The first call that goes this way, from 1; those before it go well. */
  readonly firstCall: number;
  /** Seconds of Retry-After. Null: one second with a 429, else none. */
  readonly retryAfterSeconds: number | null;
}

/** Reads `NAME`, `NAMExTIMES`, `NAMExTIMES@FIRST`, `NAME,after=SECONDS` or both. Throws for a name that is not known. */
export function parseScenario(text: string): Scenario {
  const [, name = '', times, first, after] =
    /^([a-z]+|\d+)(?:x(\d+)(?:@(\d+))?)?(?:,after=(\d+))?$/.exec(text) ?? [];
  if (!Object.hasOwn(SCENARIOS, name)) throw new Error(`there is no scenario ${JSON.stringify(text)}`);
  return {
    name: name as Scenario['name'],
    affectedCalls: times === undefined ? null : Number(times),
    firstCall: first === undefined ? 1 : Number(first),
    retryAfterSeconds: after === undefined ? null : Number(after),
  };
}
