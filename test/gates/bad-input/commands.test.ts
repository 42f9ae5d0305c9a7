import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { Evidence } from '../../../shared/contract/evidence/schema.ts';
import { gatherEvidenceOn } from '../../support/gather-evidence.ts';
import { createTestRepository } from '../../support/git-repository.ts';
import { oneCommand, said } from './support.ts';

/** Runs one command as a gate, with a time limit of two seconds. */
/** The base passes at once: what fails there too would be nobody's failure. */
const ONLY_PATCH = 'test -e a.js || exit 0;';

async function running(line: string): Promise<Evidence> {
  const repository = createTestRepository({ 'assay.yaml': oneCommand(line, 'timeout_s: 2') });
  repository.write({ 'a.js': '1;\n' });
  return gatherEvidenceOn(repository);
}

/** Processes with this word on their command line. */
const alive = (word: string): number =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word) &&
        !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      );
    } catch {
      return false;
    }
  }).length;
const gone = (word: string): Promise<void> =>
  vi.waitFor(() => expect(alive(word)).toBe(0), { timeout: 5_000, interval: 10 });

const leavesNothing = async (_: string, line: string, outcome: string, word: string): Promise<void> => {
  const evidence = await running(line);
  expect(evidence.gates.map((gate) => gate.outcome)).toEqual([outcome]);
  await gone(word);
};

describe('a gate whose command', () => {
  test.each([
    [
      'leaves daemons that hold its output open',
      '(sleep 86401 &); (setsid sleep 86401 &); echo done',
      'passed',
      '86401',
    ],
    ['leaves a daemon without an environment', 'setsid env -i sleep 86402 & sleep 0.1', 'passed', '86402'],
    ['leaves many of them', 'for i in $(seq 100); do (setsid sleep 86403 &); done', 'passed', '86403'],
    [
      'starts itself again and again',
      "printf 'setsid bash r.sh 86404 & sleep 0.02' > r.sh; bash r.sh 86404",
      'passed',
      '86404',
    ],
  ])('%s has an outcome, and nothing of it is left', leavesNothing);

  // Each of these takes its whole time limit, most of it asleep.
  test.concurrent.each([
    [
      'does not listen to SIGTERM',
      "trap '' TERM INT HUP; while :; do sleep 86405 & wait; done",
      'timed_out',
      '86405',
    ],
    [
      'hides behind one that does not listen',
      'setsid bash -c "trap \'\' TERM; sleep 86406" 86406 & wait',
      'timed_out',
      '86406',
    ],
    ['stops itself', 'kill -STOP $$; sleep 86407', 'timed_out', '86407'],
  ])('%s has an outcome, and nothing of it is left', leavesNothing);

  test.each([
    ['asks for input', 'cat; read x; test -z "$x"', 'passed'],
    ['asks at a terminal', '! : < /dev/tty', 'passed'],
    ['ends all processes of its group', 'kill -9 0', 'infra_failed'],
    ['is longer than any', 'x'.repeat(4_000), 'could_not_run'],
    [
      'leaves pipes, links out of its folder and folders that nobody may enter',
      'mkfifo pipe "$TMPDIR/pipe"; ln -s / root; mkdir -p a/b; chmod 000 a',
      'passed',
    ],
    [
      'leaves paths that are too long',
      `for i in $(seq 40); do mkdir ${'d'.repeat(200)} && cd -P ${'d'.repeat(200)} || exit 1; done`,
      'passed',
    ],
    ['removes its own folder', 'rm -rf "$PWD" "$HOME" "$TMPDIR"; true', 'passed'],
    ['says no with bytes that are no text', "printf '\\377\\376\\000\\033[31m'; test ! -e a.js", 'failed'],
  ])('%s has an outcome', async (_, line, outcome) => {
    const evidence = await running(line);
    expect(evidence.gates.map((gate) => gate.outcome)).toEqual([outcome]);
    expect(JSON.parse(JSON.stringify(evidence)) as unknown).toEqual(evidence);
  });

  test.each([
    ['1 GB to standard output', `${ONLY_PATCH} head -c 1G /dev/zero; exit 1`, 2 ** 30],
    ['100 MB to standard error', `${ONLY_PATCH} head -c 100M /dev/zero >&2; exit 1`, 100 * 2 ** 20],
  ])('writes %s has failed, and says how much is not kept', async (_, line, bytes) => {
    const evidence = await gatherEvidenceOn(changed(oneCommand(line)));
    expect(said(evidence)).toEqual({ verdict: 'fail', not_passed: ['lint: failed'] });
    expect(evidence.gates[0]?.facts['output_bytes_cut']).toBe(bytes - 256 * 1024);
    expect(JSON.stringify(evidence).length).toBeLessThan(20_000);
  });

  test('writes 1 GB to its folders has passed, and all of it goes away', async () => {
    const line = 'truncate -s 1G big "$TMPDIR/big" "$HOME/big"; head -c 50M /dev/zero > full';
    expect(said(await gatherEvidenceOn(changed(oneCommand(line))))).toEqual({
      verdict: 'pass',
      not_passed: [],
    });
  });
});

function changed(config: string): ReturnType<typeof createTestRepository> {
  const repository = createTestRepository({ 'assay.yaml': config });
  repository.write({ 'a.js': '1;\n' });
  return repository;
}
