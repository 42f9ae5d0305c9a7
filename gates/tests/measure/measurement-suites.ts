import type { PlannedCommand } from '../../core/gate.ts';
import type { Language } from '../../core/language.ts';
import type { ProjectFiles } from '../../core/project-files.ts';
import {
  buildVersionCommand,
  createPackageJsonMarker,
  type ToolProgram,
  type ToolUsageMarker,
} from '../../languages/language-tool.ts';
import { selectLanguages } from '../../languages/languages.ts';
import { hasAnyManifest, joinFolder, listToolFolders, MAX_TOOL_FOLDERS } from '../running/tool-folders.ts';

/** A run of tests or benchmarks that leaves a measurement in `$REPORT`. */
export interface MeasurementCommand extends ToolProgram {
  readonly language: Language;
  readonly line: string;
  /** The project uses it when one of these is in the base; none: it is the language's own. */
  readonly signs: readonly ToolUsageMarker[];
}

const pytestPluginVersionLine = (option: string): string =>
  `command -v pytest >/dev/null || exit 127; pytest --help | grep -q -e '${option}' || exit 127; pytest --version`;
const MODULES = 'environment.setup: npm ci';

export const COVERAGE_SUITES: readonly MeasurementCommand[] = [
  {
    language: 'python',
    name: 'pytest-cov',
    versionLine: pytestPluginVersionLine('--cov='),
    installHint: 'pip install pytest-cov',
    line: 'pytest -q -p no:cacheprovider --cov=. --cov-report=json:"$REPORT"',
    signs: [],
  },
  {
    language: 'javascript',
    name: 'vitest',
    versionLine: buildVersionCommand('vitest'),
    installHint: `npm install --save-dev vitest @vitest/coverage-v8, and ${MODULES}`,
    line: 'vitest run --coverage.enabled --coverage.reporter=json-summary --coverage.reportsDirectory="$TMPDIR/coverage"; code=$?; cp "$TMPDIR/coverage/coverage-summary.json" "$REPORT"; exit $code',
    signs: [createPackageJsonMarker('vitest')],
  },
  {
    language: 'javascript',
    name: 'jest',
    versionLine: buildVersionCommand('jest'),
    installHint: `npm install --save-dev jest, and ${MODULES}`,
    line: 'jest --ci --coverage --coverageReporters=json-summary --coverageDirectory="$TMPDIR/coverage"; code=$?; cp "$TMPDIR/coverage/coverage-summary.json" "$REPORT"; exit $code',
    signs: [createPackageJsonMarker('jest')],
  },
  {
    language: 'javascript',
    name: 'node',
    versionLine: buildVersionCommand('node'),
    installHint: 'install Node.js 22 or newer',
    line: 'node --test --experimental-test-coverage --test-reporter=lcov --test-reporter-destination="$REPORT"',
    signs: [],
  },
  {
    language: 'go',
    name: 'go',
    versionLine: 'command -v go >/dev/null || exit 127; go version',
    installHint: 'install Go from go.dev/dl',
    line: 'go test -coverprofile="$REPORT" -coverpkg=./... ./...',
    signs: [],
  },
  {
    language: 'rust',
    name: 'cargo-llvm-cov',
    versionLine: 'command -v cargo-llvm-cov >/dev/null || exit 127; cargo llvm-cov --version',
    installHint: 'cargo install cargo-llvm-cov',
    line: 'cargo llvm-cov --json --summary-only --output-path "$REPORT"',
    signs: [],
  },
];

export const BENCHMARK_SUITES: readonly MeasurementCommand[] = [
  {
    language: 'python',
    name: 'pytest-benchmark',
    versionLine: pytestPluginVersionLine('--benchmark-json'),
    installHint: 'pip install pytest-benchmark',
    line: 'pytest -q -p no:cacheprovider --benchmark-only --benchmark-json="$REPORT"',
    signs: [],
  },
  {
    language: 'javascript',
    name: 'vitest',
    versionLine: buildVersionCommand('vitest'),
    installHint: `npm install --save-dev vitest, and ${MODULES}`,
    // The option of the versions before 5 is gone, and the reporter of those after 4 was not there.
    line: 'vitest bench --run $(rm -rf .assay-report; case "$(vitest --version)" in vitest/[0-4].*) echo --outputJson=.assay-report;; *) echo --reporter=json --outputFile=.assay-report;; esac); code=$?; mv .assay-report "$REPORT"; exit $code',
    signs: [createPackageJsonMarker('vitest')],
  },
];

/** A suite, and where it runs. */
export interface MeasurementCommandInFolder {
  readonly suite: MeasurementCommand;
  /** Folder of the checkout; '' is the top. */
  readonly folder: string;
}

/**
 * The suites of the languages that the patch touches, or of all in the base when it touches none. A language without a project of its
 * own, such as a helper script beside a project of another one, counts only when no other does.
 */
export async function selectMeasurementCommandsForPatch(
  project: ProjectFiles,
  suites: readonly MeasurementCommand[],
): Promise<{ readonly chosen: readonly MeasurementCommandInFolder[]; readonly beyond: readonly string[] }> {
  const layout = await project.revisionPaths();
  const languages = await selectLanguages(project);
  const projects = languages.filter((language) => hasAnyManifest(layout, language));
  const chosen: MeasurementCommandInFolder[] = [];
  const beyond: string[] = [];
  for (const language of projects.length > 0 ? projects : languages) {
    const own = suites.filter((suite) => suite.language === language);
    const found = new Map<string, MeasurementCommandInFolder>();
    for (const { candidates, defaultFolder } of await listToolFolders(project, language, layout)) {
      const there = (await usedIn(project, own, candidates)) ?? plain(own, defaultFolder);
      const key = there && `${there.suite.name} ${there.folder}`;
      if (!there || key === undefined) continue;
      if (!found.has(key) && found.size >= MAX_TOOL_FOLDERS) beyond.push(there.folder);
      else found.set(key, there);
    }
    chosen.push(...found.values());
  }
  return { chosen, beyond };
}

type SuiteInFolder = Pick<MeasurementCommandInFolder, 'suite' | 'folder'>;

/** The first folder that shows that it uses one. */
async function usedIn(
  project: Pick<ProjectFiles, 'baseFile'>,
  suites: readonly MeasurementCommand[],
  folders: readonly string[],
): Promise<SuiteInFolder | undefined> {
  for (const folder of folders)
    for (const suite of suites)
      if (suite.signs.length > 0 && (await isUsed(project, suite, folder))) return { suite, folder };
  return undefined;
}

function plain(suites: readonly MeasurementCommand[], folder: string): SuiteInFolder | undefined {
  const suite = suites.find(({ signs }) => signs.length === 0);
  return suite && { suite, folder };
}

/** What would run in a project. */
export async function listMeasurementCommands(
  project: ProjectFiles,
  suites: readonly MeasurementCommand[],
): Promise<PlannedCommand[]> {
  const { chosen } = await selectMeasurementCommandsForPatch(project, suites);
  return chosen.map(({ suite: { line, installHint }, folder }) => ({ command: line, installHint, folder }));
}

async function isUsed(
  project: Pick<ProjectFiles, 'baseFile'>,
  { signs }: MeasurementCommand,
  folder: string,
): Promise<boolean> {
  for (const { file, pattern } of signs) {
    const text = await project.baseFile(joinFolder(folder, file));
    if (text !== null && (pattern?.test(text) ?? true)) return true;
  }
  return signs.length === 0;
}
