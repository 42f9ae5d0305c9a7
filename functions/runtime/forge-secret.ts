import { GitSecretSource } from '../../shared/contract/repository/git-secret.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ForgeSecret } from '../../shared/control/forge/forge-settings.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { readSecretAs } from './secrets.ts';

/** What forges are spoken with. */
export const readForgeSecret = (): Promise<ForgeSecret> =>
  readSecretAs(
    'forges',
    ForgeSecret,
    GitSecretSource.parse(JSON.parse(requireEnv(FUNCTION_ENV_NAMES.forgeSecret))),
  );
