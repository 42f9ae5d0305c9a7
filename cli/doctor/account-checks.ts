import {
  type ContainerCapacity,
  CPU_UNITS_PER_VCPU,
  FARGATE_POOLS,
  type FargatePool,
} from '../../shared/control/admission/container-capacity.ts';
import {
  createAttentionFinding,
  createMissingFinding,
  createOkFinding,
  type DoctorFinding,
} from './doctor-check.ts';

/** Concurrent executions below which a few tasks at once are throttled. A new account may have 10 in all. */
const MIN_LAMBDA_EXECUTIONS = 100;
/** Code in Service Quotas of the concurrent executions of Lambda. */
const LAMBDA_QUOTA = 'L-B99A9384';
/** Bootstrap version that this version of the CDK needs; https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html */
const BOOTSTRAP_VERSION = 6;
/**
 * Codes in Service Quotas of the vCPUs that may run at once;
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-quotas.html
 */
const VCPU_QUOTA = { on_demand: 'L-3032A538', spot: 'L-36FBB829' } as const satisfies Record<
  FargatePool,
  string
>;
const POOL_NAMES = { on_demand: 'on demand', spot: 'on Spot' } as const satisfies Record<FargatePool, string>;
/** With fewer vCPUs than this, a batch of tasks mostly waits. */
const MIN_VCPUS = 20;

export async function checkAwsCredentials(): Promise<DoctorFinding> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient();
  try {
    const region = await client.config.region();
    const { Arn, Account } = await client.send(new GetCallerIdentityCommand());
    return createOkFinding(`${Arn} in account ${Account}, region ${region}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return createMissingFinding(message, 'Sign in, and set AWS_PROFILE and AWS_REGION.');
  } finally {
    client.destroy();
  }
}

export async function checkCdkBootstrap(): Promise<DoctorFinding> {
  const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const client = new SSMClient();
  const advice = 'npx cdk bootstrap';
  try {
    const { Parameter } = await client.send(
      new GetParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version' }),
    );
    const version = Number(Parameter?.Value);
    return version >= BOOTSTRAP_VERSION
      ? createOkFinding(`version ${version}`)
      : createMissingFinding(`version ${Parameter?.Value}; at least ${BOOTSTRAP_VERSION} is needed`, advice);
  } catch (error) {
    if (error instanceof Error && error.name === 'ParameterNotFound')
      return createMissingFinding('this account and region is not bootstrapped for the CDK', advice);
    throw error;
  } finally {
    client.destroy();
  }
}

/** @param room capacity that the deployment is configured for; null: there is no deployment */
export async function checkFargateQuota(room: ContainerCapacity | null): Promise<DoctorFinding> {
  const sdk = await import('@aws-sdk/client-service-quotas');
  const client = new sdk.ServiceQuotasClient();
  const quotaOf = async (pool: FargatePool): Promise<number> => {
    const code = { ServiceCode: 'fargate', QuotaCode: VCPU_QUOTA[pool] };
    const { Quota } = await client
      .send(new sdk.GetServiceQuotaCommand(code))
      .catch(() => client.send(new sdk.GetAWSDefaultServiceQuotaCommand(code)));
    if (Quota?.Value === undefined) throw new Error('Service Quotas did not return the quota');
    return Quota.Value;
  };
  try {
    const pools = await Promise.all(
      FARGATE_POOLS.map(async (pool) => ({
        pool,
        vcpus: await quotaOf(pool),
        promised: room && room.limits[pool] / CPU_UNITS_PER_VCPU,
      })),
    );
    const detail = pools
      .map(
        ({ pool, vcpus, promised }) =>
          `${vcpus} vCPUs ${POOL_NAMES[pool]}${promised === null ? '' : `, Assay uses up to ${promised}`}`,
      )
      .join('; ');
    const few = pools.filter(({ vcpus, promised }) => vcpus < Math.max(MIN_VCPUS, promised ?? 0));
    if (few.length === 0) return createOkFinding(detail);
    const requests = few.map(
      ({ pool, promised }) =>
        `aws service-quotas request-service-quota-increase --service-code fargate --quota-code ${VCPU_QUOTA[pool]} --desired-value ${Math.max(100, promised ?? 0)}`,
    );
    return createAttentionFinding(detail, `Request more: ${requests.join('; ')}`);
  } finally {
    client.destroy();
  }
}

export async function checkLambdaConcurrency(): Promise<DoctorFinding> {
  const { GetAccountSettingsCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient();
  try {
    const { AccountLimit } = await client.send(new GetAccountSettingsCommand());
    const all = AccountLimit?.ConcurrentExecutions;
    const free = AccountLimit?.UnreservedConcurrentExecutions;
    if (all === undefined || free === undefined) throw new Error('Lambda did not return its limits');
    const detail = `${all} concurrent executions, ${free} of them not reserved`;
    if (free >= MIN_LAMBDA_EXECUTIONS) return createOkFinding(detail);
    return createAttentionFinding(
      `${detail}: with fewer than ${MIN_LAMBDA_EXECUTIONS}, several tasks at once are throttled`,
      `Request more: aws service-quotas request-service-quota-increase --service-code lambda --quota-code ${LAMBDA_QUOTA} --desired-value 1000`,
    );
  } finally {
    client.destroy();
  }
}

/** The role by which Fargate makes network interfaces. An account has it once it has used ECS. */
const ECS_ROLE = 'AWSServiceRoleForECS';
const ECS_SERVICE = 'ecs.amazonaws.com';

/** @param fixes whether a missing role is created */
export async function checkEcsServiceRole(fixes: boolean): Promise<DoctorFinding> {
  const sdk = await import('@aws-sdk/client-iam');
  const client = new sdk.IAMClient();
  try {
    const found = await client
      .send(new sdk.GetRoleCommand({ RoleName: ECS_ROLE }))
      .catch((error: unknown) => {
        if (error instanceof Error && /NoSuchEntity/.test(error.name)) return null;
        throw error;
      });
    if (found) return createOkFinding(ECS_ROLE);
    if (fixes) {
      await client.send(new sdk.CreateServiceLinkedRoleCommand({ AWSServiceName: ECS_SERVICE }));
      return createOkFinding(`${ECS_ROLE}, created now`);
    }
    return createMissingFinding(
      `there is no role ${ECS_ROLE}: the first cluster could not be created`,
      `aws iam create-service-linked-role --aws-service-name ${ECS_SERVICE}, or \`assay doctor --aws --fix\``,
    );
  } finally {
    client.destroy();
  }
}
