import { describe, expect, it } from 'vitest';
import { getImagesExitCode } from '../../../lab/images/main.ts';
import { findUnreachableSource } from '../../../lab/images/unreachable-source.ts';
import { SKIPPED_EXIT_CODE } from '../../checks/check-steps.ts';

describe('a build that fails', () => {
  it.each([
    'ERROR: failed to do request: Head "https://registry.example/v2/a/manifests/1": dial tcp: lookup registry.example: no such host',
    'Error: initializing source docker://node:24: pinging container registry registry.example: Get "https://registry.example/v2/": dial tcp 10.0.0.1:443: i/o timeout',
    'Error response from daemon: Get "https://registry.example/v2/": net/http: TLS handshake timeout',
    'toomanyrequests: You have reached your pull rate limit.',
    "Err:1 http://mirror.example/debian trixie InRelease Temporary failure resolving 'mirror.example'",
    '  Could not connect to mirror.example:80 (10.0.0.1), connection timed out',
    'npm error code EAI_AGAIN',
  ])('is skipped where a registry or a mirror cannot be reached: %s', (line) => {
    expect(findUnreachableSource(`STEP 1\n${line}\nlast`)).toBe(line.trim());
  });

  it.each([
    'ERROR: registry.example/node:99: not found',
    'Error: initializing source docker://node:99: reading manifest 99: manifest unknown',
    'E: Unable to locate package no-such-package',
    'npm error code E404',
    'AssertionError: connect ECONNREFUSED 127.0.0.1:1',
    '/bin/sh: 1: nosuch: not found',
  ])('fails where the Dockerfile or the product is broken: %s', (line) => {
    expect(findUnreachableSource(`STEP 1\n${line}\nlast`)).toBeNull();
  });
});

describe('the exit code of npm run images', () => {
  it.each([
    [['built', 'skipped'], 0],
    [['failed', 'skipped'], 1],
    [['skipped', 'skipped'], SKIPPED_EXIT_CODE],
  ] as const)('of %j is %i', (outcomes, code) => {
    expect(getImagesExitCode(outcomes.map((outcome) => ({ outcome })))).toBe(code);
  });
});
