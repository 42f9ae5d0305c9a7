import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runGates as gather } from '../../containers/gates/run-gates.ts';
import { truncateEvidenceToLimit } from '../../containers/gates/truncate-evidence.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { commitUnusualPaths, UNUSUAL_PATHS } from '../support/unusual-tree.ts';
import { gatesAssignment, inBox, startBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import { type Work, work } from './work.ts';

let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(() => api.stop());

const runGates = async (of: Work, more: Partial<GatesAssignment> = {}, env: Record<string, string> = {}) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  await inBox((box) => gather(gatesAssignment(api, of.repository.url, of, more), box));
  return {
    body: api.bodies('evidence')[0] as { evidence?: Evidence; failure_code?: string; message?: string },
  };
};

describe('the gates box', () => {
  test('that is told to end says so, and nothing of the patch', async () => {
    const of = work(
      { 'assay.yaml': 'quality_gates: { lint_command: "echo looked >&2", pii_scan: false }\n' },
      { 'b.txt': 'b\n' },
    );
    const started = `${of.repository.dir}/.git/started`;
    const box = startBox(
      ['containers/gates/main.ts'],
      api,
      gatesAssignment(api, of.repository.url, of, {
        signals: [{ type: 'test_passes', command: `touch ${started}; sleep 600`, timeout_s: 600 }],
      }),
    );
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 60_000, interval: 20 });
    box.child.kill('SIGTERM');
    expect((await box.ended).code).toBe(143);
    expect(api.bodies('evidence')).toEqual([
      { failure_code: 'interrupted', message: 'the container was told to end' },
    ]);
    expect([...api.objects.keys()].filter((path) => path.startsWith('/memory/'))).toEqual([]);
  });

  test('remembers results for the next box that looks at the same tree', async () => {
    const of = work(
      { 'assay.yaml': 'quality_gates: { lint_command: "echo looked >&2", pii_scan: false }\n' },
      { 'b.js': 'b\n' },
    );
    const cached = async () => {
      api.calls.length = 0;
      return Object.fromEntries(
        ((await runGates(of)).body.evidence?.gates ?? []).map((gate) => [gate.name, gate.cached]),
      );
    };
    const [first, second] = [await cached(), await cached()];
    expect(first).toMatchObject({ lint: false, dlp_scan: false });
    expect(second).toMatchObject({ lint: true, dlp_scan: true });
    expect([...api.objects.keys()].filter((path) => path.startsWith('/memory/'))).toHaveLength(1);
    expect(api.calls.map(({ route }) => route)).toEqual(['memory', 'evidence']);
  });

  test('remembers nothing where the configuration forbids it', async () => {
    const of = work(
      { 'assay.yaml': 'quality_gates: { cache_enabled: false, lint_command: "true" }\n' },
      { 'b.js': 'b\n' },
    );
    await runGates(of);
    expect(api.calls.map(({ route }) => route)).toEqual(['evidence']);
  });

  test('remembers nothing when it cannot tell which image its tools come from', async () => {
    const of = work({ 'assay.yaml': 'quality_gates: { lint_command: "true" }\n' }, { 'b.txt': 'b\n' });
    const { body } = await runGates(of, {}, { ECS_CONTAINER_METADATA_URI_V4: `${api.url}/nowhere` });
    expect(body.evidence?.gates[0]).toMatchObject({ name: 'lint', outcome: 'passed' });
    expect([...api.objects.keys()].filter((path) => path.startsWith('/memory/'))).toEqual([]);
  });

  test('does not take what one image said for the word of another', async () => {
    const of = work({ 'assay.yaml': 'quality_gates: { lint_command: "true" }\n' }, { 'b.txt': 'b\n' });
    const cachedIn = async (image: string) => {
      api.objects.set('/metadata', Buffer.from(JSON.stringify({ ImageID: image })));
      api.calls.length = 0;
      const { body } = await runGates(of, {}, { ECS_CONTAINER_METADATA_URI_V4: `${api.url}/metadata` });
      return body.evidence?.gates[0]?.cached;
    };
    expect(await cachedIn('sha256:1')).toBe(false);
    expect(await cachedIn('sha256:2')).toBe(false);
    expect(await cachedIn('sha256:1')).toBe(true);
  });

  test('stores all findings beside the evidence', async () => {
    const of = work(
      {
        'a.txt': 'a\n',
        'assay.yaml': 'quality_gates: { merge_conflict_check: true }\n',
      },
      { 'a.txt': 'a\nb\nc\nd\n', 'b.txt': '<<<<<<< ours\n=======\n>>>>>>> theirs\n' },
    );
    await runGates(of);
    const stored = JSON.parse(api.objects.get('/objects/findings')?.toString('utf8') ?? '{}');
    const evidence = api.bodies('evidence')[0] as { evidence: Evidence };
    expect(stored.version).toBe('2.1.0');
    expect(stored.runs[0].results).toHaveLength(
      evidence.evidence.gates.reduce((sum, { findings }) => sum + findings.length, 0),
    );
    expect(stored.runs[0].results.length).toBeGreaterThan(0);
  });

  test('stores the result of each test beside the evidence, also where it is remembered', async () => {
    const of = work(
      {
        'a.test.mjs': "import { test } from 'node:test';\ntest('adds up', () => {});\n",
        'assay.yaml': 'quality_gates: { tests: true, test_command: "node --test" }\n',
      },
      { 'b.js': 'b\n' },
    );
    const stored = async () => {
      api.objects.delete('/objects/tests');
      await runGates(of);
      return api.objects.get('/objects/tests')?.toString('utf8') ?? '';
    };
    const first = await stored();
    expect(first).toMatch(/<testsuite name="tests" tests="1" failures="0"/);
    expect(first).toContain('adds up');
    expect(await stored()).toBe(first);
  });

  test('reports its evidence also where the findings cannot be stored', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    api.answer = ({ route }) => (route === 'upload' ? { status: 409, body: { detail: 'no' } } : null);
    const of = work(
      { 'assay.yaml': 'quality_gates: { merge_conflict_check: true }\n' },
      { 'b.txt': '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n' },
    );
    const { body } = await runGates(of);
    expect(body.evidence?.gates.find(({ name }) => name === 'merge_conflict')?.outcome).toBe('failed');
  });

  describe.each<[string, Record<string, string>, string]>([
    ['has not moved', {}, 'passed'],
    ['has moved elsewhere', { 'other.txt': 'x\n' }, 'passed'],
    ['has moved in the same place', { 'a.txt': 'theirs\n' }, 'failed'],
  ])('when the branch %s', (_, moved, outcome) => {
    test(`merge_conflict is "${outcome}"`, async () => {
      const of = work(
        { 'a.txt': 'a\n', 'assay.yaml': 'quality_gates: { merge_conflict_check: true }\n' },
        { 'a.txt': 'ours\n' },
      );
      of.repository.git('checkout', '--quiet', 'main');
      if (Object.keys(moved).length > 0) of.repository.commit(moved);
      const { body } = await runGates(of);
      const gate = body.evidence?.gates.find(({ name }) => name === 'merge_conflict');
      expect(gate).toMatchObject({ outcome, facts: { upstream_ref: 'main' } });
    });
  });

  test('says that merge_conflict could not run when the branch is gone', async () => {
    const of = work(
      { 'assay.yaml': 'quality_gates: { merge_conflict_check: true }\n' },
      { 'a.txt': 'ours\n' },
    );
    const { body } = await runGates(of, { base_ref: 'gone' });
    expect(body.evidence?.gates.find(({ name }) => name === 'merge_conflict')?.outcome).toBe('could_not_run');
  });

  test('reports evidence on the tree that was handed in', async () => {
    const of = work(
      {
        'a.txt': 'a\n',
        'assay.yaml': 'quality_gates: { lint_command: test -f b.txt, pii_scan: false, dlp_scan: false }\n',
      },
      { 'b.txt': 'b\n' },
    );
    const { body } = await runGates(of, { signals: [{ type: 'path_exists', path: 'b.txt' }] });
    expect(body.evidence).toMatchObject({
      base_commit: of.base_commit,
      tree: of.tree,
      empty_patch: false,
      changed_files: ['b.txt'],
      signals: [{ outcome: 'passed' }],
      gates: [{ name: 'lint', outcome: 'passed' }],
    });
  });

  test('looks at an empty patch as well', async () => {
    const of = work({ 'a.txt': 'a\n' }, {});
    const { body } = await runGates({ ...of, patch: Buffer.alloc(0) });
    expect(body.evidence).toMatchObject({ empty_patch: true, changed_files: [] });
  });

  test.each<[string, (of: Work) => Partial<GatesAssignment>, string, string]>([
    [
      'a tree that base and patch do not make',
      () => ({ tree: 'a'.repeat(40) }),
      'patch_does_not_apply',
      'was handed in',
    ],
    [
      'a patch that is not the promised one',
      () => ({ patch_sha256: 'a'.repeat(64) }),
      'patch_does_not_apply',
      'SHA-256 differs',
    ],
    [
      'a patch that is not there',
      () => ({ patch_url: `${api.url}/nothing` }),
      'patch_does_not_apply',
      'HTTP 404',
    ],
    ['a base that is not there', () => ({ base_commit: 'b'.repeat(40) }), 'base_ref_missing', 'has no'],
    [
      'a repository that is not there',
      () => ({ repository: 'file:///no/such' }),
      'repository_unavailable',
      'no/such',
    ],
  ])('says why there is no evidence: %s', async (_, more, failure_code, message) => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    const { body } = await runGates(of, more(of));
    expect(body).toEqual({ failure_code, message: expect.stringContaining(message) });
  });

  test.each(UNUSUAL_PATHS)('refuses a base commit with the path %s, and names it', async (path) => {
    const of = work({ 'a.txt': 'x\n' }, { 'b.txt': 'b\n' });
    const base_commit = commitUnusualPaths(of.repository, [path]);
    const { body } = await runGates(of, { base_commit });
    expect(body).toEqual({
      failure_code: 'base_tree_invalid',
      message: expect.stringContaining(`"${path}"`),
    });
  });

  test('says which key of the configuration is wrong, and on which line', async () => {
    const of = work({ 'assay.yaml': 'version: 1\nquality_gates:\n  lnt: true\n' }, { 'a.txt': 'b\n' });
    expect((await runGates(of)).body).toEqual({
      failure_code: 'config_invalid',
      message: 'assay.yaml:3: quality_gates.lnt is not a known key',
    });
  });

  test('gives commands nothing of its own environment', async () => {
    const of = work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
    const { body } = await runGates(
      of,
      {
        signals: [
          {
            type: 'test_passes',
            command: '! env | grep -iE "token|credential|assignment|NODE_OPTIONS"',
            timeout_s: 20,
          },
        ],
      },
      { GIT_CREDENTIAL: 'token', NODE_OPTIONS: '--no-warnings' },
    );
    expect(body.evidence?.signals[0]).toMatchObject({ outcome: 'passed' });
  });
});

test('evidence is cut until it fits into one request, and its outcomes are not touched', () => {
  const finding = { file: 'f', line: 1, rule: 'r', message: 'm'.repeat(500) };
  const evidence: Evidence = {
    schema_version: 1,
    base_commit: 'b',
    tree: 't',
    empty_patch: false,
    changed_files: Array.from({ length: 20_000 }, (_, index) => `folder/with/a/long/name/file-${index}.ts`),
    signals: [],
    gates: Array.from({ length: 20 }, (_, index) => ({
      name: `g${index}`,
      outcome: 'failed' as const,
      kind: 'executed' as const,
      required: true,
      blocked: true,
      cached: false,
      findings: Array.from({ length: 5_000 }, () => finding),
      detail: 'd'.repeat(2_000),
      duration_ms: 1,
      facts: {},
    })),
    expected_changes: [],
    protected_files: [],
    gathered_at: '2026-01-01T00:00:00Z',
    duration_ms: 1,
  };
  const fit = truncateEvidenceToLimit(evidence);
  expect(Buffer.byteLength(JSON.stringify(fit))).toBeLessThan(1_048_576);
  expect(fit.gates.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(
    evidence.gates.map(({ name, outcome }) => `${name} ${outcome}`),
  );
  expect(fit.gates[0]?.facts['findings_total']).toBe(5_000);
  const small = {
    ...evidence,
    changed_files: [],
    gates: evidence.gates.slice(0, 1).map((gate) => ({ ...gate, findings: [] })),
  };
  expect(truncateEvidenceToLimit(small)).toBe(small);
  // Reviewers are told what they do not see.
  const parts = [{ kind: 'change' as const, path: 'src/a.ts', text: 'x'.repeat(2_000_000) }];
  const reviewed = truncateEvidenceToLimit({ ...small, review_context: { parts, omitted: ['caller b.ts'] } });
  expect(reviewed.review_context).toEqual({ parts: [], omitted: ['change src/a.ts', 'caller b.ts'] });
});
