import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { classifyLaunchError, LaunchError } from './launch-error.ts';

/** The function that delivers. */
export class DeliveryInvoker {
  readonly #lambda: LambdaClient;
  readonly #functionName: string;

  constructor(lambda: LambdaClient, functionName: string) {
    this.#lambda = lambda;
    this.#functionName = functionName;
  }

  /**
   * Hands one launch to Lambda, which invokes the function when it can; nobody waits for it. A repeat is invoked too, and finds its assignment
   * taken. Throws LaunchError.
   */
  async invoke(launch: string, assignmentUrl: string): Promise<void> {
    try {
      await this.#lambda.send(
        new InvokeCommand({
          FunctionName: this.#functionName,
          InvocationType: 'Event',
          Payload: JSON.stringify({ launch_name: launch, assignment_url: assignmentUrl }),
        }),
      );
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      throw new LaunchError(classifyLaunchError([name, message]), `${name}: ${message}`);
    }
  }
}
