import { EMBEDDED_GIT_SECRET, ENV } from '../shared/contract/names.ts';
import type { Lent } from './lent.ts';
import { properties } from './properties.ts';

/**
 * Takes the secret for private repositories out of this process's environment, so that no process it starts inherits it, and lends it to
 * the minter's thread, which looks at the whole of it. Throws an error that names what is wrong, and nothing of what is in it.
 */
export function takeGitSecret(environment: NodeJS.ProcessEnv): Lent {
  const secret = environment[EMBEDDED_GIT_SECRET];
  delete environment[EMBEDDED_GIT_SECRET];
  if (!secret) return {};
  return {
    [ENV.gitSecret]: {
      [EMBEDDED_GIT_SECRET]: secret,
      [ENV.gitSecret]: JSON.stringify({ via: 'environment', variable: EMBEDDED_GIT_SECRET }),
    },
    [ENV.readFrom]: { [ENV.readFrom]: JSON.stringify(urlsOf(secret)) },
  };
}

function urlsOf(secret: string): string[] {
  try {
    const entries = properties(EMBEDDED_GIT_SECRET, JSON.parse(secret)).records('credentials');
    return entries.map((entry) => entry.text('url'));
  } catch {
    throw new Error(`${EMBEDDED_GIT_SECRET} must be JSON with a list "credentials", each with its url`);
  }
}
