import type { Evidence, GateEvidence } from '../../../shared/evidence/schema.ts';
import { VERSION } from '../../../shared/version.ts';

type Level = 'error' | 'warning' | 'note';

/** The findings of all gates in the Static Analysis Results Interchange Format 2.1.0. A rule is `<gate>/<rule>`. */
export function sarifOf(evidence: Evidence) {
  const all = evidence.gates.flatMap((gate) => gate.findings.map((finding) => ({ gate, finding })));
  const rules = [...new Set(all.map(({ gate, finding }) => `${gate.name}/${finding.rule}`))];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'assay', version: VERSION, rules: rules.map((id) => ({ id })) } },
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
            locations:
              file === null
                ? []
                : [
                    {
                      physicalLocation: {
                        artifactLocation: { uri: uriOf(file) },
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

const COULD_NOT_RUN: ReadonlySet<string> = new Set(['inert', 'timed_out', 'infra_failed']);

const levelOf = ({ outcome, blocked }: GateEvidence): Level => {
  if (outcome !== 'failed') return 'note';
  return blocked ? 'error' : 'warning';
};

/** A relative reference. A colon in its first part would make that part a scheme. */
const uriOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
