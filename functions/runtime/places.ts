import * as z from 'zod';
import { ENV } from '../../shared/contract/names.ts';
import { PushScope } from '../../shared/contract/repository/schema.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { forgeSettings } from './config.ts';

/** What the deployment has credentials to push to; empty: none, and pushes are made without. */
export const deliverTo = (): string[] =>
  z.array(PushScope).parse(JSON.parse(optionalEnv(ENV.deliverTo, '[]')));

/** URL prefixes of the repositories that pull requests are opened for. */
export const pullRequestsFor = (): string[] => forgeSettings().map(({ url }) => url);
