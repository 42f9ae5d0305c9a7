import { OidcIssuers } from '../shared/control/oidc/oidc-settings.ts';
import type { CommandIo } from './io.ts';
import { readSettingsFile } from './settings-file.ts';

/** Reads issuers of identity tokens from a file, as a setting of the stack. @throws CliError that names each wrong field */
export const readOidcSetting = (file: string, io: Pick<CommandIo, 'cwd'>): string =>
  JSON.stringify(
    readSettingsFile(
      file,
      OidcIssuers,
      {
        code: 'bad_oidc',
        message: 'does not name issuers of identity tokens.',
        hint: 'docs/how-to/sign-in.md describes the format.',
      },
      io,
    ),
  );
