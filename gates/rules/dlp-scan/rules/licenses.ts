import type { Row } from '../../framework/family.ts';
import { scanned } from '../../scan/row.ts';

/** Text that somebody else has the rights to. */
export const LICENSES: readonly Row[] = [
  scanned({
    id: 'spdx_identifier',
    default: 'block',
    says: 'the licence of somebody else',
    why: 'Text under another licence may bind the whole product.',
    has: ['src/lib.c', '/* SPDX-License-Identifier: GPL-3.0-or-later */'],
    hasNot: ['src/lib.c', '/* SPDX-License-Identifier: Apache-2.0 */'],
  }),
  scanned({
    id: 'copyright_header',
    default: 'block',
    says: 'the copyright of somebody else',
    why: 'Whoever holds the rights has to be asked.',
    has: ['src/lib.js', '/* Copyright (c) 2019 Initech GmbH */'],
    hasNot: ['src/lib.js', '/* Copyright (c) 2024 Acme Ltd */'],
  }),
  scanned({
    id: 'all_rights_reserved',
    default: 'block',
    says: 'rights that somebody reserves',
    why: 'Whoever holds the rights has to be asked.',
    has: ['src/lib.js', '// Initech. All rights reserved.'],
    hasNot: ['src/lib.js', '// All of the rights of a user are in one table.'],
  }),
  scanned({
    id: 'gpl_notice',
    default: 'block',
    says: 'a licence of the GNU family',
    why: 'It binds whatever the text becomes a part of.',
    has: ['src/lib.c', '/* under the terms of the GNU General Public License */'],
    hasNot: ['src/lib.c', '/* under a permissive license */'],
  }),
];
