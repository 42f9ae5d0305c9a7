import type { ApiCaller } from '../../shared/api/routes.ts';
import type { OperatorRole } from '../../shared/contract/access/rights.ts';

/** What the authorizer hands to the functions. API Gateway carries flat values only. */
export interface CallerIdentity {
  readonly caller: ApiCaller;
  readonly principal: string;
  /** Of an operator: the role of the token, empty for boxes. */
  readonly role: OperatorRole | '';
  /** Of an operator: URLs of the repositories, or of what they are under, as a JSON array; empty for all, and for boxes. */
  readonly repositories: string;
  /** Empty for operators. */
  readonly task_id: string;
  /** 0 for operators. */
  readonly attempt: number;
  /** Number of the container whose token it is; 0 for operators. */
  readonly launch: number;
  /** Of an operator: when the token ends, in seconds of Unix time; 0: never, and for boxes, whose end is told by their task. */
  readonly ends_at: number;
}

/** What is said of those whom it does not concern. */
export const EMPTY_CALLER_IDENTITY = {
  role: '',
  repositories: '',
  task_id: '',
  attempt: 0,
  launch: 0,
  ends_at: 0,
} as const satisfies Partial<CallerIdentity>;
