import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctionsAndContainers, REPOSITORY_ROOT } from './build.ts';
import type { BundleDirectories } from './bundles.ts';
import { applyStackTags, buildStackName } from './deployment.ts';
import { describePinAge, describeUnlockedBaseImages, readImageLock } from './image-lock.ts';
import { listMissingOfferings } from './region-offerings.ts';
import { readSettings } from './settings.ts';
import { AssayStack } from './stack.ts';

export interface AppOptions {
  readonly bundles: BundleDirectories;
  /** Goes before what cdk.json says; the command line's `-c` goes before both. */
  readonly context?: Record<string, unknown>;
  /** Where the cloud assembly goes. @default - CDK_OUTDIR, else a temporary folder */
  readonly outdir?: string;
}

/** The feature flags are in cdk.json. The CDK command line reads it by itself; run bare, the app has to. */
function cdkJsonContext(): Record<string, unknown> {
  const { context } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'cdk.json'), 'utf8'));
  return context;
}

/** The app with its one stack. Synthesising it throws when a rule of cdk-nag or of CloudFormation is broken. */
export function createAssayApp({ bundles, context, outdir }: AppOptions): { app: App; stack: AssayStack } {
  const app = new App({ context: { ...cdkJsonContext(), ...context }, ...(outdir && { outdir }) });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const settings = readSettings(app.node);
  applyStackTags(app, settings);
  const stack = new AssayStack(app, buildStackName(settings), { bundles, settings });
  return { app, stack };
}

if (import.meta.main) {
  const { app } = createAssayApp({ bundles: await bundleFunctionsAndContainers() });
  const region = process.env['CDK_DEFAULT_REGION'] ?? process.env['AWS_REGION'];
  const warnings = [
    describeUnlockedBaseImages(readImageLock()),
    describePinAge(new Date()),
    ...listMissingOfferings(region, readSettings(app.node)),
  ];
  for (const warning of warnings) if (warning !== null) process.stderr.write(`${warning}\n`);
  app.synth();
}
