import { mintOperatorToken, operatorTokenItem } from '../../shared/contract/access/tokens.ts';
import type { SimulatedTable } from './engines/simulated-table.ts';

/** The token of an operator, whose item is put into the table before time begins. */
export function createOperatorItem(table: SimulatedTable, name = 'operator'): string {
  const token = mintOperatorToken();
  table.run('PutCommand', { Item: operatorTokenItem(token, name, 'admin') });
  return token;
}
