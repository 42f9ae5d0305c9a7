import type { lookup as systemLookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { createPublicDnsLookup, isPublicIpAddress } from '../../../functions/runtime/public-address.ts';

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '169.254.170.2',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001:db8::1',
    'not an address',
  ])('%s is not public', (address) => {
    expect(isPublicIpAddress(address)).toBe(false);
  });

  it.each(['140.82.121.4', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])(
    '%s is public',
    (address) => {
      expect(isPublicIpAddress(address)).toBe(true);
    },
  );
});

describe('a name', () => {
  const lookingUp = (...addresses: string[]) =>
    createPublicDnsLookup(((
      _name: string,
      _options: object,
      callback: (error: null, found: object[]) => void,
    ) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as typeof systemLookup);
  const resolved = (all: boolean, ...addresses: string[]) =>
    new Promise((resolve) => {
      lookingUp(...addresses)('git.example', { all }, (error, address) => resolve(error ?? address));
    });

  it('is connected to at what was looked at', async () => {
    expect(await resolved(false, '140.82.121.4')).toBe('140.82.121.4');
    expect(await resolved(true, '140.82.121.4', '2606:4700::1111')).toHaveLength(2);
  });

  it('with a private address among its public ones is refused as a whole', async () => {
    expect(await resolved(true, '140.82.121.4', '169.254.169.254')).toMatchObject({
      message: 'git.example has no public address',
    });
    expect(await resolved(false)).toBeInstanceOf(Error);
  });
});
