import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import type { DocumentedChild, View } from '../stored/view.ts'
import { useButtonPlaces } from './button-places.ts'

const DocumentationButton = lazy(() =>
  import('../documentation/button.tsx').then((button) => ({
    default: button.DocumentationButton,
  })),
)

interface LazyDocumentationProps {
  readonly view: View
  /** The element that contains the view; undefined before it is rendered. */
  readonly host: HTMLElement | undefined
  /** Origin of the server. */
  readonly url: string
  /**
   * `StoredWidget`, or a lazy version of it. It is passed in, not imported, because `StoredWidget` itself renders this
   * component.
   */
  readonly Widget: ComponentType<DocumentationWidgetProps>
}

/** The props of the widget that the operator configured to show the documentation of other widgets. */
interface DocumentationWidgetProps {
  readonly id: number
  readonly version: 'latest'
  readonly props: { readonly currentWidgetId: string }
  readonly showDocumentation: false
}

/**
 * Renders the buttons that open the documentation of a widget and of its children. A widget without documentation has
 * no button. The button of a child is in a separate element next to the child's host, so that React never changes the
 * DOM of a widget.
 */
export function LazyDocumentation({ view, host, url, Widget }: LazyDocumentationProps) {
  const { documentedId, documentedChildren = none } = view
  const [isHydrated, setHydrated] = useState(false)
  // The server renders no button, so the first client render must not either.
  useEffect(() => setHydrated(true), [])
  const places = useButtonPlaces(host, documentedChildren)
  if (!isHydrated) return null
  const renderButton = (root: number, name?: string) => (
    <DocumentationButton
      key={root}
      widget={root}
      name={name}
      url={url}
      renderWidget={(id) => (
        <Widget
          id={id}
          version="latest"
          props={{ currentWidgetId: String(root) }}
          showDocumentation={false}
        />
      )}
    />
  )
  return (
    <Suspense>
      {documentedId !== undefined && renderButton(documentedId)}
      {places.map(({ element, key, children }) =>
        createPortal(
          children.map(({ root, name }) => renderButton(root, name)),
          element,
          key,
        ),
      )}
    </Suspense>
  )
}

const none: readonly DocumentedChild[] = []
