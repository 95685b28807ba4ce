/** Returns a time as `2026-03-01 14:05`, in the time zone of the browser; empty without a time. */
export function timeText(time: string | undefined | null): string {
  if (!time) return ''
  const at = new Date(time)
  return `${dateText(time)} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Returns the day of a time as `2026-03-01`, in the time zone of the browser; empty without a time. */
export function dateText(time: string | undefined | null): string {
  if (!time) return ''
  const at = new Date(time)
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

const two = (n: number): string => String(n).padStart(2, '0')

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** Returns a time relative to now: `5 minutes ago`, `in 3 days`; `now` for less than a minute. */
export function ago(time: string, now: number = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1_000
  for (const [size, unit] of units) {
    const n = Math.floor(Math.abs(seconds) / size)
    if (n === 0) continue
    const amount = `${n} ${n === 1 ? unit : `${unit}s`}`
    return seconds < 0 ? `in ${amount}` : `${amount} ago`
  }
  return 'now'
}

/** Returns a number of bytes in readable form: `412 MB`. */
export function bytesText(bytes: number): string {
  const names = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const step = bytes > 0 ? Math.min(Math.floor(Math.log2(bytes) / 10), names.length - 1) : 0
  const value = bytes / 1024 ** step
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${names[step]}`
}
