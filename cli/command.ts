import { actionWith } from './local-command.ts';
import { type Session, sessionOf } from './session.ts';

export { examples, JSON_OPTION } from './local-command.ts';

/** For a command that asks a server. */
export const action = actionWith<Session>(sessionOf);
