import { devNull } from 'node:os';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { EngineCredentials } from '../engine-credentials.ts';
import { type FunctionEnvironmentPassthrough, selectPassedVariables } from '../env-passthrough.ts';
import { findInstalledClis } from '../installed-clis.ts';
import { LOCAL_REGION } from '../template/identity.ts';
import type { FunctionSpec } from './function-spec.ts';

/** Endpoints of the services, by their name in `AWS_ENDPOINT_URL_<NAME>`. */
export interface LocalServiceEndpoints {
  readonly DYNAMODB: string;
  readonly SQS: string;
  readonly S3: string;
  readonly SFN: string;
  readonly ECS: string;
  readonly EVENTBRIDGE: string;
  readonly LAMBDA: string;
}

/** Returns the whole environment of a function. It inherits nothing from this process. */
export function createFunctionEnvironment(
  spec: FunctionSpec,
  endpoints: LocalServiceEndpoints,
  credentials: EngineCredentials,
  passthrough: FunctionEnvironmentPassthrough,
): Readonly<Record<string, string>> {
  return {
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    _HANDLER: spec.handler,
    LAMBDA_TASK_ROOT: spec.directory ?? '',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: spec.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${spec.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'embedded',
    ...sdkEnvironment(endpoints, credentials),
    [FUNCTION_ENV_NAMES.allowFileRepositories]: 'true',
    ...spec.variables,
    // Without keys there is no vendor, whatever the template says.
    ...(FUNCTION_ENV_NAMES.modelVendors in spec.variables ? { [FUNCTION_ENV_NAMES.modelVendors]: '[]' } : {}),
    ...(FUNCTION_ENV_NAMES.agentClis in spec.variables
      ? { [FUNCTION_ENV_NAMES.agentClis]: JSON.stringify(findInstalledClis()) }
      : {}),
    ...selectPassedVariables(spec.variables, passthrough),
  };
}

/** Makes the SDK find the embedded services, and ignore all other credentials and configuration. */
const sdkEnvironment = (
  endpoints: LocalServiceEndpoints,
  credentials: EngineCredentials,
): Readonly<Record<string, string>> => ({
  AWS_REGION: LOCAL_REGION,
  AWS_DEFAULT_REGION: LOCAL_REGION,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
  ...Object.fromEntries(
    Object.entries(endpoints).map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url]),
  ),
});
