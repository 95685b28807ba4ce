/** Removes all children of an element. */
export function removeAllChildren(parent: HTMLElement): void {
  parent.replaceChildren()
}

/** Replaces the matching elements by their children. */
export async function unwrapContainers(
  parentElement: HTMLElement,
  selector: string,
): Promise<void> {
  for (const element of parentElement.querySelectorAll(selector))
    element.replaceWith(...element.childNodes)
}

/** Calls back after some time. Resolves with the result of the callback. */
export function DelayFunctionExecution(ms: number, callback: any): Promise<unknown> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(callback()), ms)
  })
}
