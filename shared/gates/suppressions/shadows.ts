import type { ChangedText } from '../changed-texts.ts';
import type { Seen } from '../code/seen.ts';

/** What runs tests, or is loaded by what does. */
const RUNNERS =
  /^(?:unittest|pytest|_pytest|pluggy|py|iniconfig|nose2?|doctest|coverage|hypothesis|tox|sitecustomize|usercustomize|builtins)$/;
/** Parts of Python's library that runners lean on. */
const LIBRARY =
  /^(?:traceback|inspect|warnings|importlib|types|functools|contextlib|re|sys|os|json|random|math|datetime|time|typing|io|logging|collections|itertools|subprocess|argparse|difflib|pprint|threading|signal|tempfile|shutil|pathlib|abc|enum|copy|operator|string|dataclasses|decimal|runpy|asyncio)$/;

/** Modules that the patch puts where Python looks first, under names that are taken: who imports them gets the patch's instead. */
export const shadowedTools = (texts: readonly ChangedText[]): Seen[] =>
  texts.flatMap(({ path, before, after }): Seen[] => {
    if (after === null || before !== null) return [];
    const name = /^(?:(?:src|lib|tests?)\/)?([^/.]+)(?:\/__init__|\/__main__)?\.pyi?$/.exec(path)?.[1] ?? '';
    const isRunner = RUNNERS.test(name);
    if (!isRunner && !LIBRARY.test(name)) return [];
    const message = `hides Python's own ${name} from everything that is run here`;
    return [
      { file: path, line: null, rule: 'tool_shadowed', message, weight: isRunner ? 'fails' : 'unclear' },
    ];
  });
