import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { TierPolicySettings } from '../shared/control/cascade/learning/cascade-policy.ts';
import type { CommandIo } from './io.ts';
import { readSettingsFile } from './settings-file.ts';

const REFUSAL = {
  code: 'bad_policy',
  message: 'is not a policy of the cascade.',
  hint: 'For example `policy: thompson`; docs/reference/cascade.md describes the format.',
};

/** Reads the policy of a file. @throws CliError that names each wrong field */
export const readCascadePolicyFile = (file: string, io: Pick<CommandIo, 'cwd'>): TierPolicySettings =>
  readSettingsFile(file, TierPolicySettings, REFUSAL, io);

/** Returns the policy of a file as environment of the embedded stack. */
export const buildCascadePolicyEnvironment = (
  file: string,
  io: Pick<CommandIo, 'cwd'>,
): Record<string, string> => ({
  [FUNCTION_ENV_NAMES.cascadePolicy]: JSON.stringify(readCascadePolicyFile(file, io)),
});
