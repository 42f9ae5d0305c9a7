import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { buildDeploymentConstructs, type DeploymentConstructsProps } from './deployment-constructs.ts';

export interface AssayStackProps extends StackProps, DeploymentConstructsProps {}

/** All of Assay: one stack, because its parts are of no use without each other. */
export class AssayStack extends Stack {
  constructor(scope: Construct, id: string, props: AssayStackProps) {
    super(scope, id, { description: 'Assay: a quality pipeline for the work of coding agents', ...props });
    buildDeploymentConstructs(this, props);
  }
}
