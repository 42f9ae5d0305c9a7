import * as z from 'zod';

const id = (kind: string) =>
  z.string().regex(new RegExp(`^${kind}-[0-9a-f]{8,17}$`), `must be the id of a ${kind}`);

/** A network that is there already. The subnets must reach the internet on port 443: by a gateway with public addresses, or by NAT. */
export const ExistingNetworkSetting = z.strictObject({
  vpc: id('vpc'),
  subnets: z.array(id('subnet')).min(1).max(16),
  /** Absent: a group of our own, which lets HTTPS out and nothing in. */
  security_groups: z.array(id('sg')).min(1).max(5).optional(),
  /** True for public subnets, which give addresses to nobody who does not ask. */
  public_addresses: z.boolean().default(false),
});
export type ExistingNetworkSetting = z.infer<typeof ExistingNetworkSetting>;

/** A network that a function runs in. Its subnets need a way out on port 443, by NAT: a function has no public address. */
export const FunctionNetworkSetting = z.strictObject({
  subnets: z.array(id('subnet')).min(1).max(16),
  security_groups: z.array(id('sg')).min(1).max(5),
});
export type FunctionNetworkSetting = z.infer<typeof FunctionNetworkSetting>;

export const VpcEndpointId = id('vpce');
