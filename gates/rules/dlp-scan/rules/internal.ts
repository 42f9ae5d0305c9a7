import type { Row } from '../../framework/family.ts';
import { HEX, made } from '../../scan/made.ts';
import { scanned } from '../../scan/row.ts';

/** What tells how the own house is built. */
export const INTERNAL: readonly Row[] = [
  scanned({
    id: 'private_ip_address',
    default: 'report',
    says: 'a private address of a network',
    why: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    has: ['src/net.ts', 'const host = "10.20.30.40";'],
    hasNot: ['src/net.ts', 'const version = "10.2.3";'],
  }),
  scanned({
    id: 'internal_hostname',
    default: 'report',
    says: 'the name of an internal machine',
    why: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    has: ['src/net.ts', 'fetch("https://billing.shop.internal/v1")'],
    hasNot: ['src/net.ts', 'const value = this.store.internal.cache;'],
  }),
  scanned({
    id: 'customer_id',
    default: 'report',
    says: 'the id of a customer',
    why: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    has: [
      'src/tenant.ts',
      `const customer_id = '${[8, 4, 4, 4, 12].map((length) => made(length, HEX)).join('-')}';`,
    ],
    hasNot: ['src/tenant.ts', 'const customer_id = request.customer;'],
  }),
  scanned({
    id: 'prod_db_connection',
    default: 'report',
    says: 'the address of a production database',
    why: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    has: ['src/db.ts', 'const prodDbHost = "orders-1.rds.shop.io";'],
    hasNot: ['src/db.ts', 'const prodDbHost = config.host;'],
  }),
];
