import type { Planned } from '../../core/gate.ts';
import type { Language } from '../../core/language.ts';
import type { ProjectFiles } from '../../core/project-files.ts';
import { languagesFor } from '../../languages/languages.ts';
import { asks, dependsOn, type Program, type Sign } from '../../languages/tool.ts';
import { hasProject, inFolder, MAX_FOLDERS, placesOf } from '../running/folders.ts';
import type { Profiles } from '../running/settings.ts';

/** A run of tests or benchmarks that leaves a measurement in `$REPORT`. */
export interface Suite extends Program {
  readonly language: Language;
  readonly line: string;
  /** The project uses it when one of these is in the base; none: it is the language's own. */
  readonly signs: readonly Sign[];
}

const plugin = (option: string): string =>
  `command -v pytest >/dev/null || exit 127; pytest --help | grep -q -e '${option}' || exit 127; pytest --version`;
const MODULES = 'profiles.javascript.setup: npm ci --ignore-scripts';

export const COVERAGE: readonly Suite[] = [
  {
    language: 'python',
    name: 'pytest-cov',
    version: plugin('--cov='),
    get: 'pip install pytest-cov',
    line: 'pytest -q -p no:cacheprovider --cov=. --cov-report=json:"$REPORT"',
    signs: [],
  },
  {
    language: 'javascript',
    name: 'vitest',
    version: asks('vitest'),
    get: `npm install --save-dev vitest @vitest/coverage-v8, and ${MODULES}`,
    line: 'vitest run --coverage.enabled --coverage.reporter=json-summary --coverage.reportsDirectory="$TMPDIR/coverage"; code=$?; cp "$TMPDIR/coverage/coverage-summary.json" "$REPORT"; exit $code',
    signs: [dependsOn('vitest')],
  },
  {
    language: 'javascript',
    name: 'jest',
    version: asks('jest'),
    get: `npm install --save-dev jest, and ${MODULES}`,
    line: 'jest --ci --coverage --coverageReporters=json-summary --coverageDirectory="$TMPDIR/coverage"; code=$?; cp "$TMPDIR/coverage/coverage-summary.json" "$REPORT"; exit $code',
    signs: [dependsOn('jest')],
  },
  {
    language: 'javascript',
    name: 'node',
    version: asks('node'),
    get: 'install Node.js 22 or newer',
    line: 'node --test --experimental-test-coverage --test-reporter=lcov --test-reporter-destination="$REPORT"',
    signs: [],
  },
  {
    language: 'go',
    name: 'go',
    version: 'command -v go >/dev/null || exit 127; go version',
    get: 'install Go from go.dev/dl',
    line: 'go test -coverprofile="$REPORT" -coverpkg=./... ./...',
    signs: [],
  },
  {
    language: 'rust',
    name: 'cargo-llvm-cov',
    version: 'command -v cargo-llvm-cov >/dev/null || exit 127; cargo llvm-cov --version',
    get: 'cargo install cargo-llvm-cov',
    line: 'cargo llvm-cov --json --summary-only --output-path "$REPORT"',
    signs: [],
  },
];

export const BENCHMARKS: readonly Suite[] = [
  {
    language: 'python',
    name: 'pytest-benchmark',
    version: plugin('--benchmark-json'),
    get: 'pip install pytest-benchmark',
    line: 'pytest -q -p no:cacheprovider --benchmark-only --benchmark-json="$REPORT"',
    signs: [],
  },
  {
    language: 'javascript',
    name: 'vitest',
    version: asks('vitest'),
    get: `npm install --save-dev vitest, and ${MODULES}`,
    // The option of the versions before 5 is gone, and the reporter of those after 4 was not there.
    line: 'vitest bench --run $(rm -rf .assay-report; case "$(vitest --version)" in vitest/[0-4].*) echo --outputJson=.assay-report;; *) echo --reporter=json --outputFile=.assay-report;; esac); code=$?; mv .assay-report "$REPORT"; exit $code',
    signs: [dependsOn('vitest')],
  },
];

/** A suite, and where it runs. */
export interface ChosenSuite {
  readonly suite: Suite;
  /** Line that prepares the checkout; it runs in `folder`. */
  readonly setup: string | null;
  /** Folder of the checkout; '' is the top. */
  readonly folder: string;
}

/**
 * The suites of the languages that the patch touches, or of all in the base when it touches none. A language without a project of its
 * own, such as a helper script beside a project of another one, counts only when no other does.
 */
export async function suitesFor(
  project: ProjectFiles,
  suites: readonly Suite[],
  profiles: Profiles,
): Promise<{ readonly chosen: readonly ChosenSuite[]; readonly beyond: readonly string[] }> {
  const layout = await project.layout();
  const languages = await languagesFor(project);
  const projects = languages.filter((language) => hasProject(layout, language));
  const chosen: ChosenSuite[] = [];
  const beyond: string[] = [];
  for (const language of projects.length > 0 ? projects : languages) {
    const own = suites.filter((suite) => suite.language === language);
    const found = new Map<string, ChosenSuite>();
    for (const { folders, fallback } of await placesOf(project, language, layout)) {
      const there = (await usedIn(project, own, folders)) ?? plain(own, fallback);
      const key = there && `${there.suite.name} ${there.folder}`;
      if (!there || key === undefined) continue;
      if (!found.has(key) && found.size >= MAX_FOLDERS) beyond.push(there.folder);
      else found.set(key, { ...there, setup: profiles[language]?.setup ?? null });
    }
    chosen.push(...found.values());
  }
  return { chosen, beyond };
}

type Found = Pick<ChosenSuite, 'suite' | 'folder'>;

/** The first folder that shows that it uses one. */
async function usedIn(
  project: Pick<ProjectFiles, 'baseFile'>,
  suites: readonly Suite[],
  folders: readonly string[],
): Promise<Found | undefined> {
  for (const folder of folders)
    for (const suite of suites)
      if (suite.signs.length > 0 && (await isUsed(project, suite, folder))) return { suite, folder };
  return undefined;
}

function plain(suites: readonly Suite[], folder: string): Found | undefined {
  const suite = suites.find(({ signs }) => signs.length === 0);
  return suite && { suite, folder };
}

/** What would run in a project. */
export async function planSuites(
  project: ProjectFiles,
  suites: readonly Suite[],
  profiles: Profiles,
): Promise<Planned[]> {
  const { chosen } = await suitesFor(project, suites, profiles);
  return chosen.map(({ suite: { line, get }, folder }) => ({ command: line, get, folder }));
}

async function isUsed(
  project: Pick<ProjectFiles, 'baseFile'>,
  { signs }: Suite,
  folder: string,
): Promise<boolean> {
  for (const { file, has } of signs) {
    const text = await project.baseFile(inFolder(folder, file));
    if (text !== null && (has?.test(text) ?? true)) return true;
  }
  return signs.length === 0;
}
