/**
 * The documentation of a widget: a button that opens a dialog.
 *
 *   DocumentationButton ──click──▶ Dialog (loaded on demand) ──▶ useDocumentation
 *                                                                 ├─ operator configured a widget: renders that widget
 *                                                                 └─ otherwise: the entries of the server, as EntryView
 *
 * Nothing is requested before the dialog opens. It then requests the server's configuration, once per page, and the
 * entries of the widget.
 */
export { DocumentationButton, type DocumentationProps } from './button.tsx'
