import { join } from 'node:path';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { listFiles } from '../../workspace/git/list-files.ts';
import { writeNewFile } from '../../workspace/process/write-new-file.ts';
import type { SandboxFolders } from '../core/sandbox-extension.ts';
import { readReportFile } from '../tests/running/report-file.ts';

/** Most modules whose origin is asked for; a patch that changes more is about everything. */
const MAX_MODULES = 500;
/** Most bytes of answers that are read. */
const MAX_ANSWER_BYTES = 1_048_576;

/** A module of Python by the name under which it is imported. */
interface PythonModule {
  readonly name: string;
  /** Path in the tree. */
  readonly path: string;
}

/**
 * Names the modules that changed files of Python are. A package reaches up to the last folder with an `__init__.py`; a folder without
 * one may still be a namespace, so the names with one and two more folders are asked for too.
 */
export async function listChangedPythonModules(
  store: GitStore,
  tree: string,
  changedPaths: readonly string[],
): Promise<PythonModule[]> {
  const changed = changedPaths.filter((path) => path.endsWith('.py') && !isTestPath(path));
  if (changed.length === 0) return [];
  const files = new Set((await listFiles(store, tree)).map(({ path }) => path));
  return changed
    .filter((path) => files.has(path))
    .slice(0, MAX_MODULES)
    .flatMap((path) => {
      const parts = path.replace(/(?:\/__init__)?\.py$/, '').split('/');
      let top = path.endsWith('/__init__.py') ? parts.length : parts.length - 1;
      while (top > 0 && files.has(`${parts.slice(0, top).join('/')}/__init__.py`)) top--;
      // A top-level module of a common name, such as `utils`, may be another one.
      return [top, top - 1, top - 2]
        .filter((from) => from >= 0 && parts.length - from > 1)
        .concat(parts.length === 1 ? [0] : [])
        .map((from) => ({ name: parts.slice(from).join('.'), path }));
    });
}

const ORIGINS_VARIABLE = 'ASSAY_ORIGINS';

/** Every interpreter of a command runs this first. At its end it tells from which files it has loaded the modules that are asked for. */
const PROBE = String.raw`import atexit, os, sys


def _chain():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or '.') != here]
    own = sys.modules.pop('sitecustomize', None)
    try:
        import sitecustomize
    except ImportError:
        pass
    sys.modules.setdefault('sitecustomize', own)


def _tell(names=frozenset(%NAMES%), target=os.environ.get('${ORIGINS_VARIABLE}')):
    try:
        with open(target, 'a') as out:
            for name in names:
                file = getattr(sys.modules.get(name), '__file__', None)
                if file:
                    out.write(name + '\t' + os.path.realpath(file) + '\n')
    except Exception:
        pass


if os.environ.get('${ORIGINS_VARIABLE}'):
    atexit.register(_tell)
_chain()
`;

const originsFile = ({ tmp }: SandboxFolders): string => join(tmp, 'assay-origins');

/** Makes every interpreter of Python in a sandbox tell where it loads modules from. Returns the variables that do so. */
export async function addPythonModuleProbe(
  folders: SandboxFolders,
  modules: readonly PythonModule[],
): Promise<Record<string, string>> {
  if (modules.length === 0) return {};
  const probe = join(folders.place, 'probe');
  const names = [...new Set(modules.map(({ name }) => name))];
  await writeNewFile(
    probe,
    'sitecustomize.py',
    PROBE.replace('%NAMES%', () => JSON.stringify(names)),
  );
  return { PYTHONPATH: probe, [ORIGINS_VARIABLE]: originsFile(folders) };
}

/**
 * Returns the first changed module that was loaded from outside of the checkout, with other content than the checkout has; null: none.
 * A copy with the same content is the same code.
 */
export async function findPythonModuleOutsideCheckout(
  folders: SandboxFolders,
  modules: readonly PythonModule[],
): Promise<string | null> {
  const answer = modules.length === 0 ? null : await readReportFile(originsFile(folders)).catch(() => null);
  if (answer === null) return null;
  for (const line of new Set(answer.slice(0, MAX_ANSWER_BYTES).split('\n'))) {
    const [name = '', file = ''] = line.split('\t');
    const expected = modules.filter((each) => each.name === name);
    const [first] = expected;
    const inCheckout = expected.map(({ path }) => join(folders.checkout, path));
    if (first === undefined || inCheckout.includes(file)) continue;
    // Code of the patch may have written the answer: the file is read as carefully as a report.
    const loaded = await readReportFile(file).catch(() => null);
    const own = await Promise.all(inCheckout.map((path) => readReportFile(path).catch(() => null)));
    if (loaded !== null && own.includes(loaded)) continue;
    const place = file.startsWith(`${folders.place}/`) ? file.slice(folders.place.length + 1) : file;
    return `the module ${name} was loaded from ${place}, not from ${first.path} in the checkout, so the run says nothing about this tree. Install the project with \`pip install -e .\` in environment.setup`;
  }
  return null;
}
