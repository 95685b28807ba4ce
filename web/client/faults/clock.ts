/**
 * Returns a function that moves the global clock by a number of ms; 0 restores the real clock. `replaceClock` also runs in
 * pages, so it uses no variables of the module.
 */
export function replaceClock(): (by: number) => void {
  const Real = Date
  let offset = 0
  const now = () => Real.now() + offset
  const Moved = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length > 0 ? args : [now()], newTarget) as Date,
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  return (by) => {
    offset = by === 0 ? 0 : offset + by
    globalThis.Date = by === 0 ? Real : Moved
  }
}
