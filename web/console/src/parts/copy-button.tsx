import { type ReactNode, useState } from 'react'
import { notice } from '../model/console.tsx'
import { Icon } from './icon.tsx'

/**
 * A button that copies `text` and reports the result in the status line.
 *
 * @public
 */
export function CopyButton({ text, children = 'Copy' }: { text: string; children?: ReactNode }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      notice.set('Copied to the clipboard')
    } catch {
      notice.set('The browser did not allow copying: select the text and copy it')
    }
  }
  return (
    <button type="button" className="button quiet" onClick={copy}>
      <Icon name="copy" />
      {isCopied ? 'Copied' : children}
    </button>
  )
}
