import { describe, expect, it } from 'vitest';
import { ENV } from '../../shared/contract/names.ts';
import { BoxRoom } from '../../shared/control/admission/box-room.ts';
import { FUNCTION_IDS, only, synthesise } from './synthesise.ts';

/** What the dispatcher is told of boxes. */
function roomOf(context: Record<string, unknown> = {}): BoxRoom {
  const { Properties } = only(synthesise(context), 'AWS::Lambda::Function', FUNCTION_IDS['dispatcher']);
  return BoxRoom.parse(JSON.parse(Properties['Environment']['Variables'][ENV.boxRoom]));
}

describe('where boxes run', () => {
  it('is Spot for gates alone where nothing is said, within the quotas of a new account', () => {
    const { boxes, limits } = roomOf();
    expect([boxes.agent.pool, boxes.gates.pool]).toEqual(['on_demand', 'spot']);
    expect(limits).toEqual({ on_demand: 6 * 1_024, spot: 6 * 1_024 });
  });

  it('is what the settings say', () => {
    const { boxes, limits } = roomOf({ 'assay:spot': '["agent","gates"]', 'assay:spotVcpus': '64' });
    expect([boxes.agent.pool, boxes.gates.pool]).toEqual(['spot', 'spot']);
    expect(limits.spot).toBe(64 * 1_024);
  });
});
