import type { Language } from '../../core/language.ts';

const PYTHON = new Set(
  `abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod
  enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
  len list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice
  sorted staticmethod str sum super tuple type vars zip copyright credits license reveal_type`.split(/\s+/),
);
const GO = new Set(
  `any append bool byte cap clear close comparable complex copy delete error false float32 float64 imag int int8 int16 int32 int64
  len make max min new nil panic print println real recover rune string true uint uint8 uint16 uint32 uint64 uintptr`.split(
    /\s+/,
  ),
);
/** What browsers have and Node has not, as far as it has names that somebody might give to a function. */
const BROWSER = new Set(
  'alert close confirm document find focus history location name open parent print prompt scroll self status stop top window'.split(
    ' ',
  ),
);

/** Whether a name means something when nobody has defined it. */
export function isBuiltin(language: Language, name: string): boolean {
  if (language === 'python')
    return (
      PYTHON.has(name) || /^(?:[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))$/.test(name)
    );
  if (language === 'go') return GO.has(name);
  return language === 'javascript' && (name in globalThis || BROWSER.has(name));
}
