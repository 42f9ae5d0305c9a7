import { describe, expect, it } from 'vitest';
import { deploy, flow, invoke } from './support.ts';

const end = { Type: 'Succeed' };
const inner = (state: object) => ({ StartAt: 'In', States: { In: state } });
const token = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';

describe('a definition is refused at start, with state and key,', () => {
  it.each<[string, object, RegExp]>([
    ['JSONPath', { ...flow(end), QueryLanguage: 'JSONPath' }, /QueryLanguage/],
    ['JSONPath of one state', flow({ ...end, QueryLanguage: 'JSONPath' }), /"First".*QueryLanguage/],
    ['a key of JSONPath', flow(invoke({ ResultSelector: {} })), /"First": ResultSelector is not supported/],
    ['a misspelt key', flow(invoke({ TimeoutSecond: 3 })), /"First": TimeoutSecond is not supported/],
    ['a misspelt key in Retry', flow(invoke({ Retry: [{ ErrorEquals: ['A'], Max: 1 }] })), /Retry\[0\]\.Max/],
    ['an unknown type', flow({ Type: 'Activity' }), /"First": Type "Activity" is not supported/],
    [
      'an unknown service',
      flow(invoke({ Resource: 'arn:aws:states:::sns:publish' })),
      /"First".*sns:publish/,
    ],
    [
      'an unknown argument',
      flow(invoke({ Arguments: { FunctionName: 'f', InvocationType: 'Event' } })),
      /"First": Arguments.InvocationType is not supported/,
    ],
    ['a missing argument', flow(invoke({ Arguments: { Payload: 1 } })), /Arguments.FunctionName is missing/],
    ['a Next that does not exist', flow({ Type: 'Pass', Next: 'Nowhere' }), /"First": Next.*"Nowhere"/],
    [
      'a Catch that leads nowhere',
      flow(invoke({ Catch: [{ ErrorEquals: ['A'], Next: 'Nowhere' }] })),
      /Catch\[0\]\.Next.*"Nowhere"/,
    ],
    ['a StartAt that does not exist', { StartAt: 'Nowhere', States: { First: end } }, /StartAt.*"Nowhere"/],
    ['neither Next nor End', flow({ Type: 'Pass' }), /"First".*exactly one of Next and End/],
    ['both Seconds and Timestamp', flow({ Type: 'Wait', Seconds: 1, Timestamp: 'x', End: true }), /"First"/],
    [
      'States.ALL before others',
      flow(
        invoke({
          Catch: [
            { ErrorEquals: ['States.ALL'], Next: 'End' },
            { ErrorEquals: ['A'], Next: 'End' },
          ],
        }),
        { End: end },
      ),
      /Catch\[0\].*States.ALL/,
    ],
    ['a syntax error', flow({ ...end, Output: '{% 1 + %}' }), /"First": Output.*1 \+/],
    ['$eval', flow({ ...end, Output: "{% $eval('1') %}" }), /"First": Output: \$eval/],
    [
      'a fault in a branch',
      flow({ Type: 'Parallel', Branches: [inner(end), inner({ Type: 'Pass' })], End: true }),
      /"First": Branches\[1\]: state "In"/,
    ],
    [
      'a distributed Map',
      flow({
        Type: 'Map',
        ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED' }, ...inner(end) },
        End: true,
      }),
      /"First": ItemProcessor.ProcessorConfig.Mode/,
    ],
    [
      'an inner assignment to an outer variable',
      flow({
        Type: 'Map',
        Assign: { taken: 1 },
        ItemProcessor: inner({ Type: 'Pass', Assign: { taken: 2 }, End: true }),
        End: true,
      }),
      /"First": ItemProcessor: Assign.taken/,
    ],
  ])('for %s', (_name, definition, message) => {
    expect(() => deploy(definition)).toThrow(message);
    expect(() => deploy(definition)).toThrow(/state machine "M"/);
  });

  it.each([
    [
      'a callback',
      flow(invoke({ Resource: token, Arguments: { QueueUrl: 'q', MessageBody: 'b' } })),
      {},
      token,
    ],
    ['a Standard machine', flow(end), { type: 'STANDARD' }, 'StateMachineType STANDARD is not supported'],
  ])('for %s', (_name, definition, options, message) => {
    expect(() => deploy(definition, options)).toThrow(message);
  });
});
