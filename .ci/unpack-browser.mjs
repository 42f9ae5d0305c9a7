// node unpack-browser.mjs FOLDER PROGRAM: unpacks the Chromium of the npm package in FOLDER, and writes PROGRAM, which starts it.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , folder, program] = process.argv;
const unpacked = join(folder, 'unpacked');
mkdirSync(unpacked, { recursive: true });
// It unpacks into the temporary folder, and nowhere else.
process.env.TMPDIR = unpacked;
const entry = createRequire(join(folder, 'package.json')).resolve('@sparticuz/chromium');
const { default: chromium, inflate } = await import(pathToFileURL(entry).href);
const executable = await chromium.executablePath();
await inflate(join(folder, 'node_modules/@sparticuz/chromium/bin/al2023.tar.br'));
// Without a font there is no text, and without text it crashes.
writeFileSync(
  join(unpacked, 'fonts/fonts.conf'),
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${unpacked}/fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${unpacked}/fonts-cache</cachedir>
</fontconfig>
`,
);
writeFileSync(
  program,
  `#!/bin/sh
LD_LIBRARY_PATH='${unpacked}/al2023/lib' FONTCONFIG_PATH='${unpacked}/fonts' exec '${executable}' "$@"
`,
);
chmodSync(program, 0o755);
