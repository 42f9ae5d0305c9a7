import * as z from 'zod';
import { isLoopbackUrl } from '../../contract/repository/loopback.ts';

/** Address of a collector; without TLS only on this machine, because traces name repositories and tasks. */
export const OtlpEndpoint = z
  .url({ protocol: /^https?$/, error: 'must be an address, such as https://collector.example/v1/traces' })
  .refine((text) => {
    // That it is none was said already.
    if (!URL.canParse(text)) return true;
    const { protocol, username, password } = new URL(text);
    return (protocol === 'https:' || isLoopbackUrl(text)) && username === '' && password === '';
  }, 'must be https without a password in it, or http on this machine');
