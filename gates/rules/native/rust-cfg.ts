/**
 * Whether a condition of Rust holds in a test run on Linux without features: `all(test, not(windows))`. What nobody can know here
 * does not hold.
 */
export function cfgHolds(condition: string): boolean {
  const tokens = condition.slice(0, 2_000).match(/[(),=]|"[^"\n]{0,200}"|\w+/g) ?? [];
  let at = 0;
  const list = (): boolean[] => {
    const values: boolean[] = [];
    at++;
    while (at < tokens.length && tokens[at] !== ')') {
      values.push(one());
      if (tokens[at] === ',') at++;
      else if (tokens[at] !== ')') break;
    }
    at++;
    return values;
  };
  const one = (): boolean => {
    const name = tokens[at++] ?? '';
    if (tokens[at] === '(') {
      const values = list();
      if (name === 'all') return values.every(Boolean);
      if (name === 'any') return values.some(Boolean);
      return name === 'not' && values[0] === false;
    }
    if (tokens[at] !== '=') return /^(?:test|unix|debug_assertions|doctest|true)$/.test(name);
    const value = (tokens[at + 1] ?? '').replaceAll('"', '');
    at += 2;
    return HOLDS[name]?.includes(value) ?? false;
  };
  return one();
}

const HOLDS: Readonly<Record<string, readonly string[]>> = {
  target_os: ['linux'],
  target_family: ['unix'],
  target_arch: ['x86_64', 'aarch64'],
  target_pointer_width: ['64'],
  target_endian: ['little'],
  panic: ['unwind'],
};
