import { EMBEDDED_NOTIFY_SECRET_VARIABLE, FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import {
  findNotifyCredentialProblem,
  NotifySecret,
  NotifyTargets,
} from '../shared/control/notify/notify-settings.ts';
import type { CommandIo } from './io.ts';
import { createInvalidSettingsError, readSettingsFile } from './settings-file.ts';

const REFUSAL = {
  code: 'bad_notify',
  message: 'does not name targets of notifications.',
  hint: `For example \`- { name: team, kind: slack }\`, with addresses and keys in ${EMBEDDED_NOTIFY_SECRET_VARIABLE}; docs/how-to/notifications.md describes the format.`,
};

/** Returns the problems of the secret: the names of its fields, never their values. */
function secretProblems(text: string | undefined, targets: NotifyTargets): string[] {
  if (!text) return [`the variable ${EMBEDDED_NOTIFY_SECRET_VARIABLE} is not set; it must have the secret`];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`${EMBEDDED_NOTIFY_SECRET_VARIABLE} is not JSON`];
  }
  const secret = NotifySecret.safeParse(value);
  if (!secret.success)
    return secret.error.issues.map(
      ({ path }) => `${EMBEDDED_NOTIFY_SECRET_VARIABLE}: /${path.join('/')} is missing or wrong`,
    );
  return targets.flatMap((target) => {
    const problem = findNotifyCredentialProblem(target, secret.data);
    return problem === null ? [] : [`${EMBEDDED_NOTIFY_SECRET_VARIABLE}: ${problem}`];
  });
}

/**
 * Reads the targets of notifications from a file, as environment of the embedded stack without the secret.
 * @throws CliError that names each wrong field, or what is missing in the secret
 */
export function readNotifyEnvironment(
  file: string,
  io: Pick<CommandIo, 'cwd' | 'env'>,
): Record<string, string> {
  const targets = readSettingsFile(file, NotifyTargets, REFUSAL, io);
  const problems = secretProblems(io.env[EMBEDDED_NOTIFY_SECRET_VARIABLE], targets);
  if (problems.length > 0) throw createInvalidSettingsError(file, REFUSAL, problems);
  return { [FUNCTION_ENV_NAMES.notify]: JSON.stringify(targets) };
}
