import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../local/events/event-pattern.ts';

const event = {
  source: 'aws.ecs',
  'detail-type': 'ECS Task State Change',
  resources: ['arn:aws:ecs:task/a', 'arn:aws:ecs:task/b'],
  detail: { lastStatus: 'STOPPED', exitCode: 1, startedBy: null, spot: false, nested: { deep: 'yes' } },
};

describe('an event pattern', () => {
  it.each<[boolean, object]>([
    [true, { source: ['aws.ecs'] }],
    [true, { source: ['aws.s3', 'aws.ecs'] }],
    [false, { source: ['aws.s3'] }],
    [false, { absent: ['x'] }],
    [true, { source: ['aws.ecs'], detail: { lastStatus: ['STOPPED'] } }],
    [false, { source: ['aws.ecs'], detail: { lastStatus: ['RUNNING'] } }],
    [false, { source: ['aws.s3'], detail: { lastStatus: ['STOPPED'] } }],
    [true, { detail: { nested: { deep: ['yes'] } } }],
    [false, { source: { deep: ['yes'] } }],
    [true, { detail: { exitCode: [1] } }],
    [false, { detail: { exitCode: ['1'] } }],
    [true, { detail: { startedBy: [null] } }],
    [true, { detail: { spot: [false] } }],
    [true, { resources: ['arn:aws:ecs:task/b'] }],
    [false, { resources: ['arn:aws:ecs:task/c'] }],
    [true, { source: [{ prefix: 'aws.' }] }],
    [false, { source: [{ prefix: 'ecs' }] }],
    [false, { detail: { exitCode: [{ prefix: '1' }] } }],
    [true, { resources: [{ prefix: 'arn:aws:ecs:task/b' }] }],
    [true, { detail: { lastStatus: [{ 'anything-but': 'RUNNING' }] } }],
    [false, { detail: { lastStatus: [{ 'anything-but': ['RUNNING', 'STOPPED'] }] } }],
    [false, { detail: { absent: [{ 'anything-but': 'x' }] } }],
    [true, { detail: { absent: [{ exists: false }] } }],
    [false, { detail: { absent: [{ exists: true }] } }],
    [true, { detail: { exitCode: [{ exists: true }] } }],
    [false, { detail: { exitCode: [{ exists: false }] } }],
    [true, { detail: { exitCode: [{ numeric: ['>', 0] }] } }],
    [true, { detail: { exitCode: [{ numeric: ['>=', 1, '<', 2] }] } }],
    [false, { detail: { exitCode: [{ numeric: ['>', 1, '<=', 9] }] } }],
    [true, { detail: { exitCode: [{ numeric: ['=', 1] }] } }],
    [false, { source: [{ numeric: ['=', 1] }] }],
  ])('matches (%s): %j', (matches, pattern) => {
    expect(compilePattern(pattern)(event)).toBe(matches);
  });

  it.each<[object, RegExp]>([
    [{ source: [{ suffix: 'ecs' }] }, /EventPattern.source: suffix is not supported/],
    [{ source: [{ wildcard: '*' }] }, /wildcard is not supported/],
    [{ source: [{ prefix: 'a', suffix: 'b' }] }, /suffix beside prefix/],
    [{ source: [{ prefix: { 'equals-ignore-case': 'a' } }] }, /prefix must be text/],
    [{ detail: { a: [{ 'anything-but': { prefix: 'x' } }] } }, /EventPattern.detail.a: anything-but/],
    [{ $or: [{ source: ['a'] }] }, /EventPattern.\$or is not supported/],
    [{ source: 'aws.ecs' }, /EventPattern.source must be an object/],
    [{ source: [] }, /EventPattern.source has no values/],
    [{ source: [['x']] }, /cannot be matched/],
    [{ a: [{ numeric: ['~', 1] }] }, /numeric/],
    [{ a: [{ numeric: ['<'] }] }, /numeric/],
  ])('is refused by name: %j', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(message);
  });

  it('that is made of the event’s own values always matches', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const { tree } = fc.letrec<{ tree: Record<string, unknown> }>((tie) => ({
      tree: fc.dictionary(
        fc.string().filter((key) => !key.startsWith('$') && key !== '__proto__'),
        fc.oneof({ maxDepth: 3 }, leaf, tie('tree')),
      ),
    }));
    const patternOf = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, patternOf(inner)]))
        : [value];
    void fc.assert(fc.property(tree, (value) => compilePattern(patternOf(value))(value)));
  });
});
