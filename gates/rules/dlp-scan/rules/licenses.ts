import type { RuleDefinition } from '../../framework/rule-family.ts';
import { defineScanRule } from '../../scan/scan-rule.ts';

/** Text that somebody else has the rights to. */
export const LICENSE_RULES: readonly RuleDefinition[] = [
  defineScanRule({
    id: 'spdx_identifier',
    default: 'error',
    summary: 'the licence of somebody else',
    rationale: 'Text under another licence may bind the whole product.',
    violatingFile: ['src/lib.c', '/* SPDX-License-Identifier: GPL-3.0-or-later */'],
    harmlessFile: ['src/lib.c', '/* SPDX-License-Identifier: Apache-2.0 */'],
  }),
  defineScanRule({
    id: 'copyright_header',
    default: 'error',
    summary: 'the copyright of somebody else',
    rationale: 'Whoever holds the rights has to be asked.',
    violatingFile: ['src/lib.js', '/* Copyright (c) 2019 Initech GmbH */'],
    harmlessFile: ['src/lib.js', '/* Copyright (c) 2024 Acme Ltd */'],
  }),
  defineScanRule({
    id: 'all_rights_reserved',
    default: 'error',
    summary: 'rights that somebody reserves',
    rationale: 'Whoever holds the rights has to be asked.',
    violatingFile: ['src/lib.js', '// Initech. All rights reserved.'],
    harmlessFile: ['src/lib.js', '// All of the rights of a user are in one table.'],
  }),
  defineScanRule({
    id: 'gpl_notice',
    default: 'error',
    summary: 'a licence of the GNU family',
    rationale: 'It binds whatever the text becomes a part of.',
    violatingFile: ['src/lib.c', '/* under the terms of the GNU General Public License */'],
    harmlessFile: ['src/lib.c', '/* under a permissive license */'],
  }),
];
