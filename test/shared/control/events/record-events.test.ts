import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import {
  derivePublishedRecordEvents,
  PUBLISHED_RECORD_EVENT_SCHEMAS,
  PublishedRecordTables,
} from '../../../../shared/control/events/record-events.ts';
import type { DerivedRow } from '../../../../shared/control/ledger/derive-rows.ts';
import { RECORD_TABLE_NAMES } from '../../../../shared/control/ledger/record-rows.ts';
import { EventPublisher } from '../../../../shared/store/event-publisher.ts';
import { fakeSha1 } from '../../../support/builders.ts';
import { mockAwsClient } from '../../../support/mock-aws-client.ts';

const nudge = (id: string): DerivedRow => ({
  table: 'verification_nudges',
  date: '2026-11-20',
  row: {
    record_id: id,
    schema_version: 1,
    task_id: id,
    session_id: id,
    timestamp: 1_795_168_800.5,
    tests_run: true,
    quality_gates_run: false,
    completion_signals_checked: false,
    verified: true,
    evidence_source: 'gates_container',
    tree: fakeSha1('b'),
  },
});

describe('records as events', () => {
  it('are those of the tables that were asked for, each once, and keep to their schema', () => {
    const rows = [nudge('T1#1'), nudge('T1#1'), nudge('T2#1')];
    expect(derivePublishedRecordEvents(rows, [])).toEqual([]);
    expect(derivePublishedRecordEvents(rows, ['tasks'])).toEqual([]);
    const events = derivePublishedRecordEvents(rows, PublishedRecordTables.parse(['verification_nudges']));
    expect(events.map(({ name, detail }) => [name, detail.event_id, detail.at])).toEqual([
      ['Record verification_nudges', 'verification_nudges#T1#1', '2026-11-20T10:00:00.500Z'],
      ['Record verification_nudges', 'verification_nudges#T2#1', '2026-11-20T10:00:00.500Z'],
    ]);
    for (const { name, detail } of events)
      expect(PUBLISHED_RECORD_EVENT_SCHEMAS[name]?.parse(detail)).toEqual(detail);
  });

  it('have a schema for every table', () => {
    expect(Object.keys(PUBLISHED_RECORD_EVENT_SCHEMAS)).toEqual(
      RECORD_TABLE_NAMES.map((table) => `Record ${table}`),
    );
    expect(PublishedRecordTables.safeParse(['nothing']).success).toBe(false);
  });

  it('go to the bus ten at a time, and fewer where they are large', async () => {
    const bus = mockAwsClient(EventBridgeClient);
    bus.on(PutEventsCommand).callsFake(({ Entries }: PutEventsCommand['input']) => ({
      Entries: (Entries ?? []).map((_, index) => ({ EventId: String(index) })),
    }));
    const small = derivePublishedRecordEvents(
      Array.from({ length: 23 }, (_, index) => nudge(`T${index}`)),
      ['verification_nudges'],
    );
    const large = derivePublishedRecordEvents(
      Array.from({ length: 4 }, (_, index) => nudge(`${'x'.repeat(40_000)}${index}`)),
      ['verification_nudges'],
    );
    await new EventPublisher(new EventBridgeClient({}), 'Assay').publish([...small, ...large]);
    const sizes = bus.commandCalls(PutEventsCommand).map(({ args }) => args[0].input.Entries ?? []);
    expect(sizes.flat()).toHaveLength(27);
    for (const each of sizes) {
      expect(each.length).toBeLessThanOrEqual(10);
      const bytes = each.reduce((sum, { Detail = '' }) => sum + Buffer.byteLength(Detail), 0);
      expect(each.length === 1 || bytes <= 200_000).toBe(true);
    }
  });
});
