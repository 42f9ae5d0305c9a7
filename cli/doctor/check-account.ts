import {
  checkBootstrap,
  checkCredentials,
  checkFargateQuota,
  checkLambdaConcurrency,
} from './account-checks.ts';
import { type CheckResult, performCheck } from './check.ts';
import { findDeployment } from './deployment.ts';
import {
  configuredCapacity,
  configuredProviders,
  configuredTierModels,
  readFunctionEnvironments,
} from './function-environments.ts';
import { checkModelAccess } from './model-access.ts';
import { checkSettings } from './settings-check.ts';
import { checkImages, checkSecrets, checkStackState, checkSubscriptions } from './stack-checks.ts';

/**
 * Checks an account, before and after the deployment. Changes nothing. Without a stack its checks are left out; without credentials no
 * other check runs.
 */
export async function checkAccount(stackName: string): Promise<CheckResult[]> {
  const identity = await performCheck('credentials', checkCredentials);
  if (identity.outcome !== 'ok') return [identity];
  const finding = findDeployment(stackName);
  const stack = await performCheck('stack', async () => checkStackState(stackName, await finding));
  const deployment = await finding.catch(() => null);
  const environments = deployment && readFunctionEnvironments(deployment);
  // Each check that needs the environments reports that they could not be read.
  environments?.catch(() => {});
  const account = [
    performCheck('bootstrap', checkBootstrap),
    performCheck('fargate_vcpus', async () => checkFargateQuota(configuredCapacity(await environments))),
    performCheck('lambda_concurrency', () => checkLambdaConcurrency(deployment !== null)),
    performCheck('model_access', async () =>
      checkModelAccess(configuredProviders(await environments), configuredTierModels(await environments)),
    ),
  ];
  const deployed = deployment &&
    environments && [
      performCheck('settings', async () => checkSettings(deployment)),
      performCheck('images', () => checkImages(deployment)),
      performCheck('secrets', () => checkSecrets(deployment, environments)),
      performCheck('alarm_subscription', () => checkSubscriptions(deployment)),
    ];
  return [identity, ...(await Promise.all(account)), stack, ...(await Promise.all(deployed ?? []))];
}
