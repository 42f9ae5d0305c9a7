import { isRecord } from '../resource-properties.ts';
import { type ServiceAction, ServiceError } from '../service-actions.ts';
import type { BusEvent } from '../shared-types.ts';

/** Entries and bytes that one request may have. */
const MOST_ENTRIES = 10;
const MOST_BYTES = 262_144;

export interface PutEventsOptions {
  readonly buses: ReadonlySet<string>;
  /** Puts an event on a bus; the id that it has from then on. */
  put(event: BusEvent, bus: string): string;
}

/**
 * Creates the action `PutEvents`. An invalid entry gets an error in its part of the answer; the others are
 * put.
 */
export function createPutEventsAction({ buses, put }: PutEventsOptions): ServiceAction {
  return ({ Entries: entries }) => {
    if (!Array.isArray(entries) || entries.length === 0 || entries.length > MOST_ENTRIES)
      throw new ServiceError('ValidationException', `Entries must have 1 to ${MOST_ENTRIES} members`);
    if (Buffer.byteLength(JSON.stringify(entries)) > MOST_BYTES)
      throw new ServiceError(
        'ValidationException',
        'Total size of the entries in the request is over the limit.',
      );
    const results = entries.map((entry: unknown) => {
      const { EventBusName: bus = 'default', Source, DetailType, Detail } = isRecord(entry) ? entry : {};
      if (typeof bus !== 'string' || typeof Source !== 'string' || typeof DetailType !== 'string')
        return refused('InvalidArgument', 'Parameter EventBusName, Source or DetailType is not valid.');
      const detail = parsed(Detail);
      if (!detail) return refused('MalformedDetail', 'Detail is malformed.');
      if (Source.startsWith('aws.'))
        return refused('NotAuthorizedForSourceException', 'Not authorized for the source.');
      // EventBridge accepts an entry for a bus that does not exist, and delivers it nowhere.
      if (!buses.has(bus)) return { EventId: 'no-such-bus' };
      return { EventId: put({ source: Source, 'detail-type': DetailType, detail }, bus) };
    });
    return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
  };
}

const refused = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });

function parsed(text: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
