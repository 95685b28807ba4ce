import { useEffect } from 'react'

/** The address in the examples of the stored pages. */
const addressInExamples = 'http://127.0.0.1:8080'

/**
 * Replaces the address in the examples of a page by the address of this server, so that a copied command works.
 *
 * @param slug slug of the current page
 * @param status loading status of the page: the examples exist when it is loaded
 */
export function useServerAddress(slug: string, status: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other examples
  useEffect(() => {
    if (location.origin === addressInExamples || status === 'loading') return
    for (const code of document.querySelectorAll('main code')) replaceAddress(code)
  }, [slug, status])
}

function replaceAddress(code: Element): void {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode as Text
    if (text.data.includes(addressInExamples))
      text.data = text.data.replaceAll(addressInExamples, location.origin)
  }
}
