import {
  checkBootstrap,
  checkCredentials,
  checkFargateQuota,
  checkLambdaConcurrency,
} from './account-checks.ts';
import { checkModelAccess } from './check-model-access.ts';
import { checkSettings } from './check-settings.ts';
import { findDeployment } from './deployment.ts';
import { type DoctorCheck, performDoctorCheck } from './doctor-check.ts';
import {
  parseCapacity,
  parseProviders,
  parseTierModels,
  readFunctionEnvironments,
} from './function-environments.ts';
import { checkImages, checkSecrets, checkStackState, checkSubscriptions } from './stack-checks.ts';

/**
 * Checks an account, before and after the deployment. Changes nothing. Without a stack its checks are left out; without credentials no
 * other check runs.
 */
export async function checkAccount(stackName: string): Promise<DoctorCheck[]> {
  const identity = await performDoctorCheck('credentials', checkCredentials);
  if (identity.outcome !== 'ok') return [identity];
  const finding = findDeployment(stackName);
  const stack = await performDoctorCheck('stack', async () => checkStackState(stackName, await finding));
  const deployment = await finding.catch(() => null);
  const environments = deployment && readFunctionEnvironments(deployment);
  // Each check that needs the environments reports that they could not be read.
  environments?.catch(() => {});
  const account = [
    performDoctorCheck('bootstrap', checkBootstrap),
    performDoctorCheck('fargate_vcpus', async () => checkFargateQuota(parseCapacity(await environments))),
    performDoctorCheck('lambda_concurrency', () => checkLambdaConcurrency(deployment !== null)),
    performDoctorCheck('model_access', async () =>
      checkModelAccess(parseProviders(await environments), parseTierModels(await environments)),
    ),
  ];
  const deployed = deployment &&
    environments && [
      performDoctorCheck('settings', async () => checkSettings(deployment)),
      performDoctorCheck('images', () => checkImages(deployment)),
      performDoctorCheck('secrets', () => checkSecrets(deployment, environments)),
      performDoctorCheck('alarm_subscription', () => checkSubscriptions(deployment)),
    ];
  return [identity, ...(await Promise.all(account)), stack, ...(await Promise.all(deployed ?? []))];
}
