import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { createDocumentClient } from '../../shared/store/document-client.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { ItemTable } from '../../shared/store/item-table.ts';

/**
 * Returns the one table; called once per execution environment. A function creates the stores that it uses on it, so that it loads no
 * others.
 */
export const openTable = (): ItemTable =>
  new ItemTable(createDocumentClient(), readRequiredEnv(FUNCTION_ENV_NAMES.table));
