import { RepositoryUnavailable } from '../../shared/use-cases/cascade/base.ts';

/** A repository has answered with more than is taken. Of one file that is a fault of the file, and not of the repository. */
export class TooLarge extends RepositoryUnavailable {
  constructor(message: string) {
    super(message, false);
  }
}
