import { createResourcePropertyReader } from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';
import { compileMachine } from './definition/compile.ts';
import type { CompiledStateMachine } from './definition/machine.ts';
import { withErrorLocation } from './definition/parse-definition.ts';

export interface DeployedMachine {
  readonly arn: string;
  readonly name: string;
  readonly machine: CompiledStateMachine;
}

/** Compiles the state machines of the template, by ARN. @throws Error that names the unsupported property. */
export function deployMachines(
  resources: readonly ResolvedResource[],
  place: { readonly region: string; readonly accountId: string },
): ReadonlyMap<string, DeployedMachine> {
  const machines = new Map<string, DeployedMachine>();
  for (const resource of resources.filter(({ type }) => type === 'AWS::StepFunctions::StateMachine')) {
    const properties = createResourcePropertyReader(resource);
    properties.only(
      'StateMachineName',
      'StateMachineType',
      'DefinitionString',
      'RoleArn',
      'LoggingConfiguration',
      'TracingConfiguration',
      'EncryptionConfiguration',
      'Tags',
    );
    const name = properties.text('StateMachineName', resource.logicalId);
    const type = properties.text('StateMachineType', 'STANDARD');
    if (type !== 'EXPRESS') {
      throw new Error(`${properties.where}: StateMachineType ${type} is not supported`);
    }
    const machine = withErrorLocation(`state machine "${name}"`, () =>
      compileMachine(JSON.parse(properties.text('DefinitionString'))),
    );
    const arn = `arn:aws:states:${place.region}:${place.accountId}:stateMachine:${name}`;
    machines.set(arn, { arn, name, machine });
  }
  return machines;
}
