import { devNull } from 'node:os';
import { CREDENTIALS, REGION } from '../template/identity.ts';

/** Where the services are, by the SDK's name for them in `AWS_ENDPOINT_URL_<NAME>`. */
export interface Endpoints {
  readonly DYNAMODB: string;
  readonly SQS: string;
  readonly S3: string;
  readonly SFN: string;
  readonly ECS: string;
  readonly EVENTBRIDGE: string;
  readonly LAMBDA: string;
}

/** What the SDK needs to find the embedded services, and to look nowhere else for credentials or configuration. */
export const createSdkEnvironment = (endpoints: Endpoints): Readonly<Record<string, string>> => ({
  AWS_REGION: REGION,
  AWS_DEFAULT_REGION: REGION,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
  ...Object.fromEntries(
    Object.entries(endpoints).map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url]),
  ),
});
