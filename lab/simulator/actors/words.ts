import type { LEAVE_WORDS, REQUEST_WORDS, WordPlan } from '../plan.ts';
import type { Simulation } from '../simulation.ts';
import { call } from './client.ts';

type Word = (typeof LEAVE_WORDS | typeof REQUEST_WORDS)[number];

/** Words on requests: the route, and what the answer is a promise of. */
const ON_REQUESTS = {
  yes: { route: 'approveRequest', body: {} },
  no: { route: 'rejectRequest', body: { reason: 'not now' } },
  clarify: { route: 'clarifyRequest', body: { notes: 'this one only' } },
} as const;
const isOnRequest = (kind: Word): kind is keyof typeof ON_REQUESTS => Object.hasOwn(ON_REQUESTS, kind);

/**
 * A person's word on what an agent asks leave for, or on a request. `allow_own` is the word of whoever holds the outside agents' tokens:
 * of their own work it must come to nothing.
 */
async function say(of: Simulation, kind: Word, id: string): Promise<void> {
  if (isOnRequest(kind)) {
    const { route, body } = ON_REQUESTS[kind];
    // Whether or not its answer comes.
    if (kind === 'yes') of.knowledge.wanted.add(id);
    await call(of, route, { token: of.person, id, body });
    if (kind === 'no') of.knowledge.rejected.add(id);
    return;
  }
  const route = kind === 'deny' ? 'deny' : 'approve';
  const token = kind === 'allow_own' ? of.operator : of.person;
  const { body } = await call(of, route, { token, id, body: { reason: 'asked around' } });
  of.knowledge.words.set(`${id}/${String(body['number'])}`, kind === 'deny' ? 'rejected' : 'approved');
}

/** Lets people say what the plan has them say from now on, each by themselves. A refusal is an answer like any other. */
export function sayAll(of: Simulation, words: readonly WordPlan<Word>[], id: string): void {
  for (const { after, kind } of words)
    of.world.clock.after(after, () => {
      of.world.tell(() => `a person says ${kind} to ${id}`);
      void say(of, kind, id).catch((error: unknown) => {
        of.world.tell(() => `that (${kind} to ${id}) ends with: ${String(error)}`);
      });
    });
}
