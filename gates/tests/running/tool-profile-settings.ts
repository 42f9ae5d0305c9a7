import * as z from 'zod';
import { LANGUAGES } from '../../core/language.ts';
import { TOOL_KINDS } from '../../languages/language-tool.ts';

const ToolName = z.string().trim().min(1).max(100);

/** What a project says about one language. */
const ProfileSetting = z.strictObject({
  ...Object.fromEntries(TOOL_KINDS.map((kind) => [kind, ToolName.optional()])),
}) as z.ZodType<{ readonly [key in (typeof TOOL_KINDS)[number]]?: string | undefined }>;

/** `profiles` under `quality_gates`: the tool of each gate by language, by name, or `none`. */
const ToolProfilesSetting = z.strictObject(
  Object.fromEntries(LANGUAGES.map((language) => [language, ProfileSetting.optional()])) as Record<
    (typeof LANGUAGES)[number],
    z.ZodOptional<typeof ProfileSetting>
  >,
);
export type ToolProfilesSetting = z.infer<typeof ToolProfilesSetting>;

/** The key that every gate with tools reads. */
export const TOOL_PROFILES_SETTING_SCHEMA = { profiles: ToolProfilesSetting.optional() };

export const readToolProfiles = (settings: Readonly<Record<string, unknown>>): ToolProfilesSetting =>
  ToolProfilesSetting.optional().safeParse(settings['profiles']).data ?? {};
