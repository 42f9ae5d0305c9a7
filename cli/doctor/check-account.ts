import {
  checkAwsCredentials,
  checkCdkBootstrap,
  checkEcsServiceRole,
  checkFargateQuota,
  checkLambdaConcurrency,
} from './account-checks.ts';
import { checkBedrockModelAccess } from './check-model-access.ts';
import { checkStackSettings } from './check-settings.ts';
import { findDeployedStack } from './deployment.ts';
import { type DoctorCheck, performDoctorCheck } from './doctor-check.ts';
import {
  parseContainerCapacity,
  parseModelProviders,
  parseTierModels,
  readLambdaEnvironmentVariables,
} from './function-environments.ts';
import {
  checkAlarmSubscriptions,
  checkContainerImages,
  checkDeletionProtection,
  checkOrphans,
  checkSecretValues,
  checkStackState,
} from './stack-checks.ts';

/**
 * Checks an account, before and after the deployment. Changes nothing, unless it fixes: then it creates the service-linked
 * role of ECS and protects the table. Without a stack its checks are left out; without credentials no
 * other check runs.
 */
export async function checkAwsAccount(stackName: string, fixes = false): Promise<DoctorCheck[]> {
  const identity = await performDoctorCheck('credentials', checkAwsCredentials);
  if (identity.outcome !== 'ok') return [identity];
  const finding = findDeployedStack(stackName);
  const stack = await performDoctorCheck('stack', async () => checkStackState(stackName, await finding));
  const deployment = await finding.catch(() => null);
  const environments = deployment && readLambdaEnvironmentVariables(deployment);
  // Each check that needs the environments reports that they could not be read.
  environments?.catch(() => {});
  const account = [
    performDoctorCheck('bootstrap', checkCdkBootstrap),
    performDoctorCheck('ecs_role', () => checkEcsServiceRole(fixes)),
    performDoctorCheck('fargate_vcpus', async () =>
      checkFargateQuota(parseContainerCapacity(await environments)),
    ),
    performDoctorCheck('lambda_concurrency', checkLambdaConcurrency),
    performDoctorCheck('model_access', async () =>
      checkBedrockModelAccess(parseModelProviders(await environments), parseTierModels(await environments)),
    ),
  ];
  const orphans = performDoctorCheck('orphans', async () => checkOrphans(stackName, await finding));
  const deployed = deployment &&
    environments && [
      performDoctorCheck('settings', async () => checkStackSettings(deployment)),
      performDoctorCheck('deletion_protection', () => checkDeletionProtection(deployment, fixes)),
      performDoctorCheck('images', () => checkContainerImages(deployment)),
      performDoctorCheck('secrets', () => checkSecretValues(deployment, environments)),
      performDoctorCheck('alarm_subscription', () => checkAlarmSubscriptions(deployment)),
    ];
  return [
    identity,
    ...(await Promise.all(account)),
    await orphans,
    stack,
    ...(await Promise.all(deployed ?? [])),
  ];
}
