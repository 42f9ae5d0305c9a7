import { Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import * as z from 'zod';

/** Of a stack's name: CloudFormation's own, and what the names that are made of it may have (bus, workgroup, database). */
export const StackName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be 1 to 64 letters, digits or "-", beginning with a letter');
export const DeploymentStage = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/, 'must be 1 to 31 letters, digits or "-"');

/** As AWS takes them in most services; `aws:` is AWS's own. */
export const StackTags = z.record(
  z.string().regex(/^(?!aws:)[\w.:/=+@ -]{1,128}$/, 'must be a tag key'),
  z.string().regex(/^[\w.:/=+@ -]{0,256}$/, 'must be a tag value'),
);

interface Deployment {
  readonly stackName: string;
  readonly stage?: string | undefined;
  readonly tags: z.infer<typeof StackTags>;
}

/** One stack for each stage: `Assay`, `Assay-dev`. Everything that has a fixed name is named after it. */
export const buildStackName = ({ stackName, stage }: Pick<Deployment, 'stackName' | 'stage'>): string =>
  stage === undefined ? stackName : `${stackName}-${stage}`;

/** Tags everything below, with what the deployment says and with what we say of ourselves. */
export function applyStackTags(scope: Construct, { stage, tags }: Deployment): void {
  const own = { service: 'assay', ...(stage !== undefined && { stage }) };
  for (const [key, value] of Object.entries({ ...tags, ...own })) Tags.of(scope).add(key, value);
}
