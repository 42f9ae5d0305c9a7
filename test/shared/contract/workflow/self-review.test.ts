import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { reviewHeldTask } from '../../../../shared/control/task-commands/operator-commands.ts';
import { recordVerdict } from '../../../../shared/control/task-commands/record-verification.ts';
import { startAttempt } from '../../../../shared/control/task-commands/start-attempt.ts';
import {
  DEFAULT_WORKFLOW,
  findBuiltinWorkflow,
} from '../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import { createJudgementWithoutOpinion } from '../../../../shared/reviews/engine/engine.ts';
import { RUBRIC_GRADING_REVIEWER } from '../../../../shared/reviews/reviewers/rubric-grading.ts';
import { createEmptyGradingRecord } from '../../../../shared/reviews/rubric/grading.ts';
import { ItemTable } from '../../../../shared/store/item-table.ts';
import { TaskStore } from '../../../../shared/store/task-store.ts';
import { FIXED_NOW, fakeSha1, task, verdict } from '../../../support/builders.ts';
import { evidenceRecord, held } from './support.ts';

const inForce = resolveWorkflow(findBuiltinWorkflow('verification-pipeline') ?? DEFAULT_WORKFLOW, task(), {
  from: 'builtin',
  rubrics: [],
});
const tree = fakeSha1('b');

describe('nobody judges their own work', () => {
  it('by reviewing what they have claimed; of a managed task nobody did the work by hand', () => {
    const own = held({ runner: 'external' }, 'ann');
    expect(() => reviewHeldTask(own, 'approve', 'good', 'ann', { tree }, FIXED_NOW)).toThrow(
      expect.objectContaining({ code: 'self_review' }),
    );
    expect(reviewHeldTask(own, 'approve', 'good', 'bob', { tree }, FIXED_NOW)?.task.review?.by).toBe('bob');
    expect(
      reviewHeldTask(held({}, 'managed'), 'approve', 'good', 'managed', { tree }, FIXED_NOW),
    ).not.toBeNull();
  });

  it('by claiming what they are to grade', () => {
    const open = task({ runner: 'external', status: 'open', resolved_workflow: inForce });
    const claim = (holder: string) =>
      startAttempt(open, {
        model: null,
        tier: null,
        effort: 'medium',
        route: { rule: 'r', reason: 'r' },
        leaseHolder: holder,
        leaseSeconds: 60,
        agentLaunch: null,
        now: FIXED_NOW,
      });
    expect(() => claim('evaluator-agent')).toThrow(expect.objectContaining({ code: 'self_review' }));
    expect(claim('ann').task.status).toBe('claimed');
  });

  it('by a verdict that names them as evaluator', () => {
    const [node] = inForce.verifications;
    if (!node) throw new Error('the pipeline has a node');
    const judgement = {
      ...createJudgementWithoutOpinion(RUBRIC_GRADING_REVIEWER, { of: node }, { code: 'unknown_writer' }),
      grading: {
        ...createEmptyGradingRecord(node),
        handoff: {
          from_agent_id: 'x',
          to_agent_id: 'ann',
          from_stage: 'a',
          to_stage: 'b',
          artifact_refs: [],
          probes: [],
          probes_omitted: 0,
          payload_sha256: 'a'.repeat(64),
          created_at: FIXED_NOW.toISOString(),
        },
      },
    };
    const seen = evidenceRecord(held({ runner: 'external' }, 'ann'));
    const said = verdict({ verdict: 'pass', tree, judgements: [judgement] });
    expect(() => recordVerdict(seen, 1, said, FIXED_NOW)).toThrow(
      expect.objectContaining({ code: 'self_review' }),
    );
  });

  it('by a write: the table compares with who holds the attempt in the item that is there', async () => {
    const puts: PutCommand['input'][] = [];
    const send = async (command: unknown): Promise<unknown> => {
      if (command instanceof PutCommand) puts.push(command.input);
      return {};
    };
    const store = new TaskStore(new ItemTable({ send } as unknown as DynamoDBDocumentClient, 'tasks'));
    const own = held({ runner: 'external' }, 'ann');
    await store.applyCommand(own, (each: Task) =>
      reviewHeldTask(each, 'approve', 'good', 'bob', { tree }, FIXED_NOW),
    );
    expect(puts[0]).toMatchObject({
      ConditionExpression: expect.stringContaining('AND NOT #attempts[0].#holder IN (:judge0)'),
      ExpressionAttributeNames: { '#attempts': 'attempts', '#holder': 'lease_holder' },
      ExpressionAttributeValues: { ':judge0': 'bob' },
    });
  });
});
