import type { DeployedStack } from './deployment.ts';
import { createAttentionFinding, createOkFinding, type DoctorFinding } from './doctor-check.ts';

/** The check that covers each setting; null: nothing in the account can be missing for it. A test compares it with the settings of the stack. */
export const DOCTOR_CHECK_BY_STACK_SETTING = {
  stackName: 'stack',
  stage: 'stack',
  tags: null,
  vpc: 'stack',
  zones: 'stack',
  keyArn: 'stack',
  network: 'stack',
  alarmEmail: 'alarm_subscription',
  notifyEmail: 'stack',
  alarmFailedTasks: null,
  alarmLostContainers: null,
  alarmModelUsd: null,
  images: 'images',
  architecture: 'images',
  mirrors: 'images',
  imageBuild: 'images',
  deliverImage: 'images',
  delivery: null,
  deliverConcurrency: 'lambda_concurrency',
  defaultAdapter: null,
  agentClis: null,
  agentContainer: 'fargate_vcpus',
  gatesContainer: 'fargate_vcpus',
  vcpus: 'fargate_vcpus',
  spotVcpus: 'fargate_vcpus',
  spot: 'fargate_vcpus',
  tierModels: 'model_access',
  autonomy: null,
  approvals: null,
  cascade: null,
  models: 'model_access',
  judges: 'secrets',
  modelGateway: null,
  modelEndpoint: 'stack',
  modelVpc: 'stack',
  modelVpcEndpoint: 'stack',
  modelConcurrency: 'lambda_concurrency',
  authorizerConcurrency: 'lambda_concurrency',
  workConcurrency: 'lambda_concurrency',
  maxAttemptUsd: null,
  leaseSeconds: null,
  holdDays: null,
  holdOutcome: null,
  nudgeThreshold: null,
  nudgeMinCompletions: null,
  nudgeWindow: null,
  nudgeWindowDays: null,
  recordEvents: null,
  otlpEndpoint: null,
  otlpSecretArn: 'secrets',
  caFile: null,
  gitSecretArn: 'secrets',
  readScopes: 'secrets',
  deliverySecretArn: 'secrets',
  pushScopes: 'secrets',
  forgeSecretArn: 'secrets',
  forges: 'secrets',
  oidc: null,
  notifySecretArn: 'secrets',
  notify: 'secrets',
  keepVersionsDays: null,
  accessLogBucket: 'stack',
  objectLock: 'stack',
  artifactRetentionDays: null,
  recordRetentionDays: null,
  logRetentionDays: null,
  scanLimitMiB: null,
  onDelete: null,
} as const satisfies Readonly<Record<string, string | null>>;

const isKnown = (name: string): name is keyof typeof DOCTOR_CHECK_BY_STACK_SETTING =>
  Object.hasOwn(DOCTOR_CHECK_BY_STACK_SETTING, name);

/** Lists the settings that differ from the defaults, and the check that covers each. */
export function checkStackSettings({ outputs }: DeployedStack): DoctorFinding {
  const text = outputs['Settings'];
  if (text === undefined)
    return createAttentionFinding(
      'the stack has no output Settings',
      'Deploy again: this version writes it.',
    );
  const names = text.split(' ').filter((name) => name !== '' && name !== 'none');
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0)
    return createAttentionFinding(
      `settings that this version does not know: ${unknown.join(', ')}`,
      'Run `assay doctor` of the deployed version.',
    );
  if (names.length === 0) return createOkFinding('all have their default');
  return createOkFinding(
    names
      .map(
        (name) =>
          `${name}${isKnown(name) && DOCTOR_CHECK_BY_STACK_SETTING[name] ? ` (${DOCTOR_CHECK_BY_STACK_SETTING[name]})` : ''}`,
      )
      .join(', '),
  );
}
