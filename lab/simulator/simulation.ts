import { RepositoryUnavailableError } from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { runDeliveryProgram } from './actors/delivery-program.ts';
import type { QuotaLimits } from './engines/service-quotas.ts';
import type { SimulatedContainer } from './engines/simulated-fargate.ts';
import { setResolverRemote } from './lambda-functions.ts';
import { createOperatorItem } from './operator-item.ts';
import { OracleKnowledge } from './oracle/knowledge.ts';
import { SimulatedCloud } from './simulated-cloud.ts';
import { SimulatedRemote } from './simulated-remote.ts';
import type { SimulationPlan } from './simulation-plan.ts';
import { SimulatedWorld } from './world/simulated-world.ts';

/** One run: the world, the deployment in it, and what is known of it from outside. */
export class Simulation {
  readonly plan: SimulationPlan;
  readonly world: SimulatedWorld;
  readonly cloud: SimulatedCloud;
  readonly remote: SimulatedRemote;
  readonly knowledge = new OracleKnowledge();
  readonly operatorToken: string;
  /** Somebody else, who does no work. */
  readonly reviewerToken: string;

  constructor(
    plan: SimulationPlan,
    tells: boolean,
    program: (box: SimulatedContainer, of: Simulation) => Promise<void>,
    limits: QuotaLimits | null = null,
  ) {
    this.plan = plan;
    this.world = new SimulatedWorld({ ...plan, seed: String(plan.seed) }, tells);
    this.remote = new SimulatedRemote(this.world.clock.now);
    this.cloud = new SimulatedCloud(
      this.world,
      (box) => program(box, this),
      (delivery) => runDeliveryProgram(delivery, this),
      limits,
    );
    const asked = <Answer>(what: string, answer: () => Answer): Promise<Answer> =>
      this.world.callService(
        'git',
        () => what,
        answer,
        () => new RepositoryUnavailableError('no answer', true),
      );
    setResolverRemote(
      () => asked('ls-remote', () => this.remote.refs()),
      (_repository, _commit, paths) => asked('read files', () => new Map(paths.map((path) => [path, null]))),
      (milliseconds) => this.world.clock.sleep(milliseconds),
    );
    this.operatorToken = createOperatorItem(this.cloud.table);
    this.reviewerToken = createOperatorItem(this.cloud.table, 'reviewer');
  }
}
