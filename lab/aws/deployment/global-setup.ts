import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { TestProject } from 'vitest/node';
import { startEngine } from '../engine/server.ts';
import { FORGE_URL, PUSH_TOKEN, startForge } from '../forge/server.ts';
import { startEmulator } from '../machine/emulator.ts';
import { files, REGION } from '../machine/names.ts';
import { addHosts, bringUpNetwork } from '../machine/network.ts';
import { bootstrap, deploy } from './cdk.ts';
import { type Deployed, LACKING_PERMISSIONS, type LackingPermission } from './lacking-permissions.ts';
import { addPolicy } from './roles.ts';
import { deployedNames, roleOf } from './stack.ts';
import { MAIN } from './token.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Outputs of the stack. */
    readonly outputs: Record<string, string>;
  }
}

const NOTHING: Deployed = { cluster: '', bucket: '', bus: '' };
const said = (text: string): void => void process.stdout.write(`${text}\n`);

/** Deploys the stack once for all files; the machine ends with the process that runs them. */
export default async function setup(project: TestProject): Promise<() => void> {
  const place = files();
  bringUpNetwork(place);
  mkdirSync(place.boxes, { recursive: true });
  await startEngine(place);
  await startForge(place);
  const emulator = await startEmulator(place);
  said('the emulator is up');
  // Something is missing, so it ends with 1.
  writeFileSync(place.doctorBefore, spawnSync(process.execPath, [MAIN, 'doctor', '--aws', '--json']).stdout);
  await bootstrap(place);
  said('bootstrapped');
  for (const [n, lack] of LACKING_PERMISSIONS.entries()) await grant(lack, n, 'physical', NOTHING);
  const secret = await pushSecret();
  const outputs = await deploy(place, {
    'assay:deliverySecretArn': secret,
    'assay:deliverTo': JSON.stringify([FORGE_URL]),
    'assay:alarmEmail': 'you@example.com',
    // Room for all boxes of the demo: within six vCPUs they wait for the minutes in which the reconciler sees that others have ended.
    'assay:vcpus': '64',
    'assay:spotVcpus': '64',
  });
  addHosts(place.hosts, [
    new URL(outputs['ApiUrl'] ?? '').hostname,
    `${outputs['Bucket']}.s3.${REGION}.amazonaws.com`,
  ]);
  const deployed = await deployedNames(outputs['Bucket'] ?? '');
  for (const [n, lack] of LACKING_PERMISSIONS.entries()) await grant(lack, n, 'construct', deployed);
  said('deployed');
  project.provide('outputs', outputs);
  return emulator.stop;
}

/** Gives what the emulator lacks to roles that are there before or after the deployment. */
async function grant(
  { roles, asHere }: LackingPermission,
  number: number,
  kind: 'physical' | 'construct',
  deployed: Deployed,
): Promise<void> {
  for (const role of roles) {
    const name = kind === 'physical' && 'physical' in role ? role.physical : null;
    const own = kind === 'construct' && 'construct' in role ? await roleOf(role.construct) : null;
    const found = name ?? own;
    if (found !== null) await addPolicy(found, `around-lack-${number}`, [asHere(deployed)]);
  }
}

async function pushSecret(): Promise<string> {
  const secrets = new SecretsManagerClient({ region: REGION });
  const { ARN = '' } = await secrets.send(
    new CreateSecretCommand({
      Name: 'push',
      SecretString: JSON.stringify({ credentials: [{ url: FORGE_URL, token: PUSH_TOKEN }] }),
    }),
  );
  return ARN;
}
