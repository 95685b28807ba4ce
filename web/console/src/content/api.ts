import type { Id } from '@weft/client'
import { request } from '../model/request.ts'

/** A page or widget of the site, in the list. */
export interface Item {
  readonly kind: 'page' | 'widget'
  /** `pages/about.json` for a page, `about` for a widget. */
  readonly name: string
  readonly id: Id
  readonly owner: Id
  readonly title: string
  readonly slug?: string
  /** The widget that a page shows. */
  readonly body?: string
  /** The version of a widget that visitors see. */
  readonly published: number
  /** The version of a widget that was saved last. */
  readonly newest: number
}

/** A version of a widget. */
interface Version {
  readonly id: Id
  /** 0 for the original. */
  readonly number: number
  /** Time in ISO 8601. */
  readonly saved: string
  readonly owner: Id
  readonly published: boolean
}

/** The files of a widget by name. */
export type Files = Readonly<Record<string, string>>

/** A version of a widget as files. */
export interface WidgetDocument {
  readonly id: Id
  readonly name: string
  readonly title: string
  readonly owner: Id
  readonly version: Version
  /** Oldest first. */
  readonly versions: readonly Version[]
  readonly files: Files
}

/** The settings of a page; missing settings are empty. */
export interface PageSettings {
  readonly slug: string
  readonly also?: readonly string[]
  readonly title: string
  readonly metaTitle?: string
  readonly metaDescription?: string
  readonly metaKeywords?: string
  readonly type?: string
  readonly width?: string
  readonly fontSize?: string
  readonly fontFamily?: string
  readonly guarded?: boolean
  readonly body: string
}

/** A page with its settings. */
export interface PageDocument {
  readonly id: Id
  readonly name: string
  readonly owner: Id
  readonly page: PageSettings
}

/** The parts of a widget that the console reads, in the renderer's format. */
export interface WidgetTree {
  readonly id: Id
  readonly root: Id
  readonly trust?: 'sandbox' | 'trusted'
  readonly warnings?: readonly string[]
  readonly children?: readonly { readonly widget: WidgetTree }[]
}

/** Returns the pages and widgets of the site. */
export const listContent = async (): Promise<readonly Item[]> =>
  (await request<{ items: readonly Item[] }>('/api/v1/content')).items

/** Returns a version of a widget; without a number, the newest one. */
export const readWidget = (name: string, version?: number): Promise<WidgetDocument> =>
  request(
    `/api/v1/content/widget?name=${encodeURIComponent(name)}${version === undefined ? '' : `&version=${version}`}`,
  )

/** Saves files as a new version. The server refuses if a version other than `base` is the newest. */
export const saveWidget = (name: string, base: number, files: Files): Promise<WidgetDocument> =>
  request('/api/v1/content/widget', { json: { name, base, files } })

/** Shows a version to visitors. */
export const publishWidget = (name: string, version: number): Promise<{ version: number }> =>
  request('/api/v1/content/publish', { json: { name, version } })

/** Returns the settings of a page. */
export const readPage = (name: string): Promise<PageDocument> =>
  request(`/api/v1/content/page?name=${encodeURIComponent(name)}`)

/** Writes the settings of a page. */
export const savePage = (name: string, page: PageSettings): Promise<PageDocument> =>
  request('/api/v1/content/page', { json: { name, page } })

/** Renders a widget with HTML and CSS that are not stored. */
export const previewWidget = async (id: Id, files: Files): Promise<WidgetTree | null> => {
  const draft = { id, html: files['widget.html'] ?? '', css: files['widget.css'] ?? '' }
  return (await request<{ widget: WidgetTree | null }>('/api/v1/widgets/preview', { json: draft }))
    .widget
}

/** Returns the published tree of a page. */
export const readPageTree = async (slug: string): Promise<WidgetTree | null> =>
  (await request<{ widget: WidgetTree | null }>(`/api/v1/pages?slug=${encodeURIComponent(slug)}`))
    .widget
