declare module 'asl-validator' {
  const validate: (
    definition: unknown,
    options?: { checkArn?: boolean },
  ) => { isValid: boolean; errorsText: (separator?: string) => string };
  export default validate;
}
