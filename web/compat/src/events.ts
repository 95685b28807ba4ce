/** Dispatches an event on the window. The name of the event is an id, and its detail is `data`. */
export function dispatchIdEvent(id: number | string, data?: any): void {
  if (typeof window === 'undefined') return
  window.dispatchEvent(new CustomEvent(String(id), { detail: data }))
}
