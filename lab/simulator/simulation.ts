import { RepositoryUnavailable } from '../../shared/use-cases/cascade/base.ts';
import { deliverProgram } from './actors/deliver.ts';
import { Cloud } from './cloud.ts';
import type { Box } from './engines/containers.ts';
import type { Limits } from './engines/quotas.ts';
import { useRemote } from './functions.ts';
import { createOperatorItem } from './operators.ts';
import { Knowledge } from './oracle/knowledge.ts';
import type { Plan } from './plan.ts';
import { Remote } from './remote.ts';
import { World } from './world/world.ts';

/** One run: the world, the deployment in it, and what is known of it from outside. */
export class Simulation {
  readonly plan: Plan;
  readonly world: World;
  readonly cloud: Cloud;
  readonly remote: Remote;
  readonly knowledge = new Knowledge();
  readonly operator: string;
  /** Somebody else, who does no work. */
  readonly person: string;

  constructor(
    plan: Plan,
    tells: boolean,
    program: (box: Box, of: Simulation) => Promise<void>,
    limits: Limits | null = null,
  ) {
    this.plan = plan;
    this.world = new World({ ...plan, seed: String(plan.seed) }, tells);
    this.remote = new Remote(this.world.clock.now);
    this.cloud = new Cloud(
      this.world,
      (box) => program(box, this),
      (delivery) => deliverProgram(delivery, this),
      limits,
    );
    const asked = <Answer>(what: string, answer: () => Answer): Promise<Answer> =>
      this.world.outside(
        'git',
        () => what,
        answer,
        () => new RepositoryUnavailable('no answer', true),
      );
    useRemote(
      () => asked('ls-remote', () => this.remote.refs()),
      (_repository, _commit, paths) => asked('read files', () => new Map(paths.map((path) => [path, null]))),
      (milliseconds) => this.world.clock.sleep(milliseconds),
    );
    this.operator = createOperatorItem(this.cloud.table);
    this.person = createOperatorItem(this.cloud.table, 'reviewer');
  }
}
