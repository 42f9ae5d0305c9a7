import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile } from '../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { readBlobSizes } from '../../../workspace/git/stream-blobs.ts';
import { type FolderEntry, listFolder } from '../../../workspace/git/tree-folder.ts';

/** What the project itself is licensed under, as the base commit says. */
export interface ProjectLicense {
  /** SPDX identifiers, in lower case. */
  readonly spdxIds: ReadonlySet<string>;
  /** Holders of the copyright, in lower case, without dates and addresses. */
  readonly copyrightHolders: ReadonlySet<string>;
  /** Part of the GNU family. */
  readonly isGnu: boolean;
  /** "All rights reserved" is part of its own notice. */
  readonly reservesAllRights: boolean;
}

const NAMES: ReadonlySet<string> = new Set([
  'LICENSE',
  'LICENSE.md',
  'LICENSE.txt',
  'LICENCE',
  'LICENCE.md',
  'LICENCE.txt',
  'COPYING',
  'COPYING.LESSER',
  'COPYRIGHT',
  'NOTICE',
  'NOTICE.txt',
  'AUTHORS',
  'package.json',
  'pyproject.toml',
  'setup.cfg',
  'Cargo.toml',
]);

/** Most folders that are looked into. */
const MAX_FOLDERS = 200;

/** Largest such file that is read, in bytes. */
const MAX_BYTES = 262_144;

/** The head of a license text, and what it is called. Longer names first: one can be the beginning of another. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/GNU AFFERO GENERAL PUBLIC LICENSE\s{1,80}Version 3/i, 'agpl-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE\s{1,80}Version 3/i, 'lgpl-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE\s{1,80}Version 2\.1/i, 'lgpl-2.1'],
  [/GNU GENERAL PUBLIC LICENSE\s{1,80}Version 3/i, 'gpl-3.0'],
  [/GNU GENERAL PUBLIC LICENSE\s{1,80}Version 2/i, 'gpl-2.0'],
  [/Apache License,?\s{1,80}Version 2\.0/i, 'apache-2.0'],
  [/Mozilla Public License,?\s{1,80}Version 2\.0/i, 'mpl-2.0'],
  [/Permission is hereby granted, free of charge/i, 'mit'],
  [/Permission to use, copy, modify, and\/or distribute/i, 'isc'],
  [/Redistributions of source code must retain[\s\S]{0,1200}Neither the name/i, 'bsd-3-clause'],
  [/Redistributions of source code must retain/i, 'bsd-2-clause'],
  [/This is free and unencumbered software/i, 'unlicense'],
];

/** A line that says whose it is: year or years, then a name. UTF-8 read as Latin-1 has two characters for some signs. */
export const COPYRIGHT_LINE_PATTERN = String.raw`Copyright[ \t]{1,4}(?:\(c\)|\u00c2?\u00a9|&copy;)?[ \t]{0,4}(?:\d{4}(?:[ \t]{0,2}(?:-|,|\u00e2\u0080\u0093|to)[ \t]{0,2}(?:\d{4}|present|now)){0,6})[ ,\t]{1,4}(?:by[ \t]{1,4})?(?<value>[^\n\r*#<>"'|]{2,100})`;

/** A name without what stands around it in different notices. */
export const normalizeCopyrightHolder = (text: string): string =>
  text
    .replace(/all rights reserved.*$/i, '')
    .replace(/<[^<>]*>|\([^()]*\)|https?:\/\/\S+/g, '')
    .replace(/\.(?=\s|,|$)/g, '')
    .replace(/^[\s,.;:-]+|(?<![\s,.;:*/-])[\s,.;:*/-]+$/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();

/** Reads the license and the package metadata of the base, in the root and in the folders above `paths`. */
export async function readProjectLicense(
  store: GitStore,
  base: string,
  paths: readonly string[],
): Promise<ProjectLicense> {
  const folders = new Set(paths.flatMap(foldersOf));
  const listed: FolderEntry[] = [];
  for (const folder of [...folders].slice(0, MAX_FOLDERS)) {
    const entries = await listFolder(store, base, folder.slice(0, -1));
    listed.push(
      ...entries.filter((entry) => isRegularFile(entry) && NAMES.has(entry.path.slice(folder.length))),
    );
  }
  const sizes = await readBlobSizes(
    store,
    listed.map(({ id }) => id),
  );
  const files = listed.filter(({ id }) => (sizes.get(id) ?? 0) <= MAX_BYTES);
  const blobs = await readBlobs(
    store,
    files.map(({ id }) => id),
  );
  const texts = files.map(({ id, path }) => ({
    path,
    text: (blobs.get(id) ?? Buffer.alloc(0)).toString('latin1'),
  }));
  return understand(texts);
}

/** The folders that a path lies in, with a slash at the end; the root is empty. */
function foldersOf(path: string): string[] {
  const folders = [''];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    folders.push(path.slice(0, at + 1));
  return folders;
}

/** Exported for tests. */
function understand(files: readonly { readonly path: string; readonly text: string }[]): ProjectLicense {
  const licenses = new Set<string>();
  const owners = new Set<string>();
  let reserved = false;
  const addOwner = (name: string | undefined): void => {
    const owner = normalizeCopyrightHolder(name ?? '');
    if (owner.length >= 2) owners.add(owner);
  };
  const addLicense = (expression: string): void => {
    for (const id of extractSpdxIds(expression)) licenses.add(id);
  };
  for (const { path, text } of files) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === 'package.json') {
      const { license, authors } = packageFacts(text);
      addLicense(license);
      authors.forEach(addOwner);
    } else if (/\.(?:toml|cfg)$/.test(name)) {
      addLicense(
        /^[ \t]*license[ \t]*=[ \t]*(?:\{[ \t]*text[ \t]*=[ \t]*)?["']?([A-Za-z0-9.+() -]{2,80})/m.exec(
          text,
        )?.[1] ?? '',
      );
      for (const match of text.matchAll(/\bname[ \t]*=[ \t]*["']([^"'\n]{2,100})["'][^}\n]{0,200}\}/g))
        addOwner(match[1]);
      for (const match of text.matchAll(/^authors?[ \t]*=[ \t]*\[?[ \t]*["']?([^"'\]\n<]{2,100})/gm))
        addOwner(match[1]);
    } else if (name === 'AUTHORS')
      for (const line of text.split('\n').slice(0, 500)) addOwner(line.replace(/^#.*/, ''));
    else {
      const known = TEXTS.find(([head]) => head.test(text))?.[1];
      if (known) licenses.add(known);
      for (const match of text.matchAll(new RegExp(COPYRIGHT_LINE_PATTERN, 'gi')))
        addOwner(match.groups?.['value']);
      for (const match of text.matchAll(/SPDX-License-Identifier:[ \t]*([A-Za-z0-9.+() -]{2,80})/g))
        addLicense(match[1] ?? '');
      reserved ||= /all rights reserved/i.test(text);
    }
  }
  return {
    spdxIds: licenses,
    copyrightHolders: owners,
    reservesAllRights: reserved,
    isGnu: [...licenses].some((id) => /^[al]?gpl/.test(id)),
  };
}

/** The identifiers of an SPDX expression; `GPL-3.0-only`, `-or-later` and `+` count as the licence itself. */
export const extractSpdxIds = (expression: string): string[] =>
  expression
    .split(/[()\s]+/)
    .map((id) => id.toLowerCase().replace(/(?:-only|-or-later|\+)$/, ''))
    .filter((id) => !/^(?:and|or|with|)$|exception/.test(id));

function packageFacts(text: string): { readonly license: string; readonly authors: readonly string[] } {
  try {
    const { license, author, contributors } = JSON.parse(text) as Record<string, unknown>;
    const nameOf = (person: unknown): string =>
      typeof person === 'string'
        ? person
        : typeof person === 'object' && person !== null && 'name' in person
          ? String(person.name)
          : '';
    return {
      license: typeof license === 'string' ? license : '',
      authors: [author, ...(Array.isArray(contributors) ? contributors : [])].map(nameOf),
    };
  } catch {
    return { license: '', authors: [] };
  }
}
