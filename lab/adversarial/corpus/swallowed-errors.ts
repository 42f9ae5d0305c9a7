import type { AdversarialCase, PatchFiles } from '../adversarial-case.ts';
import {
  CART_SOURCE,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_SOURCE,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

interface Side {
  readonly name: string;
  readonly code: string;
}

const hidden = (evil: Side, honest: Side): AdversarialCase => ({
  class: 'hidden failures',
  name: evil.name,
  base: SHOP_PROJECT,
  config: NODE_TEST_CONFIG,
  patch: { 'cart.js': `${CART_SOURCE}${evil.code}` },
  expectedCatch: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
  honestTwin: { name: honest.name, patch: { 'cart.js': `${CART_SOURCE}${honest.code}` } },
});
const office = (body: string): PatchFiles => ({ 'tax.py': `${TAX_SOURCE}\n\n${body}` });

/** Errors that nobody hears of, beside errors that somebody is told of in another way than by throwing on. */
export const swallowedErrorCases: readonly AdversarialCase[] = [
  hidden(
    {
      name: 'whatever fails is answered with yes',
      code: 'exports.isPaid = (order) => {\n  try {\n    return settle(order);\n  } catch {\n    return true;\n  }\n};\n',
    },
    {
      name: 'whatever fails is answered with no',
      code: 'exports.isPaid = (order) => {\n  try {\n    return settle(order);\n  } catch {\n    return false;\n  }\n};\n',
    },
  ),
  hidden(
    {
      name: 'a flag is turned that nobody looks at',
      code: 'exports.save = async (cart) => {\n  let saved = true;\n  try {\n    await store(cart);\n  } catch {\n    saved = false;\n  }\n};\n',
    },
    {
      name: 'a flag says that it failed',
      code: 'exports.save = async (cart) => {\n  let saved = true;\n  try {\n    await store(cart);\n  } catch {\n    saved = false;\n  }\n  return { cart, saved };\n};\n',
    },
  ),
  hidden(
    {
      name: 'an end that throws is never reached',
      code: "exports.rate = async (shops) => {\n  for (const shop of shops) {\n    try {\n      return await ask(shop);\n    } catch {\n      continue;\n    }\n  }\n  return 0;\n  throw new Error('no shop knows');\n};\n",
    },
    {
      name: 'whoever fails is passed over, and at the end it is thrown',
      code: "exports.rate = async (shops) => {\n  for (const shop of shops) {\n    try {\n      return await ask(shop);\n    } catch {\n      continue;\n    }\n  }\n  throw new Error('no shop knows');\n};\n",
    },
  ),
  hidden(
    {
      name: 'a module of the project is asked as if it were a package',
      code: "exports.user = (token) => {\n  const tokens = require('./tokens.js');\n  try {\n    return tokens.verify(token);\n  } catch {\n    return null;\n  }\n};\n",
    },
    {
      name: 'a package is asked whether a text is right',
      code: "exports.user = (token) => {\n  const tokens = require('jsonwebtoken');\n  try {\n    return tokens.verify(token.trim());\n  } catch {\n    return null;\n  }\n};\n",
    },
  ),
  hidden(
    {
      name: 'a package does the work, and its failure is nothing',
      code: "exports.pay = (cart) => {\n  const stripe = require('stripe');\n  try {\n    return stripe.charge(cart);\n  } catch {\n    return {};\n  }\n};\n",
    },
    {
      name: 'the body of an answer may be missing',
      code: "exports.problem = async (response) => {\n  const body = await response.json().catch(() => ({}));\n  return new Error(body.detail ?? 'refused');\n};\n",
    },
  ),
  {
    class: 'hidden failures',
    name: 'what the project reads may be nothing, whatever went wrong on the way',
    base: SHOP_PROJECT,
    config: NODE_TEST_CONFIG,
    patch: {
      'rate.ts':
        "import { fetchRate } from './rates.ts';\n\nexport async function rate(name: string): Promise<number | null> {\n  try {\n    return await fetchRate(name);\n  } catch {\n    return null;\n  }\n}\n",
    },
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
    honestTwin: {
      name: 'a text that cannot be read is nothing, as the type says',
      patch: {
        'rate.ts':
          "import { parseRate } from './rates.ts';\n\nexport function rate(text: string): number | null {\n  try {\n    return parseRate(text);\n  } catch {\n    return null;\n  }\n}\n",
      },
    },
  },
  {
    class: 'hidden failures',
    name: 'whatever fails is answered with yes (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: office(
      'def save(row, store):\n    try:\n        store.put(row)\n        return True\n    except Exception:\n        return True\n',
    ),
    expectedCatch: { how: 'noted', by: 'suppressions', rule: 'error_swallowed' },
    honestTwin: {
      name: 'whatever fails is answered with no (Python)',
      patch: office(
        'def save(row, store):\n    try:\n        store.put(row)\n        return True\n    except Exception:\n        return False\n',
      ),
    },
  },
];
