import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { DETECTOR_RANK, type Detector, type DetectorMatch } from '../scan/detector.ts';
import type { FileClassification } from '../scan/file-classification.ts';
import { classifyTokenSeverity } from './allowed-values.ts';

/** What a rule of the preset is to us. Its own types are in a package that we have no other use for. */
interface PresetRule {
  readonly meta: { readonly id: string };
  create(
    context: {
      readonly sharedOptions: object;
      createTranslator(messages: unknown): (id: string) => { message: string; messageId: string };
      report(found: { readonly range: readonly [start: number, end: number] }): void;
      ignore(): void;
    },
    options: object,
  ): {
    file?(source: { content: string; filePath: string; ext: string; contentType: 'text' }): unknown;
  };
}

/**
 * Where each rule of the preset can find something, and how far that reaches. A rule that is not in the list is new in the
 * preset; it is given the surroundings of everything in the list.
 */
export const SECRETLINT_RULE_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['npm_', '_authtoken', 'x-oauth-basic'],
  slack: ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-', 'hooks.slack.com'],
  sendgrid: ['sg.'],
  shopify: ['shppa_', 'shpca_', 'shpat_', 'shpss_'],
  stripe: ['sk_live', 'sk_test', 'rk_live', 'rk_test'],
  github: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
  gitlab: ['glpat-'],
  grafana: ['glc_', 'glsa_'],
  openai: ['t3blbkfj'],
  anthropic: ['sk-ant-'],
  groq: ['gsk_'],
  huggingface: ['hf_'],
  linear: ['lin_api_'],
  notion: ['ntn_'],
  '1password': ['ops_ey'],
  'hashicorp-vault': ['hvs.', 'hvb.', 'hvr.'],
  vercel: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
  databricks: ['dapi'],
  docker: ['dckr_pat_'],
  figma: ['figd_'],
  cloudflare: ['cfk_', 'cfut_', 'cfat_'],
  tailscale: ['tskey-'],
};

/** Most that a rule of others is given at once: nobody has shown that each of their patterns takes linear time. */
const LONGEST = 6_144;
const REACH = { before: 300, after: 2_000 } as const;

const PREFIX = '@secretlint/secretlint-rule-';

/** What our own rules look for in more places, and with more said about which values are none. One of them reads files. */
export const DISABLED_SECRETLINT_RULES: readonly string[] = [
  'aws',
  'basicauth',
  'database-connection-string',
  'gcp',
  'privatekey',
];

/**
 * The rules of secretlint that look for secrets. Its filters are left out: a comment in the patch that switches rules off has no
 * say. So is its engine, which would give all of each file to every rule.
 */
export const buildSecretlintDetectors = (prefixes: readonly string[]): Detector[] =>
  (rules as readonly PresetRule[]).flatMap((rule) => {
    const name = rule.meta.id.replace(PREFIX, '');
    return !name.startsWith('filter-') && !DISABLED_SECRETLINT_RULES.includes(name)
      ? [detectorOf(name, rule, prefixes)]
      : [];
  });

function detectorOf(name: string, rule: PresetRule, prefixes: readonly string[]): Detector {
  let found: (readonly [start: number, end: number])[] = [];
  const handler = rule.create(
    {
      sharedOptions: {},
      createTranslator: () => (id) => ({ message: id, messageId: id }),
      report: ({ range }) => found.push(range),
      ignore: () => {},
    },
    {},
  );
  return {
    rule: `secretlint_${name}`,
    anchors: SECRETLINT_RULE_KEYWORDS[name] ?? Object.values(SECRETLINT_RULE_KEYWORDS).flat(),
    ...REACH,
    maxWindowBytes: LONGEST,
    inBinary: true,
    rank: DETECTOR_RANK.preset,
    find: (text: string, from: number, file: FileClassification): DetectorMatch[] => {
      found = [];
      const filePath = file.path.slice(file.path.lastIndexOf('/') + 1);
      void handler.file?.({ content: text, filePath, ext: '.txt', contentType: 'text' });
      return found.flatMap(([start, end]) => {
        const value = text.slice(start, end);
        const severity = classifyTokenSeverity({ value, groups: {}, text, at: start, file }, prefixes);
        return start >= from && severity
          ? [{ rule: `secretlint_${name}`, title: `secret (${name})`, severity, start, end, value }]
          : [];
      });
    },
  };
}
