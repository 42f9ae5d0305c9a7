import { GitCredentialsSource } from '../../shared/contract/repository/git-secret.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ForgeCredentialsSecret } from '../../shared/control/forge/forge-settings.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { readParsedSecret } from './secrets.ts';

/** What forges are spoken with. */
export const readForgeSecret = (): Promise<ForgeCredentialsSecret> =>
  readParsedSecret(
    'forges',
    ForgeCredentialsSecret,
    GitCredentialsSource.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.forgeSecret))),
  );
