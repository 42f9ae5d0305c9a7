import type { UnknownRecord } from '../resource-properties.ts';
import type { ItemImage } from './item-image.ts';
import type { TableSpec } from './tables.ts';

export type WriteOperation = 'PutItem' | 'UpdateItem' | 'DeleteItem';

/** A write of one item, before it is made. */
export interface ItemWrite {
  readonly table: TableSpec;
  readonly operation: WriteOperation;
  readonly request: UnknownRecord;
  readonly key: ItemImage;
  readonly old: ItemImage | null;
  /** True for a removal by time to live. */
  readonly byService: boolean;
}
