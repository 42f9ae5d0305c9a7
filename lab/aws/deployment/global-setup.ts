import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { TestProject } from 'vitest/node';
import { readBuiltImages } from '../engine/built-images.ts';
import { startDockerEngine } from '../engine/docker-engine.ts';
import { startGitForge, TOOLCHAIN_IMAGE } from '../forge/git-forge.ts';
import { startEmulator } from '../machine/emulator.ts';
import { addHostNames, setUpNetwork } from '../machine/isolated-network.ts';
import { EMULATED_REGION, getCurrentRunFiles } from '../machine/run-environment.ts';
import { bootstrapAccount, deployStack } from './cdk.ts';
import { FORGE_SECRET, readDeploySettings } from './deploy-page.ts';
import { getDeployedNames, getRoleName } from './deployed-stack.ts';
import { CLI_MAIN } from './operator-token.ts';
import { type DeployedNames, PERMISSION_GAPS, type PermissionGap } from './permission-gaps.ts';
import { addRolePolicy } from './role-policies.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Outputs of the stack. */
    readonly outputs: Record<string, string>;
  }
}

const NOTHING: DeployedNames = { cluster: '', bucket: '', bus: '' };
const said = (text: string): void => void process.stdout.write(`${text}\n`);

/** Deploys the stack once for all files; the machine ends with the process that runs them. */
export default async function setup(project: TestProject): Promise<() => void> {
  const place = getCurrentRunFiles();
  setUpNetwork(place);
  mkdirSync(place.boxes, { recursive: true });
  await startDockerEngine(place);
  const { toolchain } = readBuiltImages(place);
  await startGitForge(place, toolchain);
  const emulator = await startEmulator(place);
  said('the emulator is up');
  // Something is missing, so it ends with 1.
  writeFileSync(
    place.doctorBefore,
    spawnSync(process.execPath, [CLI_MAIN, 'doctor', '--aws', '--json']).stdout,
  );
  await bootstrapAccount(place);
  said('bootstrapped');
  for (const [n, lack] of PERMISSION_GAPS.entries()) await grant(lack, n, 'physical', NOTHING);
  const secret = await createForgeSecret();
  const outputs = await deployStack(place, {
    ...readDeploySettings(secret),
    ...(toolchain !== null && { 'assay:images': JSON.stringify({ [TOOLCHAIN_IMAGE]: toolchain }) }),
    // Room for all boxes of the demo: within six vCPUs they wait for the minutes in which the reconciler sees that others have ended.
    'assay:vcpus': '64',
    'assay:spotVcpus': '64',
  });
  addHostNames(place.hosts, [
    new URL(outputs['ApiUrl'] ?? '').hostname,
    `${outputs['Bucket']}.s3.${EMULATED_REGION}.amazonaws.com`,
  ]);
  const deployed = await getDeployedNames(outputs['Bucket'] ?? '');
  for (const [n, lack] of PERMISSION_GAPS.entries()) await grant(lack, n, 'construct', deployed);
  said('deployed');
  project.provide('outputs', outputs);
  return emulator.stop;
}

/** Gives what the emulator lacks to roles that are there before or after the deployment. */
async function grant(
  { roles, emulatorStatement }: PermissionGap,
  number: number,
  kind: 'physical' | 'construct',
  deployed: DeployedNames,
): Promise<void> {
  for (const role of roles) {
    const name = kind === 'physical' && 'physical' in role ? role.physical : null;
    const own = kind === 'construct' && 'construct' in role ? await getRoleName(role.construct) : null;
    const found = name ?? own;
    if (found !== null) await addRolePolicy(found, `around-lack-${number}`, [emulatorStatement(deployed)]);
  }
}

async function createForgeSecret(): Promise<string> {
  const secrets = new SecretsManagerClient({ region: EMULATED_REGION });
  const { ARN = '' } = await secrets.send(
    new CreateSecretCommand({
      Name: 'assay-forge',
      SecretString: FORGE_SECRET,
    }),
  );
  return ARN;
}
