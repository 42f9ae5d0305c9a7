import { ENV } from '../shared/contract/names.ts';
import { CascadePolicy } from '../shared/control/cascade/learning/policy.ts';
import type { Io } from './io.ts';
import { readSettingsFile } from './settings-file.ts';

const REFUSED = {
  code: 'bad_policy',
  message: 'does not say how the cascade chooses.',
  hint: 'For example `policy: thompson`; docs/cascade.md has all of it.',
};

/** The policy in FILE. Throws {@link CliError} that names each wrong field. */
export const readPolicy = (file: string, io: Pick<Io, 'cwd'>): CascadePolicy =>
  readSettingsFile(file, CascadePolicy, REFUSED, io);

/** The policy in FILE, as the embedded stack takes it in its environment. */
export const policyEnvironment = (file: string, io: Pick<Io, 'cwd'>): Record<string, string> => ({
  [ENV.cascadePolicy]: JSON.stringify(readPolicy(file, io)),
});
