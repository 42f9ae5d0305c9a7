import { bootstrap, credentials, fargate, lambda } from './account.ts';
import { type CheckResult, look } from './check.ts';
import { type Deployment, findDeployment } from './deployment.ts';
import { modelAccess } from './models.ts';
import { settings } from './settings.ts';
import { images, providersOf, secrets, state, subscriptions } from './stack.ts';

/**
 * Looks at an account, before and after the deployment; it changes nothing. What can only be looked at in a stack is left out while there
 * is none, and without credentials nothing else is looked at.
 */
export async function examine(stackName: string): Promise<CheckResult[]> {
  const who = await look('credentials', credentials);
  if (who.outcome !== 'ok') return [who];
  let deployment: Deployment | null = null;
  const stack = await look('stack', async () => {
    deployment = await findDeployment(stackName);
    return state(stackName, deployment);
  });
  const there: Deployment | null = deployment;
  const account = [
    look('bootstrap', bootstrap),
    look('fargate_vcpus', fargate),
    look('lambda_concurrency', () => lambda(there !== null)),
    look('model_access', async () => modelAccess(await providersOf(there))),
  ];
  const deployed = there && [
    look('settings', async () => settings(there)),
    look('images', () => images(there)),
    look('secrets', () => secrets(there)),
    look('alarm_subscription', () => subscriptions(there)),
  ];
  return [who, ...(await Promise.all(account)), stack, ...(await Promise.all(deployed ?? []))];
}
