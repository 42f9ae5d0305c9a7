import { randomBytes } from 'node:crypto';
import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';

/** Executions of state machines. */
export class StepFunctionsClient {
  readonly #sfn: SFNClient;

  constructor(sfn: SFNClient) {
    this.#sfn = sfn;
  }

  /**
   * Starts an execution of an Express machine, each time that it is called. It is named after `label`, of at most 71 characters, and after
   * nothing that it has in common with another one: a line of a log is of one execution.
   */
  async startExecution(machineArn: string, label: string, input: unknown): Promise<void> {
    const name = `${label}-${randomBytes(4).toString('hex')}`;
    await this.#sfn.send(
      new StartExecutionCommand({ stateMachineArn: machineArn, name, input: JSON.stringify(input) }),
    );
  }
}
