let [formattedAt, formatted] = [0, '']

/** Returns the time as ISO 8601. It is formatted at most once per millisecond, because formatting is slow. */
export function timestamp(): string {
  const now = Date.now()
  if (now !== formattedAt) [formattedAt, formatted] = [now, new Date(now).toISOString()]
  return formatted
}
