/** Bytes as people read them: 25 MiB. */
export function size(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  let [at, value] = [0, bytes]
  while (value >= 1024 && at < units.length - 1) [at, value] = [at + 1, value / 1024]
  return `${value.toFixed(value < 10 && at > 0 ? 1 : 0).replace(/\.0$/, '')} ${units[at]}`
}
