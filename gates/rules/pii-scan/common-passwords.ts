/** What images of databases and queues come with, and everybody writes for a machine of their own. */
const COMMON =
  /^(?:postgres|mysql|mariadb|mongo|redis|rabbitmq|minio(?:admin)?|root(?:pass(?:word)?)?|guest|dev(?:pass(?:word)?)?|example|passw(?:or)?d|pass|pwd|admin|test|secret|user|app|local)$/i;

/** Whether a password is no secret: those who do not know it try it first. */
export const isCommonPassword = (value: string): boolean => COMMON.test(value);
