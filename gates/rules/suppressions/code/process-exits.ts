import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { getCallArguments, type NameAliases, resolveDottedName } from './dotted-names.ts';
import {
  getCallReceivingFunction,
  getEnclosingFunctions,
  getFunctionName,
  isModuleLevelCode,
  isUnderMainGuard,
} from './enclosing-functions.ts';
import type { TamperingFinding } from './native-syntax.ts';

const EXITS =
  /^(?:process\.(?:exit|reallyExit|abort|kill)|sys\.exit|os\.(?:_exit|abort|kill|killpg|exec\w+)|exit|quit|SystemExit|builtins\.(?:exit|quit)|posix\._exit|pytest\.exit)$/;
/** Exits that skip whatever a runner still wants to say. */
const ABRUPT =
  /^(?:os\._exit|posix\._exit|process\.reallyExit|os\.kill|os\.killpg|os\.abort|process\.abort|process\.kill)$/;
/** Functions whose business it is to end the program. */
const ENDS =
  /main|run|cli|exit|quit|shut|stop|close|terminat|usage|help|version|bye|die|fail|abort|signal|handle|command|cmd|restart|panic|fatal|parse_?args/i;
const SIGNALS = /^(?:process\.(?:on|once)|signal\.signal)$/;
const AT_THE_END = /^(?:exit|beforeExit|uncaughtException|unhandledRejection|uncaughtExceptionMonitor)$/;

/** Code that ends the process, or changes how it ends, so that whoever waits for its result takes it for a good one. */
export function findProcessExits(
  root: SyntaxNode,
  aliases: NameAliases,
  mayExit: boolean,
): TamperingFinding[] {
  const found: TamperingFinding[] = [];
  for (const node of root.walk()) {
    const deceit = exit(node, aliases, mayExit) ?? codeChanged(node, aliases) ?? lastWord(node, aliases);
    if (deceit) found.push({ ...deceit, line: node.line, key: node.text.slice(0, 300) });
  }
  return found;
}

type Found = Omit<TamperingFinding, 'line' | 'key'> | null;

function exit(node: SyntaxNode, aliases: NameAliases, mayExit: boolean): Found {
  const call = node.type === 'call' || node.type === 'call_expression';
  const raised = node.type === 'raise_statement' ? (node.namedChildren[0] ?? null) : null;
  if (!call && !raised) return null;
  const asked = resolveDottedName(
    call
      ? node.childForField('function')
      : raised?.type === 'call'
        ? raised.childForField('function')
        : raised,
    aliases,
  );
  const path = plainly(asked, node, aliases);
  if (path === null || !EXITS.test(path) || (raised && path !== 'SystemExit')) return handedOn(node, aliases);
  if (call && node.parent?.type === 'raise_statement') return null;
  const target = raised?.type === 'call' ? raised : node;
  const first =
    raised && raised.type !== 'call'
      ? null
      : (getCallArguments(target)[asked === 'Reflect.apply' ? 2 : path === asked ? 0 : 1] ?? null);
  // Another program takes the place of this one, and ends as it likes.
  if (/^os\.exec/.test(path))
    return isModuleLevelCode(node) && !mayExit && !isUnderMainGuard(node)
      ? { rule: 'ends_process', message: 'puts another program in the place of this one', weight: 'error' }
      : null;
  const isAbrupt = ABRUPT.test(path);
  if (!isAbrupt && !endsWell(first)) return null;
  if (/kill/.test(path) && !/process\.pid|getpid|^0$/.test(first?.text.slice(0, 100) ?? '')) return null;
  if (
    isAbrupt &&
    /_exit|reallyExit/.test(path) &&
    first !== null &&
    !endsWell(first) &&
    /^[1-9]/.test(first.text)
  )
    return null;
  if (isUnderMainGuard(node)) return null;
  if (isModuleLevelCode(node))
    return mayExit
      ? null
      : { rule: 'ends_process', message: 'ends the process well as soon as it is loaded', weight: 'error' };
  if (/_exit|reallyExit/.test(path))
    return {
      rule: 'rewrites_exit_code',
      message: 'ends the process before anybody else can say how it went',
      weight: mayExit ? 'info' : 'error',
    };
  if (
    mayExit ||
    getEnclosingFunctions(node).some(
      (fn) =>
        ENDS.test(getFunctionName(fn)) ||
        SIGNALS.test(
          resolveDottedName(getCallReceivingFunction(fn)?.childForField('function') ?? null, aliases) ?? '',
        ),
    )
  )
    return null;
  return { rule: 'ends_process', message: 'ends the process well, whoever calls it', weight: 'warning' };
}

/** What a function is called by in a roundabout way: `process.exit.call(process, 0)`, `Reflect.apply(process.exit, process, [0])`. */
function plainly(path: string | null, node: SyntaxNode, aliases: NameAliases): string | null {
  if (path === 'Reflect.apply') return resolveDottedName(getCallArguments(node)[0] ?? null, aliases);
  return path?.replace(ROUNDABOUT, '') ?? null;
}
const ROUNDABOUT = /(?<=\.\w{1,40})\.(?:call|apply|bind)$/;

/** `threading.Timer(0, os._exit, [0])`, `atexit.register(os._exit, 0)`, `setTimeout(process.exit)`. */
function handedOn(call: SyntaxNode, aliases: NameAliases): Found {
  if (call.type !== 'call' && call.type !== 'call_expression') return null;
  const name = resolveDottedName(call.childForField('function'), aliases) ?? '';
  const isLater =
    /^(?:set(?:Timeout|Immediate|Interval)|queueMicrotask|process\.nextTick|atexit\.register|(?:threading\.)?(?:Timer|Thread)|signal\.signal|process\.(?:on|once))$/.test(
      name,
    );
  const ends =
    isLater &&
    getCallArguments(call).some((each) =>
      /^(?:process\.(?:exit|reallyExit)|os\._exit)(?:$|\.bind)/.test(resolveDottedName(each, aliases) ?? ''),
    );
  if (!ends || (SIGNALS.test(name) && /SIG/.test(getCallArguments(call)[0]?.text.slice(0, 60) ?? '')))
    return null;
  return { rule: 'rewrites_exit_code', message: 'has the process ended later on', weight: 'error' };
}

const endsWell = (code: SyntaxNode | null): boolean =>
  code === null ||
  /^(?:0|0\.0|None|undefined|null|false|False|-0|'0'|"0"|\+0|os\.EX_OK|\[\s*(?:0\s*)?\])$/.test(
    code.text.slice(0, 20),
  );

/** `process.exitCode = 0`, `process.exit = …`, `sys.exit = …`. */
function codeChanged(node: SyntaxNode, aliases: NameAliases): Found {
  if (node.type !== 'assignment_expression' && node.type !== 'assignment') return null;
  const left = node.childForField('left');
  if (left?.type === 'identifier') return null;
  const path = resolveDottedName(left, aliases);
  const right = node.childForField('right')?.text.slice(0, 20) ?? '';
  const isGood = path === 'process.exitCode' && /^(?:0|undefined|null)$/.test(right);
  return isGood ||
    /^(?:process\.(?:exit|reallyExit|abort|emit)|sys\.(?:exit|excepthook|unraisablehook)|os\._exit|threading\.excepthook)$/.test(
      path ?? '',
    )
    ? {
        rule: 'rewrites_exit_code',
        message: 'changes how a failed run ends',
        weight: /hook/.test(path ?? '') ? 'warning' : 'error',
      }
    : null;
}

/** Handlers that have the last word before the process ends. */
function lastWord(node: SyntaxNode, aliases: NameAliases): Found {
  if (node.type !== 'call_expression' && node.type !== 'call') return null;
  const path = resolveDottedName(node.childForField('function'), aliases) ?? '';
  const [event, handler] = getCallArguments(node);
  if (/^process\.(?:on|once|addListener|prependListener)$/.test(path)) {
    const name = event?.text.slice(1, -1) ?? '';
    if (!AT_THE_END.test(name)) return null;
    const text = handler?.text.slice(0, 4_000) ?? '';
    const isError = /^un/.test(name);
    if (!isError && !/exitCode|exit|abort/i.test(text)) return null;
    if (isError && /throw|exit\w*\(\s*[1-9]|exitCode\s*=\s*[1-9]|\bkill\b|abort\(/.test(text)) return null;
    return isError && !/exit\w*\(\s*(?:0\s*)?\)/.test(text)
      ? {
          rule: 'error_swallowed',
          message: 'errors that nobody handles end here, and nobody hears of them',
          weight: 'warning',
        }
      : { rule: 'rewrites_exit_code', message: 'changes how a failed run ends', weight: 'error' };
  }
  if (path !== 'atexit.register') return null;
  return /_exit/.test(node.text.slice(0, 500))
    ? { rule: 'rewrites_exit_code', message: 'changes how a failed run ends', weight: 'error' }
    : null;
}
