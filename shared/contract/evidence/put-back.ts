/** Was a protected file judged otherwise than it will be delivered? */
export const isPutBack = ({ used }: { readonly used: 'base' | 'part' | 'patch' }): boolean =>
  used !== 'patch';
