import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that are nobody's public server: private, link-local (with it the metadata of AWS), reserved, for documentation. */
const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');

/** What is in use of IPv6 for servers of the public. Everything else is refused, so that a new kind of address is no way in. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');
/** Within it: for documentation, and addresses that carry others, which are then not looked at. */
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');

/** May the platform connect there on somebody's word? */
export function isPublicIpAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  return family === 6 && GLOBAL.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}

export class PrivateAddressError extends Error {}

/**
 * A lookup that hands out public addresses only. It is the connection's own lookup, so what was looked at is what is connected to,
 * however often the name changes its mind. The first private address ends it: an honest name has none.
 */
export const createPublicDnsLookup =
  (lookup: typeof systemLookup = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const hidden = error ? undefined : addresses.find(({ address }) => !isPublicIpAddress(address));
      const [first] = error ? [] : addresses;
      if (error) callback(error, '', 0);
      else if (hidden || !first)
        callback(new PrivateAddressError(`${hostname} has no public address`), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
