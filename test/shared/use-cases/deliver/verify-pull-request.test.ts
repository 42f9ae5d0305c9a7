import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminalStatus } from '../../../../shared/contract/task/status.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { ForgeError } from '../../../../shared/control/forge/forge.ts';
import { addSeconds, taskInReview } from '../../../support/builders.ts';
import {
  at,
  ForgeDeployment,
  type PullRequestEvent,
  SHOP,
  sha,
} from '../../../support/forge/forge-deployment.ts';

describe('verification of a pull request', () => {
  it('is one task for each head, with the texts of the issues that it closes', async () => {
    const deployment = new ForgeDeployment();
    const change = { action: 'opened', head: 1, second: 0 };
    const answers = await Promise.all([change, change, change].map((each) => deployment.deliver(each)));
    expect(answers.map(({ outcome }) => outcome).toSorted()).toContain('done');
    const made = await deployment.task(1);
    expect(made).toMatchObject({
      runner: 'pull_request',
      base_ref: 'main',
      created_by: 'forge:helpful[bot]',
      description: 'Fixes #12.\n\n## Issue 12: Round up\n\n2.5 becomes 3.',
      pull_request: { head_commit: sha(1), head_ref: 'refs/pull/7/head', issues: [12], from_fork: false },
    });
    expect(made?.version).toBe(1);
  });

  it('takes signals from a block of the text, none that asks a model, and says why it took none', async () => {
    const verified = async (block: string) => {
      const deployment = new ForgeDeployment();
      const body = `Rounds.\n\n\`\`\`assay\n${block}\n\`\`\`\nMore.`;
      await deployment.deliver({ action: 'opened', head: 1, second: 0, fields: { body } });
      const { pull_request, description, completion_signals } = (await deployment.task(1)) as Task;
      expect(completion_signals).toEqual([]);
      return { signals: pull_request?.author_signals, description };
    };
    const { signals } = await verified('signals:\n  - { type: path_exists, path: round.js }');
    expect(signals).toEqual([{ type: 'path_exists', path: 'round.js' }]);
    for (const [block, why] of [
      ['signals: [{ type: llm_judge, criteria: good }]', 'cannot ask a model'],
      ['signals: [{ type: file_contains, path: a, regex: "(" }]', 'not a valid RE2'],
      ['verdict: pass', 'verdict is not a known field'],
      ['signals: [', 'assay block:'],
    ] as const)
      expect(await verified(block)).toEqual({
        signals: undefined,
        description: expect.stringMatching(new RegExp(`block above was not read: .*${why}`)),
      });
  });

  it.each([
    ['a person without the label', { user: { login: 'ada', type: 'User' } }, 'ignored'],
    [
      'a person with the label',
      { user: { login: 'ada', type: 'User' }, labels: [{ name: 'assay' }] },
      'done',
    ],
    ['a draft of a bot', { draft: true }, 'ignored'],
    ['a bot, but it is closed', { state: 'closed' }, 'ignored'],
    ['a draft with the label', { draft: true, labels: [{ name: 'assay' }] }, 'done'],
  ])('is selected by the settings: %s', async (_, fields, outcome) => {
    const deployment = new ForgeDeployment();
    expect((await deployment.change({ action: 'opened', head: 1, second: 0, fields })).outcome).toBe(outcome);
  });

  it('supersedes the one that runs when another head is pushed, and a late event supersedes nothing', async () => {
    const deployment = new ForgeDeployment();
    await deployment.deliver({ action: 'opened', head: 1, second: 0 });
    await deployment.deliver({ action: 'synchronize', head: 3, before: 2, second: 20 });
    await deployment.deliver({ action: 'synchronize', head: 2, before: 1, second: 10 });
    const states = await Promise.all([1, 2, 3].map(async (head) => (await deployment.task(head))?.status));
    expect(states).toEqual(['cancelled', 'cancelled', 'open']);
  });

  it('ends with the pull request, and begins anew when that is opened again', async () => {
    const deployment = new ForgeDeployment();
    await deployment.deliver({ action: 'opened', head: 1, second: 0 });
    expect(await deployment.deliver({ action: 'closed', head: 1, second: 5 })).toMatchObject({
      outcome: 'done',
    });
    expect(await deployment.deliver({ action: 'closed', head: 1, second: 5 })).toMatchObject({
      outcome: 'ignored',
    });
    expect(await deployment.task(1)).toMatchObject({ status: 'cancelled' });
    const again = await deployment.deliver({ action: 'reopened', head: 1, second: 9 });
    expect(again.task_id).not.toBe((await deployment.task(1))?.id);
    expect(await deployment.deliver({ action: 'reopened', head: 1, second: 9 })).toMatchObject({
      outcome: 'ignored',
    });
    expect(await deployment.store.get(again.task_id ?? '')).toMatchObject({ status: 'open' });
    // The event that it was closed comes once more, late.
    expect(await deployment.deliver({ action: 'closed', head: 1, second: 5 })).toMatchObject({
      outcome: 'ignored',
    });
  });

  it('keeps what became of work that it passed: merged, and reverted by a later pull request', async () => {
    const deployment = new ForgeDeployment();
    await deployment.deliver({ action: 'opened', head: 1, second: 0 });
    const { id } = (await deployment.task(1)) as Task;
    for (const [event, status] of [
      ['claim', 'claimed'],
      ['report', 'in_review'],
      ['accept', 'done'],
    ] as const)
      await deployment.store.apply(id, (each) => ({
        event,
        task: { ...each, status, version: each.version + 1, ended_at: at(3) },
      }));
    const merged = { ...{ merged: true, merged_at: at(5), merge_commit_sha: sha(9) }, state: 'closed' };
    await deployment.deliver({ action: 'closed', head: 1, second: 5, fields: merged });
    await deployment.deliver({ action: 'closed', head: 1, second: 5, fields: merged });
    expect((await deployment.task(1))?.delivery_outcomes).toEqual([
      { outcome: 'merged', at: at(5), by: 'helpful[bot]', request: 7, commit: sha(9) },
    ]);
    deployment.mergedWork.set('request#7', id);
    const undo = { ...merged, merged_at: at(9), body: 'Reverts acme/shop#7', merge_commit_sha: sha(10) };
    await deployment.deliver({ action: 'closed', number: 8, head: 2, second: 9, fields: undo });
    expect((await deployment.task(1))?.delivery_outcomes).toMatchObject([
      { outcome: 'merged' },
      { outcome: 'reverted', request: 8 },
    ]);
  });

  it('begins anew on another base', async () => {
    const deployment = new ForgeDeployment();
    await deployment.deliver({ action: 'opened', head: 1, second: 0 });
    const edited = { action: 'edited', head: 1, second: 4 };
    expect(await deployment.deliver(edited)).toMatchObject({ outcome: 'ignored' });
    const moved = await deployment.hear('pull_request', {
      action: 'edited',
      changes: { base: { ref: { from: 'main' } } },
      sender: { login: 'ada' },
      pull_request: {
        number: 7,
        title: 'Round up',
        body: '',
        user: { login: 'helpful[bot]', type: 'Bot' },
        updated_at: at(5),
        head: { ref: 'round', sha: sha(1), repo: { full_name: 'acme/shop' } },
        base: { ref: 'next', repo: { full_name: 'acme/shop' } },
      },
    });
    await deployment.follow(moved.task_id ?? '');
    expect(await deployment.task(1)).toMatchObject({ status: 'cancelled' });
    expect(await deployment.store.get(moved.task_id ?? '')).toMatchObject({
      status: 'open',
      base_ref: 'next',
      pull_request: { base_branch: 'next' },
    });
  });

  it('takes 200 pull requests at once, each told twice', async () => {
    const deployment = new ForgeDeployment();
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
    await Promise.all(
      [...numbers, ...numbers].map((number) =>
        deployment.deliver({ action: 'opened', number, head: number, second: 0 }),
      ),
    );
    const made = await Promise.all(numbers.map((number) => deployment.task(number, number)));
    expect(made.filter((each) => each?.status === 'open')).toHaveLength(200);
    expect(made.every((each) => each?.version === 1)).toBe(true);
  });

  it('leaves exactly the last head to verify, whatever order events come in and however often', async () => {
    const pushes = fc.record({
      heads: fc.integer({ min: 1, max: 5 }),
      sameSecond: fc.boolean(),
      order: fc.array(fc.nat({ max: 99 }), { minLength: 5, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(pushes, async ({ heads, sameSecond, order }) => {
        const deployment = new ForgeDeployment();
        const events = Array.from({ length: heads }, (_, index) => ({
          action: index === 0 ? 'opened' : 'synchronize',
          head: index + 1,
          ...(index > 0 && { before: index }),
          second: sameSecond ? Math.floor(index / 2) : index,
        }));
        // Some twice, all at least once, in any order.
        const queue: PullRequestEvent[] = [
          ...events,
          ...order.flatMap((pick) => events[pick % events.length] ?? []),
        ];
        for (let index = queue.length - 1; index > 0; index--) {
          const other = (order[index % order.length] ?? 0) % (index + 1);
          [queue[index], queue[other]] = [queue[other] as PullRequestEvent, queue[index] as PullRequestEvent];
        }
        for (const each of queue) await deployment.deliver(each);
        for (const { head } of events) {
          const { status = 'none' } = (await deployment.task(head)) ?? {};
          expect(head === heads ? isTerminalStatus(status as Task['status']) : status).toBe(
            head === heads ? false : 'cancelled',
          );
        }
        const current = await deployment.pullRequests.findTask(SHOP, 7);
        expect(current).toBe((await deployment.task(heads))?.id);
      }),
      { numRuns: 200 },
    );
  });
});

/** What happens to one pull request, a second after the other. */
type Step = 'push' | 'close or reopen' | 'retarget';

/** The events of a history, with what GitHub says of the pull request in each. */
function eventsOf(steps: readonly Step[]): {
  readonly events: PullRequestEvent[];
  readonly isOpen: boolean;
  readonly head: number;
  readonly base: string;
} {
  let [head, base, isOpen] = [1, 'main', true];
  const events = (['open', ...steps] as const).map((step, second): PullRequestEvent => {
    const before = head;
    if (step === 'push') head++;
    if (step === 'retarget') base = base === 'main' ? 'next' : 'main';
    if (step === 'close or reopen') isOpen = !isOpen;
    const action = {
      open: 'opened',
      push: 'synchronize',
      retarget: 'edited',
      'close or reopen': isOpen ? 'reopened' : 'closed',
    }[step];
    return {
      ...{ action, head, second },
      ...(step === 'push' && { before }),
      ...(step === 'retarget' && { changes: { base: { ref: { from: 'before' } } } }),
      fields: {
        state: isOpen ? 'open' : 'closed',
        base: { ref: base, repo: { full_name: 'acme/shop' } },
      },
    };
  });
  return { events, isOpen, head, base };
}

it('leaves the last state of a pull request to verify, or nothing when it is closed, in any order of events', async () => {
  const histories = fc.record({
    steps: fc.array(fc.constantFrom<Step>('push', 'close or reopen', 'retarget'), { maxLength: 7 }),
    twice: fc.array(fc.nat({ max: 99 }), { maxLength: 5 }),
    order: fc.infiniteStream(fc.nat({ max: 999 })),
    /** Whether the stream is read only after all events. */
    isStreamLate: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(histories, async ({ steps, twice, order, isStreamLate }) => {
      const deployment = new ForgeDeployment();
      const { events, isOpen, head, base } = eventsOf(steps);
      const queue = [...events, ...twice.flatMap((pick) => events[pick % events.length] ?? [])];
      const made = new Set<string>();
      while (queue.length > 0) {
        const [event] = queue.splice((order.next().value as number) % queue.length, 1);
        const { outcome, task_id } = await deployment.change(event as PullRequestEvent);
        if (outcome !== 'done' || task_id === null) continue;
        made.add(task_id);
        if (!isStreamLate) await deployment.follow(task_id);
      }
      // The stream is read at least once for each task, in any order.
      for (const id of [...made].toSorted(() => ((order.next().value as number) % 2 ? 1 : -1)))
        await deployment.follow(id);
      const live = (await Promise.all([...made].map((id) => deployment.store.require(id)))).filter(
        ({ status }) => !isTerminalStatus(status),
      );
      expect(live.map((each) => [each.pull_request?.head_commit, each.base_ref])).toEqual(
        isOpen ? [[sha(head), base]] : [],
      );
    }),
    { numRuns: 500 },
  );
});

describe('comments on a pull request', () => {
  const comment = (login: string, body: string, second = 100, id = 5) => ({
    action: 'created',
    issue: { number: 7, title: 'Round up', body: '', updated_at: at(second), pull_request: {} },
    comment: { id, body, created_at: at(second), author_association: 'MEMBER', user: { login } },
  });
  const held = async (deployment: ForgeDeployment): Promise<string> => {
    await deployment.deliver({ action: 'opened', head: 1, second: 0 });
    const made = (await deployment.task(1)) as Task;
    const {
      id: _id,
      runner: _runner,
      pull_request: _pull,
      version: _version,
      ...held
    } = taskInReview(
      {},
      {
        hold: { reasons: ['assay.yaml changes'], since: addSeconds(50).toISOString() },
      },
    );
    const step = (event: 'claim' | 'report', fields: Partial<Task>) =>
      deployment.store.apply(made.id, (each) => ({
        event,
        task: { ...each, ...fields, version: each.version + 1 },
      }));
    await step('claim', { status: 'claimed' });
    await step('report', held);
    return made.id;
  };

  it('approve held work for people who may push, never for its author, and not before it is held', async () => {
    const deployment = new ForgeDeployment();
    const id = await held(deployment);
    const approve = (login: string, second?: number, commit = sha(1).slice(0, 8)) =>
      deployment.hear('issue_comment', comment(login, `/assay approve ${commit} we want that`, second));
    expect(await approve('eve')).toMatchObject({ outcome: 'ignored' });
    for (const each of ['ada', 'helpful[bot]']) deployment.writers.add(each);
    expect(await approve('helpful[bot]')).toMatchObject({ outcome: 'ignored' });
    expect(await approve('ada', 40)).toMatchObject({ outcome: 'ignored' });
    expect((await deployment.store.require(id)).hold).not.toBeNull();
    expect(deployment.replies).toEqual([
      expect.stringContaining('the author of a pull request cannot approve it'),
      expect.stringContaining('older than the result'),
    ]);
    for (const commit of ['', sha(1).slice(0, 6), sha(2).slice(0, 8)])
      expect(await approve('ada', 100, commit)).toMatchObject({ outcome: 'ignored' });
    expect(deployment.replies.slice(2)).toEqual(
      Array.from({ length: 3 }, () =>
        expect.stringContaining(`/assay approve ${sha(1).slice(0, 12)} REASON`),
      ),
    );
    expect((await deployment.store.require(id)).hold).not.toBeNull();
    expect(await approve('ada')).toMatchObject({ outcome: 'done', task_id: id });
    expect(await approve('ada')).toMatchObject({ outcome: 'ignored' });
    expect((await deployment.store.require(id)).review).toMatchObject({
      decision: 'approve',
      by: 'forge:ada',
      reason: 'we want that',
    });
  });

  it('have the forge try again what may work later, and ignore what will not', async () => {
    const deployment = new ForgeDeployment();
    const ask = () => deployment.hear('issue_comment', comment('ada', '/assay verify'));
    deployment.connectError = new ForgeError('the forge cannot be reached', null, true);
    await expect(ask()).rejects.toMatchObject({ code: 'busy', message: 'the forge cannot be reached' });
    deployment.connectError = new ForgeError('the App is not installed', 404, false);
    expect(await ask()).toMatchObject({ outcome: 'ignored', reason: 'the App is not installed' });
  });

  it('have a verification explained, once for each comment', async () => {
    const deployment = new ForgeDeployment();
    await held(deployment);
    deployment.writers.add('ada');
    expect(await deployment.hear('issue_comment', comment('ada', 'why?\n/assay explain'))).toMatchObject({
      outcome: 'done',
    });
    expect(deployment.replies).toEqual([
      expect.stringMatching(/^<!-- assay answer to 5 -->\n[\s\S]*A reviewer decides, because:/),
    ]);
  });

  it('are answered so many times within an hour, and a comment that is told of again does not count', async () => {
    const deployment = new ForgeDeployment();
    await held(deployment);
    deployment.writers.add('ada');
    const explain = (id: number) =>
      deployment.hear('issue_comment', comment('ada', '/assay explain', 100, id));
    for (let id = 1; id <= 10; id++)
      for (const told of [id, id]) expect(await explain(told)).toMatchObject({ outcome: 'done' });
    for (const id of [11, 12])
      expect(await explain(id)).toMatchObject({
        outcome: 'ignored',
        reason: expect.stringContaining('hour'),
      });
    expect(deployment.replies.at(-1)).toContain('Nothing was started');
  });

  it('have the present head verified again', async () => {
    const deployment = new ForgeDeployment({
      number: 7,
      title: 'Round up',
      body: 'Anew.',
      author: 'bob',
      author_kind: 'person',
      labels: [],
      is_draft: false,
      is_open: true,
      from_fork: true,
      branch: 'round',
      base: 'main',
      head_commit: sha(4),
      head_ref: 'refs/pull/7/head',
    });
    deployment.writers.add('ada');
    const asked = comment('ada', '/assay verify');
    const heard = await deployment.hear('issue_comment', asked);
    expect(heard).toMatchObject({ outcome: 'done' });
    expect(await deployment.hear('issue_comment', asked)).toMatchObject({ outcome: 'ignored' });
    expect(await deployment.store.get(heard.task_id ?? '')).toMatchObject({
      created_by: 'forge:ada',
      pull_request: { author: 'bob', from_fork: true, head_commit: sha(4) },
    });
  });
});
