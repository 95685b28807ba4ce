/** Dispatches an event on the window whose name is an id. Its detail is `data`. */
export function dispatchIdEvent(id: number | string, data?: any): void {
  if (typeof window === 'undefined') return
  window.dispatchEvent(new CustomEvent(String(id), { detail: data }))
}
