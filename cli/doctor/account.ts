import { RESERVED_CONCURRENCY } from '../../shared/names.ts';
import { attention, type Finding, missing, ok } from './check.ts';

const RESERVED = Object.values(RESERVED_CONCURRENCY).reduce((sum, each) => sum + each, 0);
/** Concurrent executions that Lambda wants left for everybody. */
const UNRESERVED = 100;
/** What the CDK of this version needs; https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html */
const BOOTSTRAP_VERSION = 6;
/** "Fargate On-Demand vCPU resource count"; https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-quotas.html */
const FARGATE_VCPU = { ServiceCode: 'fargate', QuotaCode: 'L-3032A538' };
/** Boxes of one vCPU at a time, below which a batch waits more than it works. */
const FEW_BOXES = 20;

export async function credentials(): Promise<Finding> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient();
  try {
    const region = await client.config.region();
    const { Arn, Account } = await client.send(new GetCallerIdentityCommand());
    return ok(`${Arn} in account ${Account}, region ${region}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return missing(message, 'Sign in, and set AWS_PROFILE and AWS_REGION.');
  } finally {
    client.destroy();
  }
}

export async function bootstrap(): Promise<Finding> {
  const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const client = new SSMClient();
  const advice = 'npx cdk bootstrap';
  try {
    const { Parameter } = await client.send(
      new GetParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version' }),
    );
    const version = Number(Parameter?.Value);
    return version >= BOOTSTRAP_VERSION
      ? ok(`version ${version}`)
      : missing(`version ${Parameter?.Value}; at least ${BOOTSTRAP_VERSION} is needed`, advice);
  } catch (error) {
    if (error instanceof Error && error.name === 'ParameterNotFound')
      return missing('the CDK has not been prepared in this account and region', advice);
    throw error;
  } finally {
    client.destroy();
  }
}

export async function fargate(): Promise<Finding> {
  const { GetAWSDefaultServiceQuotaCommand, GetServiceQuotaCommand, ServiceQuotasClient } = await import(
    '@aws-sdk/client-service-quotas'
  );
  const client = new ServiceQuotasClient();
  try {
    const { Quota } = await client
      .send(new GetServiceQuotaCommand(FARGATE_VCPU))
      .catch(() => client.send(new GetAWSDefaultServiceQuotaCommand(FARGATE_VCPU)));
    const vcpus = Quota?.Value;
    if (vcpus === undefined) throw new Error('Service Quotas has not said the quota');
    const detail = `${vcpus} vCPUs on demand: so many boxes of the default size at a time`;
    return vcpus >= FEW_BOXES
      ? ok(detail)
      : attention(
          detail,
          `Ask for more: aws service-quotas request-service-quota-increase --service-code fargate --quota-code ${FARGATE_VCPU.QuotaCode} --desired-value 100`,
        );
  } finally {
    client.destroy();
  }
}

/** @param deployed whether the executions that the stack reserves are taken off already */
export async function lambda(deployed: boolean): Promise<Finding> {
  const { GetAccountSettingsCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient();
  try {
    const { AccountLimit } = await client.send(new GetAccountSettingsCommand());
    const all = AccountLimit?.ConcurrentExecutions;
    const free = AccountLimit?.UnreservedConcurrentExecutions;
    if (all === undefined || free === undefined) throw new Error('Lambda has not said its limits');
    const detail = `${all} executions at a time, ${free} of them not reserved`;
    if (deployed || free >= RESERVED + UNRESERVED) return ok(detail);
    return missing(
      `${detail}; a deployment reserves ${RESERVED}, and ${UNRESERVED} must be left`,
      'Ask for more in Service Quotas (Lambda, concurrent executions), or deploy with -c assay:modelConcurrency=0 -c assay:authorizerConcurrency=0 -c assay:workConcurrency=0 -c assay:deliverConcurrency=0.',
    );
  } finally {
    client.destroy();
  }
}
