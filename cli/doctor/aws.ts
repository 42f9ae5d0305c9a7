import { bootstrap, credentials, fargate, lambda } from './account.ts';
import { type CheckResult, look } from './check.ts';
import { askFunctions, providersOf, roomOf, tierModelsOf } from './deployed.ts';
import { findDeployment } from './deployment.ts';
import { modelAccess } from './models.ts';
import { settings } from './settings.ts';
import { images, secrets, state, subscriptions } from './stack.ts';

/**
 * Looks at an account, before and after the deployment; it changes nothing. What can only be looked at in a stack is left out while there
 * is none, and without credentials nothing else is looked at.
 */
export async function examine(stackName: string): Promise<CheckResult[]> {
  const who = await look('credentials', credentials);
  if (who.outcome !== 'ok') return [who];
  const found = findDeployment(stackName);
  const stack = await look('stack', async () => state(stackName, await found));
  const there = await found.catch(() => null);
  const asked = there && askFunctions(there);
  // Whoever may not ask is told so by each check that needs the answer.
  asked?.catch(() => {});
  const account = [
    look('bootstrap', bootstrap),
    look('fargate_vcpus', async () => fargate(roomOf(await asked))),
    look('lambda_concurrency', () => lambda(there !== null)),
    look('model_access', async () => modelAccess(providersOf(await asked), tierModelsOf(await asked))),
  ];
  const deployed = there &&
    asked && [
      look('settings', async () => settings(there)),
      look('images', () => images(there)),
      look('secrets', () => secrets(there, asked)),
      look('alarm_subscription', () => subscriptions(there)),
    ];
  return [who, ...(await Promise.all(account)), stack, ...(await Promise.all(deployed ?? []))];
}
