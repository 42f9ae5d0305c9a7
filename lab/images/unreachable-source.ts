const NETWORK_ERROR =
  'dial tcp|no such host|name resolution|i/o timeout|Client\\.Timeout|TLS handshake timeout|connection refused|' +
  'connection reset|network is unreachable|proxyconnect|toomanyrequests|x509:|context deadline exceeded';

/** Lines in which an engine, buildah, apt or npm says that it cannot reach what it downloads from. */
const UNREACHABLE: readonly RegExp[] = [
  new RegExp(
    `(?:resolve source metadata|failed to do request|pinging container registry|docker://|https?://[^ ]+/v2/).*(?:${NETWORK_ERROR})`,
    'i',
  ),
  /\btoomanyrequests\b/,
  /(?:Err:|[EW]:|Ign:|\s).*(?:Temporary failure resolving|Could not resolve|Could not connect to|Unable to connect to|Cannot initiate the connection to) ?['"\w]/,
  /\bnpm (?:error|ERR!).*\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b/,
];

/**
 * Finds the line of a build's output that says that a registry or a mirror cannot be reached from this machine.
 * @returns null for a build that failed for another reason, such as a tag that does not exist
 */
export const findUnreachableSource = (output: string): string | null =>
  output
    .split('\n')
    .find((line) => UNREACHABLE.some((pattern) => pattern.test(line)))
    ?.trim() ?? null;
