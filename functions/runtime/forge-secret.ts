import { ENV } from '../../shared/contract/names.ts';
import { GitSecretPlace } from '../../shared/contract/repository/git-secret.ts';
import { ForgeSecret } from '../../shared/control/forge/schema.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { secretFor } from './secret.ts';

/** What forges are spoken with. */
export const forgeSecret = (): Promise<ForgeSecret> =>
  secretFor('forges', ForgeSecret, GitSecretPlace.parse(JSON.parse(requireEnv(ENV.forgeSecret))));
