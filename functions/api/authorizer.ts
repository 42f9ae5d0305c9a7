import type {
  APIGatewayRequestAuthorizerEventV2,
  APIGatewaySimpleAuthorizerResult,
  APIGatewaySimpleAuthorizerWithContextResult,
} from 'aws-lambda';
import { isSameHash, parseBearerToken, parseBearerTokenClaims } from '../../shared/contract/access/tokens.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { LaunchStore } from '../../shared/store/launches.ts';
import { findOperatorByToken } from '../../shared/store/operator-tokens.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { openTable } from '../runtime/open-table.ts';
import { type CallerIdentity, EMPTY_CALLER_IDENTITY } from './caller-identity.ts';

const items = openTable();
const tasks = new TaskStore(items);
const launches = new LaunchStore(items);

/**
 * Who sent this Authorization header; null for anything that is not a token of ours, and for a container that another has replaced.
 * Nothing here changes while a token is good: whether it has ended is asked with each request, by the functions. So the answer may be
 * kept, and it must be from a consistent read: a token that is too new to be seen would be refused for as long.
 */
async function identify(authorization: string | undefined): Promise<CallerIdentity | null> {
  const token = parseBearerToken(authorization);
  const parsed = token === null ? null : parseBearerTokenClaims(token);
  if (token === null || parsed === null) return null;
  if (parsed.caller === 'operator') {
    const operator = await findOperatorByToken(items, token, new Date());
    if (operator === null) return null;
    const { name, role, repositories, expiresAt } = operator;
    return {
      ...EMPTY_CALLER_IDENTITY,
      caller: 'operator',
      principal: name,
      role,
      repositories: repositories.length === 0 ? '' : JSON.stringify(repositories),
      ends_at: expiresAt === null ? 0 : Math.floor(expiresAt.getTime() / 1_000),
    };
  }
  const task = await tasks.get(parsed.taskId);
  const launch = task?.attempts.find((attempt) => attempt.number === parsed.attempt)?.[parsed.caller];
  if (!launch || !isSameHash(launch.token_sha256, sha256(token))) return null;
  // An agent may have claimed its attempt. All others were launched by the dispatcher, whatever the task item says.
  const { caller, taskId, attempt } = parsed;
  if (caller !== 'agent' && !(await launches.isRecorded(taskId, attempt, caller, launch))) return null;
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
