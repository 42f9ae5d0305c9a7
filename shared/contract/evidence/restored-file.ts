/** Was a protected file judged otherwise than it will be delivered? */
export const isRestoredProtectedFile = ({ used }: { readonly used: 'base' | 'part' | 'patch' }): boolean =>
  used !== 'patch';
