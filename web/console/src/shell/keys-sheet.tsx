import { useSyncExternalStore } from 'react'
import { keys } from '../model/console.tsx'
import { type KeyBinding, showKeys } from '../model/keys.ts'

/** The keys that work on this screen, by group. */
export function KeysSheet() {
  const bindings = useSyncExternalStore(keys.subscribe, keys.get)
  return (
    <>
      <div className="key-groups">
        {groupsOf(bindings).map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {list.map(({ keys: combination, label }) => (
                <div key={combination + label}>
                  <dt>
                    <kbd>{showKeys(combination)}</kbd>
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="soft">
        Single-letter keys work outside text fields. You can switch them off in your user menu.
      </p>
    </>
  )
}

function groupsOf(
  bindings: readonly KeyBinding[],
): readonly (readonly [string, readonly KeyBinding[]])[] {
  const groups = new Map<string, KeyBinding[]>()
  for (const binding of bindings) {
    const group = binding.group ?? 'On this page'
    groups.set(group, [...(groups.get(group) ?? []), binding])
  }
  return [...groups]
}
