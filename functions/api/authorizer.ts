import type {
  APIGatewayRequestAuthorizerEventV2,
  APIGatewaySimpleAuthorizerResult,
  APIGatewaySimpleAuthorizerWithContextResult,
} from 'aws-lambda';
import {
  isJsonWebToken,
  isSameHash,
  parseBearerToken,
  parseBearerTokenClaims,
} from '../../shared/contract/access/tokens.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import type { LaunchStore } from '../../shared/store/launches.ts';
import { findOperatorByToken, type OperatorIdentity } from '../../shared/store/operator-tokens.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { openTable } from '../runtime/open-table.ts';
import { type CallerIdentity, EMPTY_CALLER_IDENTITY } from './caller-identity.ts';
import type { OidcVerifier } from './verify-oidc-token.ts';

const items = openTable();
const tasks = new TaskStore(items);

const issuers = readOptionalEnv(FUNCTION_ENV_NAMES.oidc, '');
let verifier: Promise<OidcVerifier> | undefined;

/** Loaded with the first token that may be one of an issuer: containers and operator tokens need none of it. */
async function loadVerifier(): Promise<OidcVerifier> {
  const [{ OidcVerifier: Verifier }, { OidcIssuers }] = await Promise.all([
    import('./verify-oidc-token.ts'),
    import('../../shared/control/oidc/oidc-settings.ts'),
  ]);
  return new Verifier(OidcIssuers.parse(JSON.parse(issuers)));
}

/** Returns whether the dispatcher made this launch. Loaded with the first token of a launched container: all other callers need none of it. */
async function isRecordedLaunch(...launch: Parameters<LaunchStore['isRecorded']>): Promise<boolean> {
  const { LaunchStore: Store } = await import('../../shared/store/launches.ts');
  return new Store(items).isRecorded(...launch);
}

/** Returns the caller of an identity token, or null if it is not valid here. @throws Error if the keys of its issuer cannot be read */
async function identifyByIssuer(token: string): Promise<CallerIdentity | null> {
  if (issuers === '' || !isJsonWebToken(token)) return null;
  verifier ??= loadVerifier();
  const verified = await (await verifier).verify(token);
  return verified && operatorIdentity({ ...verified.identity, expiresAt: verified.expiresAt });
}

const operatorIdentity = ({ name, role, repositories, expiresAt }: OperatorIdentity): CallerIdentity => ({
  ...EMPTY_CALLER_IDENTITY,
  caller: 'operator',
  principal: name,
  role,
  repositories: repositories.length === 0 ? '' : JSON.stringify(repositories),
  ends_at: expiresAt === null ? 0 : Math.floor(expiresAt.getTime() / 1_000),
});

/**
 * Returns who sent this Authorization header; null for anything that is no token of ours or of an issuer, and for a
 * container that another one has replaced.
 * Nothing here changes while a token is good: whether it has ended is asked with each request, by the functions. So the answer may be
 * kept, and it must be from a consistent read: a token that is too new to be seen would be refused for as long.
 */
async function identify(authorization: string | undefined): Promise<CallerIdentity | null> {
  const token = parseBearerToken(authorization);
  const parsed = token === null ? null : parseBearerTokenClaims(token);
  if (token === null) return null;
  if (parsed === null) return identifyByIssuer(token);
  if (parsed.caller === 'operator') {
    const operator = await findOperatorByToken(items, token, new Date());
    return operator && operatorIdentity(operator);
  }
  const task = await tasks.get(parsed.taskId);
  const launch = task?.attempts.find((attempt) => attempt.number === parsed.attempt)?.[parsed.caller];
  if (!launch || !isSameHash(launch.token_sha256, sha256(token))) return null;
  // An agent may have claimed its attempt. All others were launched by the dispatcher, whatever the task item says.
  const { caller, taskId, attempt } = parsed;
  if (caller !== 'agent' && !(await isRecordedLaunch(taskId, attempt, caller, launch))) return null;
  return {
    ...EMPTY_CALLER_IDENTITY,
    caller: parsed.caller,
    principal: `${parsed.caller} of ${parsed.taskId}/${parsed.attempt}`,
    task_id: parsed.taskId,
    attempt: parsed.attempt,
    launch: launch.number,
  };
}

/**
 * Says who calls; what they may do is in the route table, and the functions refuse the rest with a problem document. Who is nobody is
 * refused by API Gateway: no function is asked, and it keeps that answer as it does the others.
 */
export const handler = withErrorLogging(
  async (
    event: APIGatewayRequestAuthorizerEventV2,
  ): Promise<
    APIGatewaySimpleAuthorizerResult | APIGatewaySimpleAuthorizerWithContextResult<CallerIdentity>
  > => {
    const identity = await identify(event.headers?.['authorization'] ?? event.headers?.['Authorization']);
    return identity === null ? { isAuthorized: false } : { isAuthorized: true, context: identity };
  },
);
