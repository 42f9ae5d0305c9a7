import type { GateContext, GateResult } from '../../core/gate.ts';
import { runLanguageTools } from '../../tests/gate-runs/run-tools.ts';

/**
 * Runs a command that writes a report to `$REPORT`. SARIF: a finding that the base does not have fails. JUnit: a test fails that does not
 * fail on the base; tests that the patch takes away are run with it.
 */
export const runReportingCommand = (
  context: GateContext,
  gate: { readonly name: string; readonly command: string; readonly format: 'sarif' | 'junit' },
): Promise<GateResult> => {
  const tests = gate.format === 'junit';
  return runLanguageTools(
    context,
    {
      uncheckedFolders: [],
      tools: [
        {
          language: 'javascript',
          folder: '',
          tool: {
            name: gate.name,
            kind: tests ? 'tests' : 'lint',
            versionLine: 'true',
            installHint: 'it is in assay.yaml',
            line: gate.command,
            format: gate.format,
            findingExitCodes: [],
            ignoresExitCode: true,
            signs: [],
            isDefault: true,
          },
        },
      ],
    },
    { runsTests: tests },
  );
};
