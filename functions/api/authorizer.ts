import type {
  APIGatewayRequestAuthorizerEventV2,
  APIGatewaySimpleAuthorizerWithContextResult,
} from 'aws-lambda';
import { operatorOf } from '../../shared/store/operator-tokens.ts';
import { bearerOf, parseToken, sameHash, sha256 } from '../../shared/tokens.ts';
import { stores } from '../kit/dynamodb.ts';
import { type Identity, NOBODY } from './identity.ts';

const { db, table, tasks } = stores();

/**
 * Who sent this Authorization header. Anything that is not a token of ours is nobody, and so is a container that another has replaced.
 * Whether a token has ended is asked where the task is read or written, in the same breath.
 */
async function identify(authorization: string | undefined): Promise<Identity> {
  const token = bearerOf(authorization);
  const parsed = token === null ? null : parseToken(token);
  if (token === null || parsed === null) return NOBODY;
  if (parsed.caller === 'operator') {
    const operator = await operatorOf(db, table, token, new Date());
    if (operator === null) return NOBODY;
    const { name, role, repositories } = operator;
    return {
      ...NOBODY,
      caller: 'operator',
      principal: name,
      role,
      repositories: repositories.length === 0 ? '' : JSON.stringify(repositories),
    };
  }
  const task = await tasks.get(parsed.taskId);
  const launch = task?.attempts.find((attempt) => attempt.number === parsed.attempt)?.[parsed.caller];
  if (!launch || !sameHash(launch.token_sha256, sha256(token))) return NOBODY;
  return {
    ...NOBODY,
    caller: parsed.caller,
    principal: `${parsed.caller} of ${parsed.taskId}/${parsed.attempt}`,
    task_id: parsed.taskId,
    attempt: parsed.attempt,
    launch: launch.number,
  };
}

/**
 * Says who calls; what they may do is in the route table, and the functions refuse the rest with a problem document. API Gateway's own
 * refusal has a fixed body that names nothing, which is why strangers are let through to be told.
 */
export const handler = async (
  event: APIGatewayRequestAuthorizerEventV2,
): Promise<APIGatewaySimpleAuthorizerWithContextResult<Identity>> => ({
  isAuthorized: true,
  context: await identify(event.headers?.['authorization'] ?? event.headers?.['Authorization']),
});
