import { RepositoryUnavailableError } from '../../shared/use-cases/cascade/resolve-base-commit.ts';

/** A repository has answered with more than is taken. Of one file that is a fault of the file, and not of the repository. */
export class ResponseTooLargeError extends RepositoryUnavailableError {
  constructor(message: string) {
    super(message, false);
  }
}
