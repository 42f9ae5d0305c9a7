import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMetricMath } from '../../../local/cloudwatch/metric-math.ts';

const values: Readonly<Record<string, number | null>> = { a: 6, b: 3, zero: 0, none: null };
const evaluate = (source: string) => compileMetricMath(source).evaluate((id) => values[id] ?? null);

describe('metric math', () => {
  it.each<[string, number | null]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 3 - 2', 5],
    ['12 / 3 / 2', 2],
    ['-a + 2', -4],
    ['--a', 6],
    ['2 * -b', -6],
    ['1.5e1', 15],
    ['a/b', 2],
    ['a / zero', null],
    ['a + none', null],
    ['a > b', 1],
    ['a < b', 0],
    ['a >= 6', 1],
    ['a <= 5', 0],
    ['a == 6', 1],
    ['a != 6', 0],
    ['none > 1', null],
    ['a > b && b > a', 0],
    ['a > b || b > a', 1],
    ['a > b AND b > 1', 1],
    ['zero OR zero', 0],
    ['a + b > 8', 1],
    ['IF(a > b, a)', 6],
    ['IF(a < b, a)', null],
    ['IF(a < b, a, b)', 3],
    ['IF(none, a, b)', null],
    ['IF(a > b, none, b)', null],
    ['FILL(none, 4)', 4],
    ['FILL(a, 4)', 6],
    ['FILL(none, 0) + a', 6],
    ['IF(FILL(none, 0) >= 3, a / b)', null],
  ])('%s is %s', (source, expected) => {
    expect(evaluate(source)).toBe(expected);
  });

  it('names the metrics that it needs', () => {
    expect(compileMetricMath('IF(total >= 3, unverified / total)').ids).toEqual(['total', 'unverified']);
  });

  it.each([
    ['ANOMALY_DETECTION_BAND(a)', /the function ANOMALY_DETECTION_BAND is not supported/],
    ['SUM(METRICS())', /the function SUM is not supported/],
    ['toString(a)', /the function toString is not supported/],
    ['IF(a)', /IF does not take 1 arguments/],
    ['FILL(a, REPEAT)', /"REPEAT" is not understood/],
    ['a +', /missing at the end/],
    ['', /missing at the end/],
    ['(a', /"\)" is expected before "the end"/],
    ['a b', /"b" is not expected/],
    ['a ^ 2', /"\^ 2" is not understood/],
    ['SELECT AVG(x)', /"SELECT" is not understood/],
  ])('refuses by name: %s', (source, message) => {
    expect(() => compileMetricMath(source)).toThrow(message);
  });

  it('keeps the precedence of arithmetic', () => {
    const number = fc.integer({ min: 1, max: 50 });
    const operator = fc.constantFrom('+', '-', '*');
    const sum = fc.array(fc.tuple(operator, number), { minLength: 1, maxLength: 6 });
    void fc.assert(
      fc.property(number, sum, (first, rest) => {
        const source = `${first}${rest.map(([sign, value]) => ` ${sign} ${value}`).join('')}`;
        // The same grammar as that of JavaScript, which is what it is compared with.
        expect(evaluate(source)).toBe(new Function(`return ${source}`)());
      }),
    );
  });
});
