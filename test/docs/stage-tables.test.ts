import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { AUTONOMY_LEVELS, AUTONOMY_PRESETS } from '../../shared/contract/approval/autonomy.ts';
import { actionRisk, KNOWN_ACTIONS, RISK_LEVELS } from '../../shared/contract/approval/risk.ts';
import { WORK_REQUEST_LIFECYCLE, WORK_REQUEST_STATUSES } from '../../shared/contract/intake/status.ts';
import { REVIEW_CLIENT_STRATEGIES, ReviewSettings } from '../../shared/contract/review/review-settings.ts';
import { REVIEW_STAGES } from '../../shared/contract/review/review-stage-names.ts';
import { VISION_CATEGORIES, VISION_VERIFIERS } from '../../shared/contract/review/vision-kinds.ts';
import { VisualExpectation } from '../../shared/contract/review/vision-settings.ts';
import { NODE_KIND_NAMES } from '../../shared/contract/workflow/kinds.ts';

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
/** Cells of the row of a page that begins with this. */
const row = (name: string, first: string): string[] => {
  const found = page(name)
    .split('\n')
    .find((line) => line.startsWith(`| ${first} `));
  if (found === undefined) throw new Error(`docs/${name}.md has no row "${first}"`);
  return found.split('|').slice(1, -1);
};
/** What stands as code in a cell. */
const named = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

it.each(['clarify', 'approve'] as const)(
  'docs/how-to/intake.md tells from where to where %s leads',
  (move) => {
    const [, from, to] = row('how-to/intake', `\`POST /requests/{id}/${move}\``);
    expect(named(from)).toEqual(WORK_REQUEST_LIFECYCLE.transitions[move].from);
    expect(named(to)[0]).toBe(WORK_REQUEST_LIFECYCLE.transitions[move].to);
  },
);

it('docs/how-to/intake.md says that a no comes from any state but the ends', () => {
  const [, from, to] = row('how-to/intake', '`POST /requests/{id}/reject`');
  expect(from?.trim()).toBe('any but the two ends');
  expect(named(to)).toEqual([WORK_REQUEST_LIFECYCLE.transitions.reject.to]);
  expect(WORK_REQUEST_STATUSES.filter((status) => !WORK_REQUEST_LIFECYCLE.isTerminal(status))).toEqual(
    WORK_REQUEST_LIFECYCLE.transitions.reject.from,
  );
});

it.each(RISK_LEVELS)('docs/how-to/approvals.md names the actions of %s risk', (risk) => {
  const [, actions] = row('how-to/approvals', risk);
  expect(named(actions)).toEqual(KNOWN_ACTIONS.filter((action) => actionRisk(action) === risk));
});

it.each(AUTONOMY_LEVELS)('docs/how-to/approvals.md tells what %s leaves to an agent', (level) => {
  const { allowed } = AUTONOMY_PRESETS[level];
  const found = row('how-to/approvals', `\`${level}\`${level === 'semi' ? ' (default)' : ''}`)[1];
  if (level === 'full') expect(found?.trim()).toBe('all of low and medium risk');
  else expect(named(found)).toEqual(allowed);
});

it('docs/reference/vision.md has a row for each verifier and each kind of expectation, and names each category', () => {
  const cells = page('reference/vision')
    .split('\n')
    .flatMap((line) => named(line.split('|')[1]));
  const kinds = VisualExpectation.options.map(({ shape }) => shape.kind.value);
  for (const each of [...VISION_VERIFIERS, ...kinds]) expect(cells).toContain(each);
  for (const category of VISION_CATEGORIES) expect(page('reference/vision')).toContain(`\`${category}\``);
});

it('docs/reference/vision.md shows settings that can be used', () => {
  const [, example = ''] = /```yaml\n# in a workflow\n([\s\S]*?)```/.exec(page('reference/vision')) ?? [];
  const { review } = parse(example) as { review: unknown };
  expect(ReviewSettings.parse(review).vision).toMatchObject({ enabled: true, verifier: 'heuristic' });
});

it('docs/how-to/workflows.md has a row for each kind of node, and each stage and client of a review', () => {
  const cells = page('how-to/workflows')
    .split('\n')
    .flatMap((line) => named(line.split('|')[1]));
  for (const each of [...NODE_KIND_NAMES, ...REVIEW_STAGES]) expect(cells).toContain(each);
  for (const strategy of REVIEW_CLIENT_STRATEGIES) expect(page('how-to/workflows')).toContain(strategy);
});
