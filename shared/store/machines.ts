import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { optionalEnv } from './env.ts';

/** The client; the embedded default cannot resolve the `sync-` host prefix that AWS wants. */
export const sfnClient = (): SFNClient =>
  new SFNClient({ disableHostPrefix: optionalEnv('ASSAY_DISABLE_HOST_PREFIX', 'false') === 'true' });

/** The cascade's executions. */
export class Machines {
  readonly #sfn: SFNClient;

  constructor(sfn: SFNClient) {
    this.#sfn = sfn;
  }

  /** Starts an execution; a second start under the same name is a repeat. */
  async start(machineArn: string, name: string, input: unknown): Promise<void> {
    try {
      await this.#sfn.send(
        new StartExecutionCommand({ stateMachineArn: machineArn, name, input: JSON.stringify(input) }),
      );
    } catch (error) {
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
  }

  /** Wakes a waiting state. False when nobody waits on that token any more: a repeat, or an execution that is gone. */
  async wake(taskToken: string, output: unknown): Promise<boolean> {
    try {
      await this.#sfn.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
      return true;
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof InvalidToken || error instanceof TaskDoesNotExist)
        return false;
      throw error;
    }
  }

  /** Says for a waiting state that what it waits for is on its way. False when nobody waits on that token any more. */
  async beat(taskToken: string): Promise<boolean> {
    try {
      await this.#sfn.send(new SendTaskHeartbeatCommand({ taskToken }));
      return true;
    } catch (error) {
      if (error instanceof TaskTimedOut || error instanceof InvalidToken || error instanceof TaskDoesNotExist)
        return false;
      throw error;
    }
  }

  /** Does the execution of that name still run? */
  async isRunning(machineArn: string, name: string): Promise<boolean> {
    try {
      const answer = await this.#sfn.send(
        new DescribeExecutionCommand({
          executionArn: `${machineArn.replace(':stateMachine:', ':execution:')}:${name}`,
        }),
      );
      return answer.status === 'RUNNING' || answer.status === 'PENDING_REDRIVE';
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return false;
      throw error;
    }
  }
}
