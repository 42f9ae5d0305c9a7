import { describe, expect, it } from 'vitest';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ContainerCapacity } from '../../shared/control/admission/container-capacity.ts';
import { FUNCTION_IDS, only, synthesise } from './synthesise.ts';

/** What the dispatcher is told of boxes. */
function roomOf(context: Record<string, unknown> = {}): ContainerCapacity {
  const { Properties } = only(synthesise(context), 'AWS::Lambda::Function', FUNCTION_IDS['dispatcher']);
  return ContainerCapacity.parse(
    JSON.parse(Properties['Environment']['Variables'][FUNCTION_ENV_NAMES.containerCapacity]),
  );
}

describe('where boxes run', () => {
  it('is Spot for gates alone where nothing is said, within the quotas of a new account', () => {
    const { containers: boxes, limits } = roomOf();
    expect([boxes.agent.pool, boxes.gates.pool]).toEqual(['on_demand', 'spot']);
    expect(limits).toEqual({ on_demand: 6 * 1_024, spot: 6 * 1_024 });
  });

  it('is what the settings say', () => {
    const { containers: boxes, limits } = roomOf({
      'assay:spot': '["agent","gates"]',
      'assay:spotVcpus': '64',
    });
    expect([boxes.agent.pool, boxes.gates.pool]).toEqual(['spot', 'spot']);
    expect(limits.spot).toBe(64 * 1_024);
  });
});
