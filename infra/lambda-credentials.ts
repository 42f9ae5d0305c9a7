interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

function credentials(): Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('there are no AWS credentials in the environment');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

/**
 * Stands in for `@aws-sdk/credential-provider-node` in the bundles of the functions. Lambda always puts the role's credentials into
 * the environment, so the other ways to find some (SSO, files, instance metadata, …) would only be code to load at each cold start.
 */
export const defaultProvider = () => async (): Promise<Credentials> => credentials();
