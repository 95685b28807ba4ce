/** Formats a number of bytes for display: "512 bytes", "1.5 KiB" or "25 MiB". */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  let [unit, value] = [0, bytes]
  while (value >= 1024 && unit < units.length - 1) [unit, value] = [unit + 1, value / 1024]
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0).replace(/\.0$/, '')} ${units[unit]}`
}
