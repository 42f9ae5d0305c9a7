import type { RuleDefinition } from '../../framework/rule-family.ts';
import { makeFakeSecret, SECRET_HEX_DIGITS } from '../../scan/fake-secrets.ts';
import { defineScanRule } from '../../scan/scan-rule.ts';

/** What tells how the own house is built. */
export const PROPRIETARY_RULES: readonly RuleDefinition[] = [
  defineScanRule({
    id: 'private_ip_address',
    default: 'info',
    summary: 'a private address of a network',
    rationale: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    violatingFile: ['src/net.ts', 'const host = "10.20.30.40";'],
    harmlessFile: ['src/net.ts', 'const version = "10.2.3";'],
  }),
  defineScanRule({
    id: 'internal_hostname',
    default: 'info',
    summary: 'the name of an internal machine',
    rationale: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    violatingFile: ['src/net.ts', 'fetch("https://billing.shop.internal/v1")'],
    harmlessFile: ['src/net.ts', 'const value = this.store.internal.cache;'],
  }),
  defineScanRule({
    id: 'customer_id',
    default: 'info',
    summary: 'the id of a customer',
    rationale: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    violatingFile: [
      'src/tenant.ts',
      `const customer_id = '${[8, 4, 4, 4, 12].map((length) => makeFakeSecret(length, SECRET_HEX_DIGITS)).join('-')}';`,
    ],
    harmlessFile: ['src/tenant.ts', 'const customer_id = request.customer;'],
  }),
  defineScanRule({
    id: 'prod_db_connection',
    default: 'info',
    summary: 'the address of a production database',
    rationale: 'It tells others how the house is built; it is worth knowing, and mostly no secret.',
    violatingFile: ['src/db.ts', 'const prodDbHost = "orders-1.rds.shop.io";'],
    harmlessFile: ['src/db.ts', 'const prodDbHost = config.host;'],
  }),
];
