import type { Evidence, GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import { ASSAY_VERSION } from '../../../shared/lib/version.ts';
import { CONFIG_FILE } from '../../core/configuration-file.ts';
import { getExplainCommand, getRuleDocumentation } from '../../rules/rule-page.ts';

type SarifLevel = 'error' | 'warning' | 'note';

/**
 * The findings of all gates in the Static Analysis Results Interchange Format 2.1.0. A rule is `<gate>/<rule>`.
 * @param docs absolute URL of the folder `docs/`, for links to the pages of rules.
 */
export function formatSarif(evidence: Evidence, docs: string | null = DOCS) {
  const all = evidence.gates.flatMap((gate) => gate.findings.map((finding) => ({ gate, finding })));
  const named = new Map(all.map(({ gate, finding }) => [`${gate.name}/${finding.rule}`, finding.rule]));
  const rules = [...named.keys()];
  // GitHub refuses a whole file for one result without a location.
  const fallback = evidence.changed_files[0] ?? CONFIG_FILE;
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'assay',
            version: ASSAY_VERSION,
            rules: [...named].map(([id, rule]) => ruleIn(id, rule, docs)),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            // A gate that could not run leaves findings out: whoever reads them should know.
            executionSuccessful: evidence.gates.every(({ outcome }) => !COULD_NOT_RUN.has(outcome)),
            toolExecutionNotifications: evidence.gates
              .filter(({ outcome }) => COULD_NOT_RUN.has(outcome))
              .map(({ name, outcome, detail }) => ({
                level: 'warning',
                message: { text: `gate ${name}: ${outcome}: ${detail}` },
              })),
          },
        ],
        results: all.map(({ gate, finding: { file, line, rule, message, baseline = 'new' } }) => {
          return {
            ruleId: `${gate.name}/${rule}`,
            ruleIndex: rules.indexOf(`${gate.name}/${rule}`),
            level: baseline === 'unchanged' ? 'note' : levelOf(gate),
            baselineState: baseline,
            message: { text: message === '' ? rule : message },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: uriOf(file ?? fallback) },
                  ...(line === null ? {} : { region: { startLine: line } }),
                },
              },
            ],
          };
        }),
        properties: { base: evidence.base_commit, tree: evidence.tree },
      },
    ],
  };
}

/** Where the documentation is: set by whoever runs the platform, else the folder beside these sources; a bundle has none beside it. */
const DOCS =
  process.env['ASSAY_DOCS_URL'] ??
  (import.meta.filename.endsWith('.ts') ? new URL('../../../docs/', import.meta.url).href : null);

function ruleIn(id: string, rule: string, docs: string | null) {
  const { summary, rationale, page } = getRuleDocumentation(rule);
  const how = getExplainCommand(rule);
  return {
    id,
    shortDescription: { text: summary },
    help: { text: how === null ? rationale : `${rationale} (${how})` },
    ...(docs !== null && { helpUri: new URL(page, docs.endsWith('/') ? docs : `${docs}/`).href }),
  };
}

const COULD_NOT_RUN: ReadonlySet<string> = new Set(['could_not_run', 'timed_out', 'infra_failed']);

const levelOf = ({ outcome, blocked }: GateEvidence): SarifLevel => {
  if (outcome !== 'failed') return 'note';
  return blocked ? 'error' : 'warning';
};

/** A relative reference. A colon in its first part would make that part a scheme. */
const uriOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
