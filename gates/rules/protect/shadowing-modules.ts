/**
 * Modules that the tools of Python are made of. A file of that name at the top of the repository is found before them, because
 * `python -m` looks there first.
 */
const TOOLS =
  'pytest _pytest pluggy unittest doctest nose nose2 coverage pytest_cov hypothesis tox nox mypy pyright pylint flake8 ruff black isort bandit vulture radon lizard mutmut pip pip_audit build setuptools';
const STANDARD =
  'abc argparse ast asyncio atexit base64 bisect collections codecs concurrent contextlib copy ctypes dataclasses datetime decimal difflib dis email encodings enum errno fnmatch fractions functools gc getopt getpass gettext glob hashlib heapq html http importlib inspect io itertools json keyword linecache locale logging marshal math multiprocessing numbers opcode operator os pathlib pdb pickle pkgutil platform posixpath pprint queue random re reprlib runpy select selectors shlex shutil signal site socket sqlite3 ssl stat statistics string struct subprocess sys sysconfig tempfile textwrap threading time timeit token tokenize tomllib traceback types typing unicodedata urllib uuid warnings weakref xml zipfile zlib';
const MODULES: ReadonlySet<string> = new Set(`${TOOLS} ${STANDARD}`.split(' '));

/**
 * Whether a path hides a module that the checks are made of.
 * @param isKnown whether the base has something of that name at the top already: then it is the work.
 */
export function isShadowingModule(path: string, isKnown: (name: string) => boolean): boolean {
  const [first = '', ...rest] = path.split('/');
  if (rest.length === 0 ? !/\.(?:py|pyc|so)$/.test(first) : !/\.(?:pyc?|so)$/.test(rest.at(-1) ?? ''))
    return false;
  const module = rest.length === 0 ? first.replace(/\..*$/s, '') : first;
  return MODULES.has(module) && !isKnown(module);
}
