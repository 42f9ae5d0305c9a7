/** What can leak: text of others, data of people, how the own house is built. Each can block, warn or be off. */
export const DLP_CATEGORIES = ['license', 'regulated', 'proprietary'] as const;
export type DlpCategory = (typeof DLP_CATEGORIES)[number];
