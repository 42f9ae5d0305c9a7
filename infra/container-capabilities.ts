/** What a container of Fargate has unless it is taken away. https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_KernelCapabilities.html */
export const FARGATE_DEFAULT_CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
] as const;

/**
 * The supervisor is root and runs every command of a repository as another user. Fargate cannot add capabilities, so what the
 * supervisor does not need is dropped. It keeps CHOWN, DAC_OVERRIDE, FOWNER (to hand over and clear the work volume),
 * SETGID and SETUID (to become the other user) and KILL (to end its processes); a command of the repository has none. Tests run the
 * boxes with what is left.
 */
export const DROPPED_LINUX_CAPABILITIES = [
  'AUDIT_WRITE',
  'FSETID',
  'MKNOD',
  'NET_BIND_SERVICE',
  'NET_RAW',
  'SETFCAP',
  'SETPCAP',
  'SYS_CHROOT',
] as const;
