import { EMBEDDED_GIT_SECRET_VARIABLE, FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { Lent } from './lent.ts';
import { properties } from './properties.ts';

/**
 * Takes the secret for private repositories out of this process's environment, so that no process it starts inherits it, and lends it to
 * the minter's thread, which looks at the whole of it. Throws an error that names what is wrong, and nothing of what is in it.
 */
export function takeGitSecret(environment: NodeJS.ProcessEnv): Lent {
  const secret = environment[EMBEDDED_GIT_SECRET_VARIABLE];
  delete environment[EMBEDDED_GIT_SECRET_VARIABLE];
  if (!secret) return {};
  return {
    [FUNCTION_ENV_NAMES.gitSecret]: {
      [EMBEDDED_GIT_SECRET_VARIABLE]: secret,
      [FUNCTION_ENV_NAMES.gitSecret]: JSON.stringify({
        via: 'environment',
        variable: EMBEDDED_GIT_SECRET_VARIABLE,
      }),
    },
    [FUNCTION_ENV_NAMES.readFrom]: { [FUNCTION_ENV_NAMES.readFrom]: JSON.stringify(urlsOf(secret)) },
  };
}

function urlsOf(secret: string): string[] {
  try {
    const entries = properties(EMBEDDED_GIT_SECRET_VARIABLE, JSON.parse(secret)).records('credentials');
    return entries.map((entry) => entry.text('url'));
  } catch {
    throw new Error(
      `${EMBEDDED_GIT_SECRET_VARIABLE} must be JSON with a list "credentials", each with its url`,
    );
  }
}
