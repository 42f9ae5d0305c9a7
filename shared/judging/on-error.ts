/** What happens when nobody could judge: `hold` asks a person, `block` refuses, `allow` goes on without the opinion. */
export const ON_ERROR = ['hold', 'block', 'allow'] as const;
export type OnError = (typeof ON_ERROR)[number];
