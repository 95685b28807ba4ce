/**
 * Puts another clock in the place of this one and returns what moves it, by milliseconds, or back with 0. Runs in pages too, so it
 * refers to nothing around it.
 */
export function looseClock(): (by: number) => void {
  const Real = Date
  let ahead = 0
  const now = () => Real.now() + ahead
  globalThis.Date = new Proxy(Real, {
    construct: (of, args, made) =>
      Reflect.construct(of, args.length > 0 ? args : [now()], made) as Date,
    get: (of, name) => (name === 'now' ? now : Reflect.get(of, name)),
  })
  return (by) => {
    ahead = by === 0 ? 0 : ahead + by
  }
}
