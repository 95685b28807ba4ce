/** A malformed command line. */
export class UsageError extends Error {}
